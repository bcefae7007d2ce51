import {
  type ConversationStatus,
  type TurnContext,
  completeReply,
  opening,
  type Verdict,
  ScriptedInterviewer,
} from '../../src/interview/plan/decision';
import {
  type InterviewState,
  endState,
  initialState,
  progress,
  readState,
} from '../../src/interview/plan/state';
import { allowedVerdicts, decide } from '../../src/interview/plan/decide';
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

test('an interview opens with the greeting and the first question, word for word', () => {
  expect(opening(PLAN)).toEqual(['Greeting.', 'Question 1?']);
  expect(START.asked).toEqual(['q1']);
});

test('an answer is acknowledged by the model and followed by the next question word for word', () => {
  const decision = decideFrom(START, 'answered');
  expect(decision).toMatchObject({ speaker: 'model', tail: 'Question 2?', endsAs: null });
  expect(completeReply(decision, 'Thanks.')).toBe('\n\nQuestion 2?');
  expect(decision.state.settled).toEqual([{ id: 'q1', outcome: 'answered' }]);
});

test('code finds words of its own when the model gave none', () => {
  const reply = completeReply(decideFrom(START, 'answered'), ' \n');
  expect(reply).toBe(`${TEXTS.acknowledgements[1] ?? ''}\n\nQuestion 2?`);
});

test('the last answer is followed by the closing, and the interview is completed', () => {
  const decision = decideFrom(after('answered', 'answered'), 'answered');
  expect(decision).toMatchObject({ tail: 'Closing.', endsAs: 'completed' });
  expect(decision.state.asked).toEqual(['q1', 'q2', 'q3']);
});

describe('a vague answer', () => {
  test('gets the one push-back of the model, and the question stays', () => {
    const decision = decideFrom(START, 'vague');
    expect(decision).toMatchObject({ speaker: 'model', tail: '', endsAs: null });
    expect(decision.state).toMatchObject({ questionIndex: 0, pushedBack: true });
  });

  test('counts as answered after the push-back, marked weak', () => {
    const decision = decideFrom(after('vague'), 'vague');
    expect(decision.state.settled).toEqual([{ id: 'q1', outcome: 'weak' }]);
    expect(decision).toMatchObject({ verdict: 'answered', tail: 'Question 2?' });
  });

  test('never lets a second push-back of the model through', () => {
    expect(decideFrom(after('vague'), 'vague').speaker).toBe('code');
    expect(allowedVerdicts(PLAN, after('vague'))).not.toContain('vague');
  });

  test('may be pushed back again at the next question', () => {
    expect(allowedVerdicts(PLAN, after('vague', 'answered'))).toContain('vague');
  });
});

test('a question of the candidate is answered, and the same question is said again', () => {
  const decision = decideFrom(START, 'question');
  expect(decision.speaker).toBe('model');
  expect(decision.tail).toContain('Question 1?');
  expect(decision.state).toMatchObject({ questionIndex: 0, pushedBack: false, settled: [] });
});

test.each([{}, { isAddendum: true }])(
  "the words to a question that no source supports are code's, and a person gets it (%j)",
  (context) => {
    const decision = decide(PLAN, START, 'question', { ...ACTIVE, ...context }, false);
    expect(decision).toMatchObject({ speaker: 'code', lead: TEXTS.cannotAnswer });
    expect(decision.isQuestionOpen).toBe(true);
    expect(decision.state).toMatchObject({ questionIndex: 0, settled: [] });
  },
);

test('a candidate may decline a question, and the plan goes on', () => {
  const decision = decideFrom(START, 'refusal');
  expect(decision.tail).toBe('Question 2?');
  expect(decision.state.settled).toEqual([{ id: 'q1', outcome: 'declined' }]);
});

test('off topic is led back twice; the third time the question is left open', () => {
  expect(after('off_topic', 'off_topic').questionIndex).toBe(0);
  const decision = decideFrom(after('off_topic', 'off_topic'), 'off_topic');
  expect(decision).toMatchObject({ speaker: 'code', tail: 'Question 2?' });
  expect(decision.state.settled).toEqual([{ id: 'q1', outcome: 'unanswered' }]);
});

