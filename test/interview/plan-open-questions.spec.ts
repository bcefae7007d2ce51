import { type TurnContext, completeReply, type Verdict } from '../../src/interview/plan/verdicts';
import {
  type InterviewState,
  answeredBetween,
  endState,
  initialState,
  markQuestion,
  progress,
  resumedState,
  waitingQuestion,
} from '../../src/interview/plan/state';
import { decide } from '../../src/interview/plan/decide';
import { textsOf } from '../../src/interview/texts/texts';
import { planOf } from '../support/plans';

const PLAN = planOf(3);
const START = initialState(PLAN);
const ACTIVE: TurnContext = {
  language: 'en',
  status: 'active',
  isConsented: true,
  isAddendum: false,
  ordinal: 1,
};
const TEXTS = textsOf('en');

function decideFrom(state: InterviewState, verdict: Verdict, context: Partial<TurnContext> = {}) {
  return decide(PLAN, state, verdict, { ...ACTIVE, ...context });
}

/** The state after a sequence of verdicts. */
function after(...verdicts: readonly Verdict[]): InterviewState {
  return verdicts.reduce((state, verdict) => decideFrom(state, verdict).state, START);
}

describe('a model that only ever says', () => {
  test.each(['clarify', 'question'] as const)(
    '"%s" is believed twice where nothing is asked; then the answer counts',
    (verdict) => {
      const decision = decideFrom(after(verdict, verdict), verdict);
      expect(decision).toMatchObject({ verdict: 'answered', speaker: 'code', tail: 'Question 2?' });
      expect(decision.state.settled).toEqual([{ id: 'q1', outcome: 'answered' }]);
    },
  );

  test.each(['clarify', 'question'] as const)(
    '"%s" is believed for longer where the candidate may ask something',
    (verdict) => {
      const asking = { mayAsk: true };
      const decision = decideFrom(after(verdict, verdict), verdict, asking);
      expect(decision).toMatchObject({ verdict, endsAs: null });
      expect(decision.state).toMatchObject({ questionIndex: 0, asides: 3, unasked: 2 });
    },
  );

  test('"aside" is believed six times; then the answer counts', () => {
    const asides = Array.from({ length: 6 }, () => 'aside' as const);
    expect(after(...asides)).toMatchObject({ questionIndex: 0, smallTalk: 6, settled: [] });
    const decision = decideFrom(after(...asides), 'aside');
    expect(decision).toMatchObject({ verdict: 'answered', speaker: 'code', tail: 'Question 2?' });
  });
});

describe('an aside', () => {
  test('gets a few words, is not counted, and repeats no question', () => {
    const state = after('vague');
    const decision = decideFrom(state, 'aside');
    expect(decision).toMatchObject({ verdict: 'aside', speaker: 'model', tail: '', endsAs: null });
    expect(completeReply(decision, 'Take your time.')).toBe('');
    expect(decision.state).toEqual({ ...state, smallTalk: 1 });
  });

  test.each(['answered', 'vague', 'off_topic', 'question', 'refusal', 'clarify'] as const)(
    'in a fixed phrase is one, also where the model says %s',
    (proposed) => {
      const decision = decideFrom(after('off_topic'), proposed, { aside: 'greeting' });
      expect(decision).toMatchObject({ verdict: 'aside', speaker: 'code', tail: '' });
      expect(decision.lead).toBe(TEXTS.asides.greeting[1]);
      expect(decision.state).toMatchObject({ questionIndex: 0, settled: [], offTopic: 1 });
    },
  );

  test('of which there is no end leaves the question open, and it is asked once more', () => {
    const asides = Array.from({ length: 6 }, () => 'aside' as const);
    const decision = decideFrom(after(...asides), 'aside', { aside: 'greeting' });
    expect(decision.state.settled).toEqual([{ id: 'q1', outcome: 'unanswered' }]);
  });

  test('leaves a wish to stop as it is, so that the next "yes" still confirms it', () => {
    const state = after('leave', 'aside');
    expect(state.isLeaving).toBe(true);
    expect(decideFrom(state, 'leave').endsAs).toBe('withdrawn');
  });

  test('that asks for something no source covers is passed on, unless a fixed phrase greets', () => {
    const unsure = { isGrounded: false, asksToo: true };
    const asking = decide(PLAN, START, 'aside', ACTIVE, unsure);
    const greeting = decide(PLAN, START, 'aside', { ...ACTIVE, aside: 'greeting' }, unsure);
    expect(asking).toMatchObject({ speaker: 'code', isQuestionOpen: true });
    expect(greeting).toMatchObject({ speaker: 'model' });
  });

  test('written before the last reply was seen is not thanked for as an addition', () => {
    const decision = decideFrom(after('answered'), 'aside', { isAddendum: true, aside: 'thanks' });
    expect(decision).toMatchObject({ lead: TEXTS.asides.thanks[1], tail: '' });
    expect(decision.about).toBeUndefined();
  });
});

