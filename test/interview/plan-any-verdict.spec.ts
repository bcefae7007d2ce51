/**
 * The schema of a reply lists all verdicts, in every state of the interview. This is what code makes of each
 * where it does not fit.
 */
import { type TurnContext, VERDICTS, type Verdict } from '../../src/interview/plan/verdicts';
import { type InterviewState, initialState } from '../../src/interview/plan/state';
import { allowedVerdicts, decide } from '../../src/interview/plan/decide';
import { planOf } from '../support/plans';

const PLAN = {
  ...planOf(3),
  questions: planOf(3).questions.map((question) => ({ ...question, followUps: 1 })),
};
const ACTIVE: TurnContext = {
  language: 'en',
  status: 'active',
  isConsented: true,
  isAddendum: false,
  ordinal: 1,
};
const START = initialState(PLAN);

function stateAfter(...verdicts: readonly Verdict[]): InterviewState {
  return verdicts.reduce((state, verdict) => decide(PLAN, state, verdict, ACTIVE).state, START);
}

const STATES = {
  fresh: START,
  later: stateAfter('answered'),
  pushed: stateAfter('vague'),
  followed: stateAfter('follow_up'),
  'pushed, followed': stateAfter('vague', 'follow_up'),
  leaving: stateAfter('answered', 'leave'),
  calling: stateAfter('human'),
  'off topic': stateAfter('off_topic'),
  unasked: stateAfter('clarify', 'question'),
  'once more': stateAfter('off_topic', 'off_topic', 'answered', 'answered'),
} as const;

/** The accepted verdict, `m` if the model's words are shown, and the change: outcome, end or `stays`. */
function outcomeOf(state: InterviewState, proposed: Verdict): string {
  const { verdict, speaker, endsAs, state: next } = decide(PLAN, state, proposed, ACTIVE);
  const before = new Map(state.settled.map(({ id, outcome }) => [id, outcome]));
  const [settled] = next.settled.filter(({ id, outcome }) => before.get(id) !== outcome);
  const change = endsAs === null || endsAs === 'completed' ? settled?.outcome : endsAs;
  return `${verdict ?? ''}${speaker === 'model' ? ' m' : ''}, ${change ?? 'stays'}`;
}

const USUAL: Readonly<Record<Verdict, string>> = {
  answered: 'answered m, answered',
  vague: 'vague m, stays',
  follow_up: 'follow_up m, stays',
  question: 'question m, stays',
  clarify: 'clarify m, stays',
  addition: 'addition m, stays',
  correction: 'correction m, stays',
  refusal: 'refusal m, declined',
  aside: 'aside m, stays',
  later: 'later, stays',
  off_topic: 'off_topic m, stays',
  abusive: 'abusive, stays',
  objection: 'objection, stays',
  leave: 'leave, stays',
  human: 'human, stays',
};

/** Where a state differs from the usual. */
const SPECIAL: Readonly<Record<keyof typeof STATES, Partial<Record<Verdict, string>>>> = {
  fresh: { addition: 'answered, answered', correction: 'vague, stays' },
  later: {},
  pushed: {
    vague: 'answered, weak',
    addition: 'answered, answered',
    correction: 'answered, answered',
  },
  followed: {
    vague: 'answered, answered',
    follow_up: 'answered, answered',
    addition: 'answered, answered',
    correction: 'answered, answered',
  },
  'pushed, followed': {
    vague: 'answered, weak',
    follow_up: 'answered, answered',
    addition: 'answered, answered',
    correction: 'answered, answered',
  },
  leaving: {
    vague: 'off_topic, stays',
    refusal: 'off_topic, stays',
    off_topic: 'off_topic, stays',
    leave: 'leave, withdrawn',
  },
  calling: {
    vague: 'off_topic, stays',
    refusal: 'off_topic, stays',
    off_topic: 'off_topic, stays',
    addition: 'answered, answered',
    correction: 'vague, stays',
    human: 'human, handed_over',
  },
  'off topic': {
    off_topic: 'off_topic, unanswered',
    addition: 'answered, answered',
    correction: 'vague, stays',
  },
  unasked: {
    question: 'answered, answered',
    clarify: 'answered, answered',
    addition: 'answered, answered',
    correction: 'vague, stays',
  },
  'once more': {},
};

describe.each(Object.entries(STATES))('in the state "%s"', (name, state) => {
  test.each(VERDICTS)('the verdict %s', (verdict) => {
    const special = SPECIAL[name as keyof typeof STATES];
    expect(outcomeOf(state, verdict)).toBe(special[verdict] ?? USUAL[verdict]);
  });

  test('a verdict that is not allowed never shows the words of the model', () => {
    const others = VERDICTS.filter((verdict) => !allowedVerdicts(PLAN, state).includes(verdict));
    for (const verdict of others) expect(outcomeOf(state, verdict)).not.toContain(' m,');
  });
});

test.each(VERDICTS)('%s in an addendum settles nothing and has a reply', (verdict) => {
  for (const state of Object.values(STATES)) {
    const addendum = { ...ACTIVE, isAddendum: true };
    const { state: next, endsAs, lead, tail } = decide(PLAN, state, verdict, addendum);
    expect(endsAs).toBe(verdict === 'abusive' && state.abuses > 0 ? 'handed_over' : null);
    expect(next.questionIndex).toBe(state.questionIndex);
    expect(next.settled).toEqual(state.settled);
    expect(lead + tail).not.toBe('');
  }
});