describe('leaving', () => {
  test('is asked about first, in words of the code', () => {
    const decision = decideFrom(START, 'leave');
    expect(decision).toMatchObject({ speaker: 'code', lead: TEXTS.confirmLeave, endsAs: null });
  });

  test('ends the interview when confirmed, and every question is settled or marked', () => {
    const decision = decideFrom(after('answered', 'leave'), 'leave');
    expect(decision.endsAs).toBe('withdrawn');
    expect(decision.state.settled).toEqual([
      { id: 'q1', outcome: 'answered' },
      { id: 'q2', outcome: 'unanswered' },
    ]);
    expect(decision.state.notAsked).toEqual([{ id: 'q3', reason: 'withdrawn' }]);
  });

  test('is not confirmed by a message that was written before the question about it', () => {
    const decision = decideFrom(after('leave'), 'leave', { isAddendum: true });
    expect(decision.endsAs).toBeNull();
  });

  test('is called off by an answer', () => {
    const decision = decideFrom(after('leave'), 'answered');
    expect(decision.state).toMatchObject({ questionIndex: 1, isLeaving: false });
  });

  test.each(['vague', 'refusal', 'off_topic'] as const)(
    'is called off by "%s", and the question is put again, not settled',
    (verdict) => {
      const decision = decideFrom(after('leave'), verdict);
      expect(decision).toMatchObject({ speaker: 'code', tail: 'Question 1?', endsAs: null });
      expect(decision.state).toMatchObject({ isLeaving: false, settled: [], pushedBack: false });
    },
  );

  test('is never taken for certain from an answer that nobody understood', () => {
    const decision = decideFrom(after('leave'), 'answered', { isUnanalysed: true });
    expect(decision.state).toMatchObject({ questionIndex: 0, settled: [] });
  });

  test('is believed at once by somebody who was asked three times before', () => {
    const wavering = after('leave', 'off_topic', 'leave', 'off_topic', 'leave', 'off_topic');
    expect(decideFrom(wavering, 'leave').endsAs).toBe('withdrawn');
  });
});

describe('the wish for a person', () => {
  test('is asked about first, in words of the code, and the question stays open', () => {
    for (const isAddendum of [false, true]) {
      const decision = decideFrom(START, 'human', { isAddendum });
      expect(decision).toMatchObject({ speaker: 'code', endsAs: null, tail: '' });
      expect(decision.lead).toBe(TEXTS.confirmHuman);
      expect(decision.state).toMatchObject({
        isCallingPerson: true,
        questionIndex: 0,
        settled: [],
      });
    }
  });

  test('hands over once it is confirmed', () => {
    const decision = decideFrom(after('human'), 'human');
    expect(decision).toMatchObject({ speaker: 'code', endsAs: 'handed_over' });
    expect(decision.state.notAsked.map(({ id }) => id)).toEqual(['q2', 'q3']);
  });

  test('is not confirmed by a message that was written before the question about it', () => {
    expect(decideFrom(after('human'), 'human', { isAddendum: true }).endsAs).toBeNull();
  });

  test('is called off by an answer', () => {
    const decision = decideFrom(after('human'), 'answered');
    expect(decision.state).toMatchObject({ questionIndex: 1, isCallingPerson: false });
  });

  test.each(['vague', 'refusal', 'off_topic'] as const)(
    'is called off by "%s", and the question is put again, not settled',
    (verdict) => {
      const decision = decideFrom(after('human'), verdict);
      expect(decision).toMatchObject({ speaker: 'code', tail: 'Question 1?', endsAs: null });
      expect(decision.state).toMatchObject({
        isCallingPerson: false,
        settled: [],
        pushedBack: false,
      });
    },
  );

  test('and the wish to leave are two questions: each needs its own yes', () => {
    expect(decideFrom(after('human'), 'leave').endsAs).toBeNull();
    expect(decideFrom(after('leave'), 'human').endsAs).toBeNull();
    expect(after('leave', 'human')).toMatchObject({ isLeaving: false, isCallingPerson: true });
    expect(after('human', 'leave')).toMatchObject({ isLeaving: true, isCallingPerson: false });
  });

  test('is believed at once of somebody who was asked three times before', () => {
    const wavering = after('human', 'off_topic', 'human', 'off_topic', 'human', 'off_topic');
    expect(decideFrom(wavering, 'human').endsAs).toBe('handed_over');
  });

  test('in an interview that was stored before it was asked about is asked about too', () => {
    const { isCallingPerson: _, personCalls: __, ...stored } = START;
    const asked = decideFrom(readState(stored), 'human');
    expect(asked.endsAs).toBeNull();
    expect(decideFrom(asked.state, 'human').endsAs).toBe('handed_over');
  });
});

