import fc from 'fast-check';
import type { InterviewPlan } from '../../src/vacancies';
import { type Decision, VERDICTS, type Verdict } from '../../src/interview/plan/decision';
import { type InterviewState, initialState, progress } from '../../src/interview/plan/state';
import { allowedVerdicts, decide } from '../../src/interview/plan/decide';
import { planOf } from '../support/plans';

/** One turn with any verdict, also one that is not allowed. */
interface Turn {
  readonly verdict: Verdict;
  readonly isAddendum: boolean;
  readonly isUnanalysed: boolean;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  verdict: fc.constantFrom(...VERDICTS),
  isAddendum: fc.boolean(),
  isUnanalysed: fc.boolean(),
});
const anyTurns = fc.array(turn, { maxLength: 120 });
const anyPlan = fc.integer({ min: 1, max: 8 }).map(planOf);

interface Step {
  readonly before: InterviewState;
  readonly verdict: Verdict;
  readonly isAddendum: boolean;
  readonly decision: Decision;
}

/** Plays until the turns are used up or the interview ends. */
function play(plan: InterviewPlan, turns: readonly Turn[]): Step[] {
  const steps: Step[] = [];
  let state = initialState(plan);
  for (const [ordinal, { verdict: wild, isAddendum, isUnanalysed }] of turns.entries()) {
    const verdict = isUnanalysed ? 'answered' : wild;
    const decision = decide(plan, state, verdict, {
      language: 'en',
      status: 'active',
      isConsented: true,
      isAddendum,
      ordinal,
      isUnanalysed,
    });
    steps.push({ before: state, verdict, isAddendum, decision });
    if (decision.endsAs !== null) break;
    state = decision.state;
  }
  return steps;
}

test('an interview ends after a bounded number of turns', () => {
  const forever = fc.array(turn, { minLength: 12 * 8 + 14, maxLength: 12 * 8 + 40 });
  fc.assert(
    fc.property(anyPlan, forever, (plan, turns) => {
      const answers = turns.map((one) => ({ ...one, isAddendum: false }));
      const steps = play(plan, answers);
      expect(steps.at(-1)?.decision.endsAs).not.toBeNull();
      expect(steps.length).toBeLessThanOrEqual(12 * plan.questions.length + 14);
    }),
    { numRuns: 300 },
  );
});

test('an interview also ends when every turn has the same verdict', () => {
  for (const verdict of VERDICTS) {
    const turns = Array.from({ length: 60 }, () => ({
      verdict,
      isAddendum: false,
      isUnanalysed: false,
    }));
    expect(play(planOf(4), turns).at(-1)?.decision.endsAs).not.toBeNull();
  }
});

test('every question of an ended interview was asked and settled, or is marked not asked', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      const last = play(plan, turns).at(-1)?.decision;
      fc.pre(last !== undefined && last.endsAs !== null);
      const ids = plan.questions.map(({ id }) => id);
      const marked = [...last.state.settled, ...last.state.notAsked].map(({ id }) => id);
      expect([...marked].sort()).toEqual([...ids].sort());
      expect(last.state.settled.map(({ id }) => id)).toEqual(last.state.asked);
    }),
    { numRuns: 300 },
  );
});

test('a question gets at most one push-back', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      const pushed = play(plan, turns)
        .filter(({ decision, isAddendum }) => decision.verdict === 'vague' && !isAddendum)
        .map(({ before }) => before.questionIndex);
      expect(new Set(pushed).size).toBe(pushed.length);
    }),
    { numRuns: 300 },
  );
});

test('progress never goes back, and a turn moves it by at most one', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      for (const { before, decision } of play(plan, turns)) {
        const moved = decision.state.questionIndex - before.questionIndex;
        expect(moved === 0 || moved === 1).toBe(true);
        expect(progress(plan, decision.state).of).toBe(plan.questions.length);
      }
    }),
    { numRuns: 300 },
  );
});

test('an addendum neither advances nor uses up the push-back', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      for (const { before, decision, isAddendum } of play(plan, turns)) {
        if (!isAddendum) continue;
        expect(decision.state.questionIndex).toBe(before.questionIndex);
        expect(decision.state.pushedBack).toBe(before.pushedBack);
      }
    }),
    { numRuns: 300 },
  );
});

test('only the wish of the candidate or the end of the plan ends an interview (I10)', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      for (const { before, verdict, decision } of play(plan, turns)) {
        if (decision.endsAs === 'handed_over') expect(verdict).toBe('human');
        if (decision.endsAs === 'withdrawn') expect(verdict).toBe('leave');
        if (decision.endsAs !== 'completed') continue;
        expect(before.questionIndex).toBe(plan.questions.length - 1);
      }
    }),
    { numRuns: 300 },
  );
});

test('an interview is handed over or left only after a confirmation', () => {
  const wishes = fc.constantFrom<Verdict>('leave', 'human', 'off_topic', 'answered');
  const wish = fc.record({ verdict: wishes, isAddendum: fc.boolean(), isUnanalysed: fc.boolean() });
  fc.assert(
    fc.property(anyPlan, fc.array(fc.oneof(wish, turn), { maxLength: 120 }), (plan, turns) => {
      for (const { before, isAddendum, decision } of play(plan, turns)) {
        if (decision.endsAs !== 'handed_over' && decision.endsAs !== 'withdrawn') continue;
        const isPerson = decision.endsAs === 'handed_over';
        const wasAsked = isPerson ? before.isCallingPerson : before.isLeaving;
        const times = isPerson ? before.personCalls : before.leaves;
        expect(wasAsked || times >= 3).toBe(true);
        expect(isAddendum).toBe(false);
      }
    }),
    { numRuns: 500 },
  );
});

test('every reply has text, and the text of a verdict that is not allowed is never shown', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      for (const { before, verdict, isAddendum, decision } of play(plan, turns)) {
        expect((decision.lead + decision.tail).trim()).not.toBe('');
        if (isAddendum || allowedVerdicts(plan, before).includes(verdict)) continue;
        expect(decision.speaker).toBe('code');
      }
    }),
    { numRuns: 300 },
  );
});