describe('a must-ask question that was left open', () => {
  const LEFT_OPEN = ['off_topic', 'off_topic', 'answered', 'answered'] as const;

  test('is asked once more before the closing, and then its answer counts', () => {
    const decision = decideFrom(after('off_topic', 'off_topic', 'answered'), 'answered');
    expect(decision.tail).toBe(`${TEXTS.onceMore[1] ?? ''}\n\nQuestion 1?`);
    expect(decision.endsAs).toBeNull();
    expect(decision.state).toMatchObject({
      questionIndex: 3,
      openQuestion: 'q1',
      returned: ['q1'],
    });
    expect(markQuestion(PLAN, decision.state, decision.tail)?.id).toBe('q1');

    const answered = decideFrom(decision.state, 'answered');
    expect(answered).toMatchObject({ tail: 'Closing.', endsAs: 'completed' });
    expect(answered.state.settled).toEqual([
      { id: 'q1', outcome: 'answered' },
      { id: 'q2', outcome: 'answered' },
      { id: 'q3', outcome: 'answered' },
    ]);
    expect(answeredBetween(decision.state, answered.state)).toBe('q1');
  });

  test('is marked as not answered when it is left open again', () => {
    const decision = decideFrom(after(...LEFT_OPEN, 'off_topic'), 'off_topic');
    expect(decision.endsAs).toBe('completed');
    expect(decision.state.settled[0]).toEqual({ id: 'q1', outcome: 'unanswered' });
    expect(progress(PLAN, decision.state)).toEqual({ question: 3, of: 3, unanswered: [1] });
  });

  test('is not asked again when the candidate has skipped it', () => {
    expect(decideFrom(after('refusal', 'answered'), 'answered').endsAs).toBe('completed');
  });

  test('and is no must-ask question is not asked again', () => {
    const state = after('answered', 'off_topic', 'off_topic');
    expect(decideFrom(state, 'answered').endsAs).toBe('completed');
  });

  test('as the last one is asked again without the words that move on', () => {
    const decision = decideFrom(after('answered', 'answered', 'off_topic'), 'off_topic');
    expect(completeReply(decision, '')).toBe(`${TEXTS.onceMore[1] ?? ''}\n\nQuestion 3?`);
    expect(decision.endsAs).toBeNull();
  });

  test('and got its answer as an addition is not asked again', () => {
    const state = after('off_topic', 'off_topic');
    const added = decide(PLAN, state, 'addition', ACTIVE, { isGrounded: true, about: 'q1' });
    expect(added.about).toBe('q1');
    expect(answeredBetween(state, added.state)).toBe('q1');
    const last = decideFrom(decideFrom(added.state, 'answered').state, 'answered');
    expect(last.endsAs).toBe('completed');
  });

  test('gets a push-back of its own, and an addition to it is its answer', () => {
    const state = after(...LEFT_OPEN);
    expect(decideFrom(state, 'vague')).toMatchObject({ verdict: 'vague', endsAs: null });
    const about = { isGrounded: true, about: 'q1' };
    expect(decide(PLAN, state, 'addition', ACTIVE, about).endsAs).toBe('completed');
  });

  test('stays unanswered when the candidate leaves instead', () => {
    const { state, endsAs } = decideFrom(after(...LEFT_OPEN, 'leave'), 'leave');
    expect(endsAs).toBe('withdrawn');
    expect(state.settled.map(({ outcome }) => outcome)).toEqual([
      'unanswered',
      'answered',
      'answered',
    ]);
    expect(state.notAsked).toEqual([]);
  });

  test('waits again when a person returns the interview', () => {
    const state = after(...LEFT_OPEN);
    const resumed = resumedState(PLAN, endState(PLAN, state, 'handed_over'));
    expect(waitingQuestion(PLAN, resumed)?.id).toBe('q1');
    const decision = decideFrom(resumed, 'answered');
    expect(decision.endsAs).toBe('completed');
    expect(decision.state.settled.map(({ id }) => id)).toEqual(['q1', 'q2', 'q3']);
  });

  test('does not take an addition without a number for its answer', () => {
    // The last question waits once more, right after it was left open.
    const state = after('answered', 'answered', 'off_topic', 'off_topic');
    const decision = decideFrom(state, 'addition');
    expect(decision).toMatchObject({ verdict: 'addition', about: 'q2', endsAs: null });
    expect(waitingQuestion(PLAN, decision.state)?.id).toBe('q3');
  });

  test('is the one that messages behind its answer add to', () => {
    const both = after('off_topic', 'off_topic', 'answered', 'off_topic', 'off_topic');
    const second = decideFrom(both, 'answered').state;
    expect(waitingQuestion(PLAN, second)?.id).toBe('q3');
    expect(decideFrom(second, 'answered', { isAddendum: true }).about).toBe('q1');
    const ended = decideFrom(second, 'answered').state;
    expect(decideFrom(ended, 'answered', { status: 'completed' }).about).toBe('q3');
  });
});

