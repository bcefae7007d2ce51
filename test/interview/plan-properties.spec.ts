import fc from 'fast-check';
import type { InterviewPlan } from '../../src/vacancies';
import {
  type TurnDecision,
  type Observations,
  completeReply,
  VERDICTS,
  type Verdict,
} from '../../src/interview/plan/verdicts';
import {
  type InterviewState,
  initialState,
  progress,
  waitingQuestion,
} from '../../src/interview/plan/state';
import { allowedVerdicts, decide } from '../../src/interview/plan/decide';
import { textsOf } from '../../src/interview/texts/texts';
import { planOf } from '../support/plans';

/** One turn with any verdict, also one that is not allowed. */
interface Turn {
  readonly verdict: Verdict;
  readonly noticed: Observations;
  readonly isAddendum: boolean;
  readonly isUnanalysed: boolean;
  /** The candidate may ask something; left out: not. */
  readonly mayAsk?: boolean;
  readonly aside?: 'greeting' | null;
}

const anyId = fc.constantFrom('q1', 'q2', 'q3', 'q5', 'q8', 'unknown');
const noticed: fc.Arbitrary<Observations> = fc.record(
  {
    isGrounded: fc.boolean(),
    asksToo: fc.boolean(),
    about: anyId,
    touches: fc.array(anyId, { maxLength: 3 }),
  },
  { requiredKeys: ['isGrounded'] },
);
const turn: fc.Arbitrary<Turn> = fc.record({
  verdict: fc.constantFrom(...VERDICTS),
  noticed,
  isAddendum: fc.boolean(),
  isUnanalysed: fc.boolean(),
  mayAsk: fc.boolean(),
  aside: fc.option(fc.constant<'greeting'>('greeting'), { freq: 8, nil: null }),
});
const anyTurns = fc.array(turn, { maxLength: 120 });
const anyPlan = fc
  .record({ count: fc.integer({ min: 1, max: 8 }), followUps: fc.integer({ min: 0, max: 2 }) })
  .map(({ count, followUps }) => {
    const plan = planOf(count);
    return { ...plan, questions: plan.questions.map((one) => ({ ...one, followUps })) };
  });

interface Step {
  readonly noticed: Observations;
  readonly aside: 'greeting' | null;
  readonly before: InterviewState;
  readonly verdict: Verdict;
  readonly isAddendum: boolean;
  readonly decision: TurnDecision;
}

/** Plays until the turns are used up or the interview ends. */
function play(plan: InterviewPlan, turns: readonly Turn[]): Step[] {
  const steps: Step[] = [];
  let state = initialState(plan);
  for (const [ordinal, one] of turns.entries()) {
    const { verdict: wild, isAddendum, isUnanalysed, mayAsk = false, aside = null } = one;
    const verdict = isUnanalysed ? 'answered' : wild;
    const context = {
      language: 'en',
      status: 'active',
      isConsented: true,
      isAddendum,
      ordinal,
      isUnanalysed,
      mayAsk,
      aside,
    } as const;
    const decision = decide(plan, state, verdict, context, one.noticed);
    const { noticed: found } = one;
    steps.push({ noticed: found, aside, before: state, verdict, isAddendum, decision });
    if (decision.endsAs !== null) break;
    state = decision.state;
  }
  return steps;
}

/**
 * Turns that one question allows: 8 that do not answer it, 6 asides, 3 pauses, one off topic, a push-back, two follow-ups
 * and the one that settles it. Must-ask questions may come twice; wishes and abuse add 15 in all.
 */
function mostTurns({ questions }: InterviewPlan): number {
  return 22 * (questions.length + questions.filter(({ mustAsk }) => mustAsk).length) + 15;
}

test('an interview ends after a bounded number of turns', () => {
  const most = mostTurns(planOf(8));
  const forever = fc.array(turn, { minLength: most, maxLength: most + 25 });
  fc.assert(
    fc.property(anyPlan, forever, (plan, turns) => {
      const answers = turns.map((one) => ({ ...one, isAddendum: false }));
      const steps = play(plan, answers);
      expect(steps.at(-1)?.decision.endsAs).not.toBeNull();
      expect(steps.length).toBeLessThanOrEqual(mostTurns(plan));
    }),
    { numRuns: 300 },
  );
});

