import { type InterviewState, initialState, resumedState } from '../../src/interview/plan/state';
import {
  type Observations,
  type TurnContext,
  type TurnDecision,
  type Verdict,
  VERDICTS,
} from '../../src/interview/plan/verdicts';
import { allowedVerdicts, decide } from '../../src/interview/plan/decide';
import { textsOf } from '../../src/interview/texts/texts';
import { planOf } from '../support/plans';

/*
 * The table at the head of verdicts.ts, row by row: what is said and which fields of the state change, in full,
 * at the second of three questions.
 */

const PLAN = planOf(3);
const ACTIVE: TurnContext = {
  language: 'en',
  status: 'active',
  isConsented: true,
  isAddendum: false,
  ordinal: 1,
};
const EN = textsOf('en');
const SECOND = decide(PLAN, initialState(PLAN), 'answered', ACTIVE).state;

type Fields = Readonly<Record<string, unknown>>;

/** The decision, with the fields of the state that it changes in place of the state. */
function decided(
  verdict: Verdict,
  {
    from = {},
    context = {},
    noticed = { isGrounded: true },
    plan = PLAN,
  }: {
    readonly from?: Partial<InterviewState>;
    readonly context?: Partial<TurnContext>;
    readonly noticed?: Observations;
    readonly plan?: typeof PLAN;
  } = {},
): Fields {
  const before = { ...SECOND, ...from };
  const { state, ...said }: TurnDecision = decide(
    plan,
    before,
    verdict,
    { ...ACTIVE, ...context },
    noticed,
  );
  const changes = Object.entries(state).filter(
    ([field, value]) => !isSame(value, before[field as keyof InterviewState]),
  );
  return { ...said, changes: Object.fromEntries(changes) };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

const SAID = { speaker: 'model', tail: '', endsAs: null } as const;
const BY_CODE = { ...SAID, speaker: 'code' } as const;
const BACK = EN.questionAbove[1] ?? '';
const THANKS = EN.acknowledgements[1] ?? '';
const NO_WISH_LEFT = { isLeaving: false, isCallingPerson: false };

/** What changes when the second question is through. */
function through(outcome: string): Fields {
  return {
    questionIndex: 2,
    openQuestion: 'q3',
    asked: ['q1', 'q2', 'q3'],
    settled: [
      { id: 'q1', outcome: 'answered' },
      { id: 'q2', outcome: outcome },
    ],
  };
}

const ON = { tail: 'Question 3?' };
const PAUSED = EN.paused({ until: null, when: null, hasAnswers: true });

const ROWS: Readonly<Record<Verdict, Fields>> = {
  answered: { ...SAID, ...ON, lead: THANKS, changes: through('answered') },
  vague: { ...SAID, lead: EN.pushBacks[1], changes: { pushedBack: true } },
  // The plan allows no follow-up.
  follow_up: {
    ...BY_CODE,
    ...ON,
    verdict: 'answered',
    lead: THANKS,
    changes: through('answered'),
  },
  question: { ...SAID, lead: EN.noSource, tail: BACK, changes: { asides: 1, unasked: 1 } },
  clarify: {
    ...SAID,
    lead: `${EN.backToQuestion[1] ?? ''}\n\nQuestion 2?`,
    changes: { asides: 1, unasked: 1 },
  },
  addition: { ...SAID, lead: EN.addendum[1], tail: BACK, about: 'q1', changes: { asides: 1 } },
  correction: { ...SAID, lead: EN.corrected[1], tail: BACK, about: 'q1', changes: { asides: 1 } },
  refusal: { ...SAID, ...ON, lead: EN.declined[1], changes: through('declined') },
  aside: { ...SAID, lead: EN.asides.other[1], changes: { smallTalk: 1 } },
  off_topic: { ...SAID, lead: EN.offTopic, tail: 'Question 2?', changes: { offTopic: 1 } },
  abusive: { ...BY_CODE, lead: EN.boundary, tail: 'Question 2?', changes: { abuses: 1 } },
  objection: {
    ...BY_CODE,
    lead: EN.objectionNoted,
    personNeededFor: 'objection',
    changes: { asides: 1 },
  },
  leave: {
    ...BY_CODE,
    lead: EN.confirmLeave({ hasAnswers: true }),
    changes: { isLeaving: true, leaves: 1 },
  },
  human: {
    ...BY_CODE,
    lead: EN.confirmHuman,
    changes: { isCallingPerson: true, personCalls: 1 },
  },
  later: { ...BY_CODE, lead: PAUSED, changes: { pauses: 1 } },
};

test.each(VERDICTS)('an answer that is %s', (verdict) => {
  expect(decided(verdict)).toEqual({ verdict, ...ROWS[verdict] });
});

describe.each([
  ['stop', { isLeaving: true, leaves: 1 }, 'leave'],
  ['talk to a person', { isCallingPerson: true, personCalls: 1 }, 'human'],
] as const)('after "do you want to %s?"', (_, wish, confirming) => {
  const others = VERDICTS.filter((verdict) => verdict !== confirming && verdict !== 'aside');
  const flag = confirming === 'leave' ? { isLeaving: false } : { isCallingPerson: false };

  test.each(others)('%s takes the wish back', (verdict) => {
    const { changes, ...said } = decided(verdict, { from: wish });
    expect(changes).toMatchObject(flag);
    const isLedBack = ['vague', 'refusal', 'off_topic'].includes(verdict);
    const row: Fields = isLedBack
      ? { ...BY_CODE, verdict: 'off_topic', lead: EN.keepGoing, tail: 'Question 2?', changes: {} }
      : { verdict, ...ROWS[verdict] };
    expect({ ...said, changes }).toEqual({
      ...row,
      changes: { ...(row['changes'] as Fields), ...flag },
    });
  });

  test('an aside leaves it as it is, and after many the question is asked again', () => {
    expect(decided('aside', { from: wish })).toEqual({ verdict: 'aside', ...ROWS.aside });
    expect(decided('aside', { from: { ...wish, smallTalk: 6 } })).toEqual({
      ...BY_CODE,
      verdict: 'off_topic',
      lead: EN.keepGoing,
      tail: 'Question 2?',
      changes: flag,
    });
  });

  test('an answer that no model could read keeps the question', () => {
    expect(decided('answered', { from: wish, context: { isUnanalysed: true } })).toEqual({
      ...BY_CODE,
      verdict: 'off_topic',
      lead: EN.notAnalysed,
      tail: 'Question 2?',
      changes: flag,
    });
  });

  test('a wish to skip only takes it back', () => {
    const skipped = decided('off_topic', { from: wish, context: { isSkipping: true } });
    expect(skipped).toMatchObject({ lead: EN.keepGoing, changes: flag });
  });
});

test('a wish that is confirmed ends the interview', () => {
  const ended = {
    settled: [
      { id: 'q1', outcome: 'answered' },
      { id: 'q2', outcome: 'unanswered' },
    ],
  };
  expect(decided('leave', { from: { isLeaving: true } })).toEqual({
    ...BY_CODE,
    verdict: 'leave',
    lead: EN.withdrawn({ hasAnswers: true }),
    endsAs: 'withdrawn',
    changes: { ...ended, isLeaving: false, notAsked: [{ id: 'q3', reason: 'withdrawn' }] },
  });
  expect(decided('human', { from: { isCallingPerson: true } })).toEqual({
    ...BY_CODE,
    verdict: 'human',
    lead: EN.handedOver,
    endsAs: 'handed_over',
    changes: { ...ended, isCallingPerson: false, notAsked: [{ id: 'q3', reason: 'handed_over' }] },
  });
  expect(decided('abusive', { from: { abuses: 1 } })).toEqual({
    ...BY_CODE,
    verdict: 'abusive',
    lead: EN.pausedForAbuse({ hasAnswers: true }),
    endsAs: 'handed_over',
    personNeededFor: 'abuse',
    changes: { ...ended, abuses: 2, notAsked: [{ id: 'q3', reason: 'handed_over' }] },
  });
});

test('an interview that a person returns asks what it had left', () => {
  for (const reason of ['handed_over', 'expired', 'withdrawn', 'declined'] as const) {
    const state: InterviewState = {
      ...SECOND,
      settled: [...SECOND.settled, { id: 'q2', outcome: 'unanswered' }],
      notAsked: [{ id: 'q3', reason }],
    };
    const isUndone = reason === 'handed_over' || reason === 'expired';
    expect(resumedState(PLAN, state)).toEqual({
      ...SECOND,
      notAsked: isUndone ? [] : [{ id: 'q3', reason }],
    });
  }
});

describe('an addendum', () => {
  const context = { isAddendum: true };
  const kept = { ...SAID, lead: EN.addendum[1], tail: BACK, about: 'q1', changes: {} };
  const rows: Readonly<Record<Verdict, Fields>> = {
    ...ROWS,
    answered: kept,
    vague: kept,
    follow_up: kept,
    clarify: kept,
    addition: kept,
    correction: kept,
    refusal: kept,
    off_topic: kept,
    question: { ...kept, lead: EN.noSource },
    aside: { ...ROWS.aside, changes: {} },
    objection: { ...ROWS.objection, changes: {} },
  };

  test.each(VERDICTS.filter((verdict) => verdict !== 'later'))('that is %s', (verdict) => {
    expect(decided(verdict, { context })).toEqual({ verdict, ...rows[verdict] });
  });

  test('made of corrections is thanked for as one', () => {
    const corrected = decided('answered', { context: { ...context, isCorrection: true } });
    expect(corrected).toEqual({ verdict: 'answered', ...kept, lead: EN.corrected[1] });
  });

  test('that was left open gets its answer from an addition or a correction, and from nothing else', () => {
    const from: Partial<InterviewState> = { settled: [{ id: 'q1', outcome: 'unanswered' }] };
    const answered = { settled: [{ id: 'q1', outcome: 'answered' }] };
    const changesOf = (verdict: Verdict): unknown => decided(verdict, { from, context })['changes'];
    expect(changesOf('addition')).toEqual(answered);
    expect(changesOf('correction')).toEqual(answered);
    expect(changesOf('answered')).toEqual({});
  });

  test.each([
    ['leave', { isLeaving: true, leaves: 3 }],
    ['human', { isCallingPerson: true, personCalls: 3 }],
  ] as const)('confirms no %s', (verdict, from) => {
    const { endsAs, changes } = decided(verdict, { from, context });
    expect({ endsAs, changes }).toEqual({ endsAs: null, changes: {} });
  });

  test('skips nothing, and its yes is none', () => {
    const skipping = decided('answered', { context: { ...context, isSkipping: true } });
    expect(skipping).toEqual({ verdict: 'answered', ...kept });
    const yes = decided('answered', {
      from: { isLeaving: true },
      context: { ...context, wish: 'yes' },
    });
    expect(yes).toEqual({ verdict: 'answered', ...kept });
  });
});

describe('a question lasts', () => {
  const moved = (outcome: string): object => ({
    tail: 'Question 3?',
    changes: expect.objectContaining(through(outcome)) as object,
  });
  const movingOn = EN.movingOn[1];

  test.each<[Verdict, Partial<InterviewState>, object]>([
    ['question', { asides: 8 }, { verdict: 'question', lead: EN.noSource }],
    ['clarify', { asides: 8 }, { verdict: 'clarify', speaker: 'code', lead: movingOn }],
    ['addition', { asides: 8 }, { verdict: 'addition', about: 'q1', lead: EN.addendum[1] }],
    ['correction', { asides: 8 }, { verdict: 'correction', about: 'q1', lead: EN.corrected[1] }],
    ['objection', { asides: 8 }, { verdict: 'objection', personNeededFor: 'objection' }],
    ['off_topic', { offTopic: 1 }, { verdict: 'off_topic', speaker: 'code', lead: movingOn }],
  ])('for so many turns that are %s, and is left open after %j', (verdict, from, words) => {
    expect(decided(verdict, { from })).toMatchObject({ ...words, ...moved('unanswered') });
    const fewer = Object.fromEntries(
      Object.entries(from).map(([name, n]) => [name, Number(n) - 1]),
    );
    expect(decided(verdict, { from: fewer })).toMatchObject({ changes: from });
  });

  test.each<[Verdict, Partial<InterviewState>, string]>([
    ['question', { unasked: 2 }, 'answered'],
    ['clarify', { unasked: 2 }, 'answered'],
    ['aside', { smallTalk: 6 }, 'answered'],
    ['later', { pauses: 3 }, 'answered'],
    ['vague', { pushedBack: true }, 'weak'],
    ['vague', { followUps: 1 }, 'answered'],
  ])('for so many turns that are %s, and counts as answered after %j', (verdict, from, outcome) => {
    const counted = { verdict: 'answered', speaker: 'code', lead: THANKS, ...moved(outcome) };
    expect(decided(verdict, { from })).toMatchObject(counted);
  });

  test.each<[Verdict, Partial<InterviewState>]>([
    ['question', { unasked: 1 }],
    ['clarify', { unasked: 1 }],
    ['aside', { smallTalk: 5 }],
    ['later', { pauses: 2 }],
  ])('and at %s after %j it still waits', (verdict, from) => {
    const [[field, count] = ['', 0]] = Object.entries(from);
    expect(decided(verdict, { from })).toMatchObject({
      verdict,
      changes: { [field]: Number(count) + 1 },
    });
  });

  test('longer for who may ask something', () => {
    for (const context of [{ mayAsk: true }, { isAsking: true }]) {
      for (const verdict of ['question', 'clarify'] as const) {
        expect(decided(verdict, { from: { unasked: 2 }, context })).toMatchObject({
          verdict,
          changes: { asides: 1 },
        });
      }
    }
  });

  test.each([
    ['leave', { leaves: 2 }, null],
    ['leave', { leaves: 3 }, 'withdrawn'],
    ['human', { personCalls: 2 }, null],
    ['human', { personCalls: 3 }, 'handed_over'],
  ] as const)('and a wish is asked about three times: %s after %j', (verdict, from, endsAs) => {
    expect(decided(verdict, { from })['endsAs']).toBe(endsAs);
  });
});

describe('in a language that the candidate has just changed to', () => {
  const RU = textsOf('ru');
  const context = { language: 'ru', isLanguageNew: true } as const;
  const translated = {
    ...PLAN,
    questions: PLAN.questions.map((one, n) => ({
      ...one,
      translations: { ru: `Вопрос ${String(n + 1)}?` },
    })),
  };
  const waits = ['question', 'addition', 'correction', 'aside', 'objection', 'off_topic'] as const;

  test.each(waits)('the question that waits is said again: %s', (verdict) => {
    const stays = `${RU.questionsStayAsWritten}\n\nQuestion 2?`;
    expect(decided(verdict, { context })).toMatchObject({ tail: stays });
    expect(decided(verdict, { context, plan: translated })).toMatchObject({ tail: 'Вопрос 2?' });
  });

  test('a clarification is the question in that language, or that there is none', () => {
    expect(decided('clarify', { context, plan: translated })).toMatchObject({
      lead: RU.backToQuestion[1],
      tail: 'Вопрос 2?',
    });
    expect(decided('clarify', { context })).toMatchObject({
      lead: '',
      tail: `${RU.questionsStayAsWritten}\n\nQuestion 2?`,
    });
  });

  test('the next question is said in it', () => {
    const stays = `${RU.questionsStayAsWritten}\n\nQuestion 3?`;
    expect(decided('answered', { context })).toMatchObject({ tail: stays });
    expect(decided('answered', { context, plan: translated })).toMatchObject({ tail: 'Вопрос 3?' });
  });

  test('the closing says nothing of it', () => {
    const last: Partial<InterviewState> = {
      questionIndex: 2,
      openQuestion: 'q3',
      settled: [...SECOND.settled, { id: 'q2', outcome: 'answered' }],
    };
    expect(decided('answered', { context, from: last })).toMatchObject({
      tail: 'Closing.',
      endsAs: 'completed',
    });
  });

  test('which was changed to earlier, nothing is said of it', () => {
    const earlier = { language: 'ru' } as const;
    expect(decided('answered', { context: earlier })).toMatchObject({ tail: 'Question 3?' });
    expect(decided('question', { context: earlier })).toMatchObject({ tail: RU.questionAbove[1] });
    expect(decided('aside', { context: earlier })).toMatchObject({ tail: '' });
    expect(decided('objection', { context: earlier })).toMatchObject({ tail: '' });
  });
});

test('how many answers were in the other language is kept with the state', () => {
  expect(decided('vague', { context: { inOtherLanguage: 1 } })['changes']).toEqual({
    pushedBack: true,
    inOtherLanguage: 1,
  });
  expect(decided('vague', { from: { inOtherLanguage: 1 } })['changes']).toEqual({
    pushedBack: true,
  });
});

describe('beside what an answer is', () => {
  const asking: Observations = { isGrounded: false, asksToo: true };
  const sourced: Observations = { isGrounded: true, asksToo: true };

  test.each(['answered', 'refusal', 'addition', 'aside', 'off_topic'] as const)(
    'a question without a source is passed on behind the words: %s',
    (verdict) => {
      const { lead } = ROWS[verdict] as { readonly lead: string };
      expect(decided(verdict, { noticed: asking })).toMatchObject({
        speaker: 'code',
        lead: `${lead}\n\n${EN.noSourceToo}`,
        isQuestionOpen: true,
      });
    },
  );

  test('it is passed on before what a push-back asks', () => {
    expect(decided('vague', { noticed: asking })).toMatchObject({
      lead: `${EN.noSourceToo}\n\n${EN.pushBacks[1] ?? ''}`,
    });
    const plan = {
      ...PLAN,
      questions: PLAN.questions.map((one) => ({ ...one, followUps: 1, probe: 'How much?' })),
    };
    expect(decided('follow_up', { noticed: asking, plan })).toMatchObject({
      lead: `${EN.noSourceToo}\n\nHow much?`,
    });
  });

  test.each(['answered', 'vague', 'clarify', 'leave', 'abusive'] as const)(
    'what has a source, or asks what the question means, or is no answer, stays as it is: %s',
    (verdict) => {
      const noticed = verdict === 'answered' || verdict === 'vague' ? sourced : asking;
      expect(decided(verdict, { noticed })).toEqual({ verdict, ...ROWS[verdict] });
    },
  );

  test('a question beside an answer that counts in the words of code is passed on where it may be one', () => {
    const again = { from: { pushedBack: true }, noticed: sourced };
    expect(decided('vague', { ...again, context: { mayAsk: true } })).toMatchObject({
      lead: `${THANKS}\n\n${EN.noSourceToo}`,
      isQuestionOpen: true,
    });
    expect(decided('vague', again)).toMatchObject({ lead: THANKS });
    const pauses = { from: { pauses: 3 }, noticed: sourced, context: { mayAsk: true } };
    expect(decided('later', pauses)).toMatchObject({ verdict: 'answered', lead: THANKS });
  });

  test('a wish for an adjustment goes to a person, and code says so', () => {
    const noticed: Observations = { isGrounded: true, needsAdjustment: true };
    expect(decided('answered', { noticed })).toEqual({
      verdict: 'answered',
      ...ROWS.answered,
      tail: `${EN.adjustmentNoted}\n\nQuestion 3?`,
      personNeededFor: 'adjustment',
    });
    // Nobody is pushed back to the question.
    expect(decided('question', { noticed })).toMatchObject({ tail: EN.adjustmentNoted });
    expect(
      decided('question', { noticed, context: { language: 'ru', isLanguageNew: true } })['tail'],
    ).toContain('Question 2?');
    expect(decided('question', { noticed: { ...noticed, isGrounded: false } })).toEqual({
      ...BY_CODE,
      verdict: 'question',
      lead: '',
      tail: EN.adjustmentNoted,
      personNeededFor: 'adjustment',
      changes: { asides: 1, unasked: 1 },
    });
    expect(decided('answered', { noticed: { ...asking, needsAdjustment: true } })).toMatchObject({
      isQuestionOpen: true,
      personNeededFor: 'adjustment',
    });
    expect(decided('objection', { noticed })).toEqual({ verdict: 'objection', ...ROWS.objection });
  });

  test('an objection holds whatever the answer is, and is said once', () => {
    const context = { isObjectionToo: true };
    expect(decided('answered', { context })).toEqual({
      verdict: 'answered',
      ...ROWS.answered,
      tail: `${EN.objectionNoted}\n\nQuestion 3?`,
      hasObjected: true,
    });
    expect(decided('objection', { context })).toEqual({ verdict: 'objection', ...ROWS.objection });
  });
});

describe('a fixed phrase', () => {
  test.each([
    ['objection', 'objection'],
    ['person', 'human'],
    ['stop', 'leave'],
  ] as const)('is what it says, whatever the model says: %s', (wish, verdict) => {
    expect(decided('answered', { context: { wish } })).toEqual({ verdict, ...ROWS[verdict] });
  });

  test.each(['yes', 'no', 'skip'] as const)('means nothing where nothing was asked: %s', (wish) => {
    expect(decided('answered', { context: { wish } })).toEqual({
      verdict: 'answered',
      ...ROWS.answered,
    });
  });

  test.each(['answered', 'vague', 'follow_up', 'off_topic', 'aside'] as const)(
    'that skips the question does, where the model says %s, in the words of code',
    (verdict) => {
      expect(decided(verdict, { context: { isSkipping: true } })).toEqual({
        verdict: 'refusal',
        ...ROWS.refusal,
        speaker: 'code',
      });
    },
  );

  test.each(['question', 'clarify', 'leave', 'refusal'] as const)(
    'that seems to skip it is what the model says: %s',
    (verdict) => {
      expect(decided(verdict, { context: { isSkipping: true } })).toEqual({
        verdict,
        ...ROWS[verdict],
      });
    },
  );

  test('that greets for the seventh time leaves the question open', () => {
    const context = { aside: 'greeting' } as const;
    expect(decided('answered', { context, from: { smallTalk: 6 } })).toMatchObject({
      verdict: 'aside',
      speaker: 'code',
      lead: EN.movingOn[1],
      changes: through('unanswered'),
    });
  });
});

describe('the verdicts that a model is offered', () => {
  const offered = (from: Partial<InterviewState>, plan = PLAN): readonly Verdict[] =>
    allowedVerdicts(plan, { ...SECOND, ...from });
  const without = (...missing: readonly Verdict[]): Verdict[] =>
    VERDICTS.filter((verdict) => !missing.includes(verdict));
  const plan = { ...PLAN, questions: PLAN.questions.map((one) => ({ ...one, followUps: 2 })) };

  test.each<[string, Partial<InterviewState>, readonly Verdict[]]>([
    ['at a fresh question', {}, without()],
    ['before the first answer', { settled: [] }, without('addition', 'correction')],
    ['after a push-back', { pushedBack: true }, without('vague')],
    ['after a follow-up', { followUps: 1 }, without('vague')],
    ['after two follow-ups', { followUps: 2 }, without('vague', 'follow_up')],
    [
      'after a push-back and a follow-up',
      { pushedBack: true, followUps: 1 },
      without('vague', 'follow_up'),
    ],
    ['after three pauses', { pauses: 3 }, without('later')],
    ['while leaving', { isLeaving: true }, without('vague', 'refusal')],
    ['while calling a person', { isCallingPerson: true }, without('vague', 'refusal')],
    ['after the end', { questionIndex: 3, openQuestion: null }, ['answered', 'question']],
  ])('%s', (_, from, verdicts) => {
    expect(offered(from, plan)).toEqual(verdicts);
  });

  test('have no follow-up where the plan allows none', () => {
    expect(offered({})).toEqual(without('follow_up'));
  });
});

test('where nothing was answered, a correction is asked about and an addition counts', () => {
  const first = initialState(PLAN);
  const say = (verdict: Verdict, state = first) => decide(PLAN, state, verdict, ACTIVE);
  expect(say('correction')).toMatchObject({ verdict: 'vague', speaker: 'code', tail: '' });
  expect(say('correction', { ...first, pushedBack: true })).toMatchObject({ verdict: 'answered' });
  expect(say('addition')).toMatchObject({ verdict: 'answered', speaker: 'code' });
});

test('a wish is forgotten by everything that a question may end with', () => {
  const wish = { isLeaving: true, isCallingPerson: true };
  expect(decided('answered', { from: wish })).toMatchObject({ changes: NO_WISH_LEFT });
});