describe('follow-ups', () => {
  const [first] = planOf(1).questions;
  const probed = { ...first, followUps: 2, probe: 'Which loaf?', followUp: 'How so?' };
  const plan = { ...PLAN, questions: [probed as (typeof PLAN.questions)[number]] };
  const follow = (state: InterviewState, verdict: Verdict, context: Partial<TurnContext> = {}) =>
    decide(plan, state, verdict, { ...ACTIVE, ...context });

  test('ask what the plan says, and as often as it says', () => {
    const once = follow(initialState(plan), 'follow_up');
    expect(once).toMatchObject({ speaker: 'model', lead: 'Which loaf?', tail: '' });
    const twice = follow(once.state, 'follow_up');
    expect(twice).toMatchObject({ verdict: 'follow_up', speaker: 'model' });
    expect(follow(twice.state, 'follow_up')).toMatchObject({
      verdict: 'answered',
      speaker: 'code',
    });
  });

  test('one is allowed after a push-back that was answered', () => {
    const pushed = follow(initialState(plan), 'vague');
    expect(pushed).toMatchObject({ lead: 'How so?', speaker: 'model' });
    const followed = follow(pushed.state, 'follow_up');
    expect(followed).toMatchObject({ verdict: 'follow_up', speaker: 'model' });
    expect(follow(followed.state, 'follow_up').verdict).toBe('answered');
    expect(follow(followed.state, 'vague').state.settled).toEqual([{ id: 'q1', outcome: 'weak' }]);
  });

  test('a good answer that was followed up gets no push-back', () => {
    const { state } = follow(initialState(plan), 'follow_up');
    expect(follow(state, 'vague')).toMatchObject({ verdict: 'answered', speaker: 'code' });
  });

  test('the plan has them in one language only, so in the other one code asks', () => {
    const russian = { language: 'ru' } as const;
    const texts = textsOf('ru');
    expect(follow(initialState(plan), 'vague', russian).lead).toBe(texts.pushBacks[1]);
    expect(follow(initialState(plan), 'follow_up', russian).lead).toBe(texts.pushBacks[1]);
  });
});

describe('an answer that also asks something, in whose place code speaks', () => {
  const vague = after('vague');
  const asking = { isGrounded: true, asksToo: true };

  test('has its question passed on', () => {
    const decision = decide(PLAN, vague, 'vague', { ...ACTIVE, mayAsk: true }, asking);
    expect(decision).toMatchObject({ verdict: 'answered', speaker: 'code', isQuestionOpen: true });
    expect(decision.lead).toContain(TEXTS.noSourceToo);
  });

  test('is believed to ask nothing where only the model says it', () => {
    expect(decide(PLAN, vague, 'vague', ACTIVE, asking).isQuestionOpen).toBeUndefined();
  });
});