test('an interview also ends when every turn has the same verdict', () => {
  const said: readonly Pick<Turn, 'mayAsk' | 'aside'>[] = [
    {},
    { mayAsk: true },
    { aside: 'greeting' },
  ];
  for (const verdict of VERDICTS) {
    for (const rest of said) {
      const turns = Array.from({ length: 80 }, () => ({
        verdict,
        noticed: { isGrounded: true },
        isAddendum: false,
        isUnanalysed: false,
        ...rest,
      }));
      expect(play(planOf(4), turns).at(-1)?.decision.endsAs).not.toBeNull();
    }
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

test('the open question that is stored is the one that the plan waits with', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      for (const { decision } of play(plan, turns)) {
        const waiting = waitingQuestion(plan, decision.state);
        expect(decision.state.openQuestion).toBe(waiting?.id ?? null);
      }
    }),
    { numRuns: 300 },
  );
});

/** One question, or the same one when it is asked once more. */
function askingOf({ openQuestion, returned }: InterviewState): string {
  const isOnceMore = openQuestion !== null && returned.includes(openQuestion);
  return `${openQuestion ?? ''}${isOnceMore ? ' once more' : ''}`;
}

test('a question gets at most one push-back each time it is asked', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      const pushed = play(plan, turns)
        .filter(({ decision, isAddendum }) => decision.verdict === 'vague' && !isAddendum)
        .map(({ before }) => askingOf(before));
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

test('only a wish of the candidate, repeated abuse or the end of the plan ends an interview (I10)', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      for (const { before, verdict, decision } of play(plan, turns)) {
        if (decision.endsAs === 'handed_over') expect(['human', 'abusive']).toContain(verdict);
        if (decision.endsAs === 'withdrawn') expect(verdict).toBe('leave');
        if (decision.endsAs !== 'completed') continue;
        expect(before.questionIndex).toBeGreaterThanOrEqual(plan.questions.length - 1);
      }
    }),
    { numRuns: 300 },
  );
});

test('an interview is handed over or left only after a confirmation', () => {
  const wishes = fc.constantFrom<Verdict>('leave', 'human', 'off_topic', 'answered');
  const wish = fc.record({
    verdict: wishes,
    noticed,
    isAddendum: fc.boolean(),
    isUnanalysed: fc.boolean(),
  });
  fc.assert(
    fc.property(anyPlan, fc.array(fc.oneof(wish, turn), { maxLength: 120 }), (plan, turns) => {
      for (const { before, isAddendum, decision } of play(plan, turns)) {
        if (decision.endsAs !== 'handed_over' && decision.endsAs !== 'withdrawn') continue;
        if (decision.verdict === 'abusive') continue;
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

test('every reply has text, and that of a verdict which code did not accept is never shown', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      for (const { before, verdict, isAddendum, decision } of play(plan, turns)) {
        expect((decision.lead + decision.tail).trim()).not.toBe('');
        if (decision.verdict !== verdict) expect(decision.speaker).toBe('code');
        if (isAddendum || allowedVerdicts(plan, before).includes(verdict)) continue;
        expect(decision.speaker).toBe('code');
      }
    }),
    { numRuns: 300 },
  );
});

test('a question gets its follow-ups, or a push-back and at most one follow-up', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      const counts = new Map<string, number>();
      for (const { before, decision, isAddendum } of play(plan, turns)) {
        if (isAddendum || !['vague', 'follow_up'].includes(decision.verdict ?? '')) continue;
        const asking = askingOf(before);
        counts.set(asking, (counts.get(asking) ?? 0) + 1);
      }
      const { followUps = 0 } = plan.questions[0] ?? {};
      const most = Math.max(followUps, 1 + Math.min(1, followUps));
      for (const times of counts.values()) expect(times).toBeLessThanOrEqual(most);
    }),
    { numRuns: 300 },
  );
});

test('an addition or a correction belongs to a settled question and leaves the waiting one open', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      for (const { before, decision, isAddendum } of play(plan, turns)) {
        const isAttached = decision.verdict === 'addition' || decision.verdict === 'correction';
        if (!isAttached || isAddendum) continue;
        expect(before.settled.map(({ id }) => id)).toContain(decision.about);
        if (before.asides < 8) expect(decision.state.questionIndex).toBe(before.questionIndex);
      }
    }),
    { numRuns: 300 },
  );
});