test('no answer to a knock-out question ends an interview (I10)', () => {
  const plan = {
    ...PLAN,
    questions: PLAN.questions.map((q) => ({ ...q, kind: 'knockout' as const })),
  };
  for (const verdict of ['answered', 'vague', 'question', 'refusal', 'off_topic'] as const) {
    expect(decide(plan, initialState(plan), verdict, ACTIVE).endsAs).toBeNull();
  }
});

describe('an addendum', () => {
  test.each(['answered', 'vague', 'question', 'refusal', 'off_topic'] as const)(
    'with the verdict "%s" changes nothing and repeats no question',
    (verdict) => {
      const state = after('answered', 'vague');
      const decision = decideFrom(state, verdict, { isAddendum: true });
      expect(decision.state).toEqual(state);
      expect(decision).toMatchObject({ tail: TEXTS.questionStillOpen, endsAs: null });
    },
  );
});

test('an answer that the model failed on is kept as unanalysed, and the plan goes on', () => {
  const decision = decideFrom(START, 'answered', { isUnanalysed: true });
  expect(decision).toMatchObject({ speaker: 'code', lead: TEXTS.notAnalysed, tail: 'Question 2?' });
  expect(decision.state.settled).toEqual([{ id: 'q1', outcome: 'unanalysed' }]);
});

describe('without a model', () => {
  test.each<[ConversationStatus, string]>([
    ['completed', TEXTS.thanksForAddition[1] ?? ''],
    ['handed_over', TEXTS.keptForPerson],
    ['withdrawn', TEXTS.closed],
    ['declined', TEXTS.closed],
  ])('a message in a conversation that is %s gets a short word of the code', (status, words) => {
    const state = endState(PLAN, START, 'withdrawn');
    const decision = decideFrom(state, 'answered', { status });
    expect(decision).toEqual({
      verdict: null,
      speaker: 'code',
      lead: words,
      tail: '',
      state,
      endsAs: null,
    });
  });

  test('a message before consent is answered by code, whatever it says (I10)', () => {
    const decision = decideFrom(START, 'leave', { isConsented: false });
    expect(decision).toMatchObject({ lead: TEXTS.consentFirst, state: START, endsAs: null });
  });
});

test('the scripted interviewer thanks for every answer, in changing but reproducible words', () => {
  const scripted = new ScriptedInterviewer();
  const said = [0, 1, 2, 0].map(
    (ordinal) => scripted.answer({ language: 'ru', ordinal, isAddendum: false }).text,
  );
  expect(new Set(said).size).toBe(3);
  expect(said[3]).toBe(said[0]);
  expect(scripted.answer({ language: 'ru', ordinal: 0, isAddendum: false }).verdict).toBe(
    'answered',
  );
});

test('a stored state of another version is refused', () => {
  expect(readState(JSON.parse(JSON.stringify(START)))).toEqual(START);
  expect(() => readState({ v: 2 })).toThrow('cannot be read');
  expect(() => readState(null)).toThrow('cannot be read');
});

test('progress counts questions of the plan, not turns', () => {
  expect(progress(PLAN, START)).toEqual({ question: 1, of: 3 });
  expect(progress(PLAN, after('vague', 'question', 'answered'))).toEqual({ question: 2, of: 3 });
  expect(progress(PLAN, after('answered', 'answered', 'answered'))).toEqual({ question: 3, of: 3 });
});