test('only a later question is noted as touched on, at most once, and it is still asked', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      const ids = plan.questions.map(({ id }) => id);
      for (const { decision, isAddendum } of play(plan, turns)) {
        const { touched } = decision.state;
        expect(new Set(touched.map(({ id }) => id)).size).toBe(touched.length);
        for (const one of touched) expect(ids.indexOf(one.id)).toBeGreaterThan(ids.indexOf(one.in));
        const question = plan.questions[decision.state.questionIndex];
        const isNext = decision.tail !== '' && question !== undefined && decision.endsAs === null;
        if (isNext && decision.verdict === 'answered' && !isAddendum) {
          expect(decision.tail.endsWith(question.text)).toBe(true);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('what the candidate asks inside an answer is never replied to without a source', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      for (const { decision, noticed: found, aside } of play(plan, turns)) {
        if (found.isGrounded || found.asksToo !== true) continue;
        const isMeaning = decision.verdict === 'clarify';
        expect(decision.speaker === 'code' || isMeaning || aside != null).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

test('an aside changes nothing but its own count, and repeats no question', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      for (const { before, decision, isAddendum } of play(plan, turns)) {
        if (decision.verdict !== 'aside' || before.smallTalk >= 6) continue;
        const smallTalk = before.smallTalk + (isAddendum ? 0 : 1);
        expect(decision.state).toEqual({ ...before, smallTalk });
        expect(decision).toMatchObject({ tail: '', endsAs: null });
      }
    }),
    { numRuns: 300 },
  );
});

test('a must-ask question that was left open is asked exactly once more, unless it was skipped', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      const steps = play(plan, turns);
      const last = steps.at(-1)?.decision;
      for (const { before, decision } of steps) {
        const { returned, asked } = decision.state;
        expect(new Set(returned).size).toBe(returned.length);
        for (const id of returned) {
          expect(asked).toContain(id);
          expect(plan.questions.find((one) => one.id === id)?.mustAsk).toBe(true);
        }
        const isNew = returned.length > before.returned.length;
        const newest = plan.questions.find(({ id }) => id === returned.at(-1));
        if (isNew) expect(decision.tail).toContain(newest?.text);
      }
      fc.pre(last?.endsAs === 'completed');
      const open = last.state.settled.filter(({ outcome }) => outcome === 'unanswered');
      for (const { id } of open) {
        const isMustAsk = plan.questions.find((one) => one.id === id)?.mustAsk;
        if (isMustAsk === true) expect(last.state.returned).toContain(id);
      }
    }),
    { numRuns: 300 },
  );
});

test('no question stands twice in one reply of code', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      for (const { decision } of play(plan, turns)) {
        const whole = completeReply(decision, '');
        for (const { text } of plan.questions) {
          expect(whole.split(text).length).toBeLessThanOrEqual(2);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('abuse gets one sentence, and an interview with two pauses for a person', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      const abuses = play(plan, turns).filter(({ verdict }) => verdict === 'abusive');
      expect(abuses.length).toBeLessThanOrEqual(2);
      expect(abuses[0]?.decision.endsAs ?? null).toBeNull();
      if (abuses[1] === undefined) return;
      expect(abuses[1].decision).toMatchObject({ endsAs: 'handed_over', personNeededFor: 'abuse' });
    }),
    { numRuns: 300 },
  );
});

test('an objection always tells a person and never ends the interview by itself', () => {
  fc.assert(
    fc.property(anyPlan, anyTurns, (plan, turns) => {
      for (const { verdict, decision, before } of play(plan, turns)) {
        if (verdict !== 'objection') continue;
        expect(decision.personNeededFor).toBe('objection');
        if (before.asides < 8) expect(decision.endsAs).toBeNull();
      }
    }),
    { numRuns: 300 },
  );
});

test.each(['answered', 'vague', 'question', 'off_topic', 'leave', 'abusive', 'human'] as const)(
  'the fixed phrases of an objection and of a wish for a person count, also where the model says %s',
  (proposed) => {
    const context = { language: 'en', isConsented: true, isAddendum: false, ordinal: 0 } as const;
    const plan = planOf(3);
    const state = initialState(plan);
    const active = { ...context, status: 'active' } as const;

    const objection = decide(plan, state, proposed, { ...active, wish: 'objection' });
    const person = decide(plan, state, proposed, { ...active, wish: 'person' });

    expect(objection).toMatchObject({ lead: textsOf('en').objectionNoted, endsAs: null });
    expect(objection.personNeededFor).toBe('objection');
    expect(person).toMatchObject({ verdict: 'human', lead: textsOf('en').confirmHuman });
  },
);

test.each(['completed', 'handed_over', 'expired'] as const)(
  'an objection in an interview that is %s is noted, and a person is told',
  (status) => {
    const context = { language: 'en', isConsented: true, isAddendum: false, ordinal: 0 } as const;
    const plan = planOf(3);
    const state = initialState(plan);
    const decision = decide(plan, state, 'answered', { ...context, status, wish: 'objection' });
    expect(decision).toMatchObject({ lead: textsOf('en').objectionNoted, state, endsAs: null });
    expect(decision.personNeededFor).toBe('objection');
  },
);
