import type { InterviewPlan, Question } from '../../vacancies';
import { textsOf, wording } from '../texts/texts';
import {
  type Decision,
  type TurnContext,
  paragraphs,
  VERDICTS,
  type Verdict,
  decideWithoutModel,
  isInterviewerWanted,
} from './decision';
import {
  type InterviewState,
  NO_WISH,
  type Outcome,
  advance,
  endState,
  waitingQuestion,
} from './state';

/** How many questions of the candidate may interrupt one question of the plan; then it is left open. */
const MAX_ASIDES = 8;
/** How many turns off topic one question allows; the next one leaves it open. */
const MAX_OFF_TOPIC = 2;
/** How often an interview asks "do you want to stop?"; after that, `leave` ends it. */
const MAX_LEAVES = 3;
/** The same for "do you want a person to take over?". */
const MAX_PERSON_CALLS = 3;

/** The verdicts that are allowed in this state. */
export function allowedVerdicts(plan: InterviewPlan, state: InterviewState): readonly Verdict[] {
  if (waitingQuestion(plan, state) === undefined) return ['answered'];
  if (hasWish(state)) return ['answered', 'question', 'clarify', 'off_topic', 'leave', 'human'];
  return VERDICTS.filter((verdict) => verdict !== 'vague' || !state.pushedBack);
}

interface Turn {
  readonly plan: InterviewPlan;
  readonly state: InterviewState;
  readonly context: TurnContext;
  readonly question: Question;
  readonly isGrounded: boolean;
}

/**
 * Decides what a turn changes. Pure. The verdict names the kind of answer, never its quality: no answer
 * ends an interview, only the candidate's own wish does (leave, human).
 * `isGrounded`: the reply names the source that it rests on. A candidate's question without a grounded
 * reply goes to a person, and the model's text about it is not shown.
 */
export function decide(
  plan: InterviewPlan,
  state: InterviewState,
  proposed: Verdict,
  context: TurnContext,
  isGrounded = true,
): Decision {
  const question = waitingQuestion(plan, state);
  if (question === undefined || !isInterviewerWanted(context)) {
    return decideWithoutModel(state, context);
  }
  const turn = { plan, state, context, question, isGrounded };
  if (proposed === 'human') return callPerson(turn);
  if (proposed === 'leave') return leave(turn);
  if (context.isAddendum) return addendum(turn, proposed);
  if (hasWish(state) && !isGoingOn(proposed, context)) return keepGoing(turn);
  return decideAnswer(turn, proposed);
}

/** The last reply asked whether the candidate really wants something other than to go on. */
function hasWish(state: InterviewState): boolean {
  return state.isLeaving || state.isCallingPerson;
}

/** After that question, only an answer or a question of the candidate continues the interview. */
function isGoingOn(proposed: Verdict, context: TurnContext): boolean {
  if (context.isUnanalysed === true) return false;
  return ['answered', 'question', 'clarify'].includes(proposed);
}

function decideAnswer(turn: Turn, proposed: Exclude<Verdict, 'leave' | 'human'>): Decision {
  const { state, context } = turn;
  const texts = textsOf(context.language);
  switch (proposed) {
    case 'answered':
      return context.isUnanalysed === true
        ? goOn(turn, 'unanalysed', { verdict: proposed, speaker: 'code', lead: texts.notAnalysed })
        : goOn(
            turn,
            'answered',
            byModel(proposed, wording(texts.acknowledgements, context.ordinal)),
          );
    case 'vague':
      return vague(turn);
    case 'refusal':
      return goOn(turn, 'declined', byModel(proposed, wording(texts.declined, context.ordinal)));
    case 'question': {
      const words = answerOf(turn);
      if (state.asides >= MAX_ASIDES) return goOn(turn, 'unanswered', words);
      return askAgain(turn, words, { asides: state.asides + 1 });
    }
    case 'clarify':
      return clarify(turn);
    case 'off_topic':
      if (state.offTopic >= MAX_OFF_TOPIC) {
        const lead = wording(texts.movingOn, context.ordinal);
        return goOn(turn, 'unanswered', { verdict: proposed, speaker: 'code', lead });
      }
      return askAgain(turn, byModel(proposed, texts.offTopic), { offTopic: state.offTopic + 1 });
  }
}

type Words = Pick<Decision, 'verdict' | 'speaker' | 'lead' | 'isQuestionOpen'>;

/** To a question of the candidate. */
function answerOf({ context, isGrounded }: Turn): Words {
  const lead = textsOf(context.language).cannotAnswer;
  if (isGrounded) return byModel('question', lead);
  return { verdict: 'question', speaker: 'code', lead, isQuestionOpen: true };
}

/** The model speaks; `instead` stands in when it gave no words. */
function byModel(verdict: Verdict, instead: string): Words {
  return { verdict, speaker: 'model', lead: instead };
}

/** One push-back per question; after it a vague answer counts, and a second push-back is not shown. */
function vague(turn: Turn): Decision {
  const { state, context } = turn;
  const texts = textsOf(context.language);
  if (state.pushedBack) {
    const lead = wording(texts.acknowledgements, context.ordinal);
    const words: Words = { verdict: 'answered', speaker: 'code', lead };
    return goOn(turn, 'weak', words);
  }
  return {
    ...byModel('vague', wording(texts.pushBacks, context.ordinal)),
    tail: '',
    state: { ...state, pushedBack: true, ...NO_WISH },
    endsAs: null,
  };
}

/** The waiting question is settled; the next one, or the closing, follows. */
function goOn({ plan, state }: Turn, outcome: Outcome, words: Words): Decision {
  const next = advance(plan, state, outcome);
  const question = waitingQuestion(plan, next);
  if (question === undefined) {
    return { ...words, tail: plan.closing, state: next, endsAs: 'completed' };
  }
  return { ...words, tail: question.text, state: next, endsAs: null };
}

/** What the question means, in other words; it needs no source and no person. The question stays. */
function clarify(turn: Turn): Decision {
  const { state, context, question } = turn;
  const words = byModel('clarify', textsOf(context.language).questionAgain);
  if (state.asides >= MAX_ASIDES) return goOn(turn, 'unanswered', words);
  const asked = { ...state, asides: state.asides + 1, ...NO_WISH };
  return { ...words, tail: question.text, state: asked, endsAs: null };
}

/** The same question stays and is repeated. */
function askAgain(
  { state, context, question }: Turn,
  words: Words,
  counted: Partial<Pick<InterviewState, 'asides' | 'offTopic'>>,
): Decision {
  const { backToQuestion } = textsOf(context.language);
  return {
    ...words,
    tail: paragraphs(wording(backToQuestion, context.ordinal), question.text),
    state: { ...state, ...counted, ...NO_WISH },
    endsAs: null,
  };
}

/**
 * Adds to an earlier answer or corrects one: neither advances nor counts. A question of the candidate is
 * answered; the question of the plan is visible above and is not repeated.
 */
function addendum(turn: Turn, verdict: Verdict): Decision {
  const { state, context } = turn;
  const texts = textsOf(context.language);
  const { corrected, addendum: added } = texts;
  const thanks = wording(context.isCorrection === true ? corrected : added, context.ordinal);
  const words = verdict === 'question' ? answerOf(turn) : byModel(verdict, thanks);
  return { ...words, tail: texts.questionStillOpen, state, endsAs: null };
}

/**
 * Ending needs certainty, so the first wish to leave is asked about. An addendum cannot confirm:
 * it was written before the candidate saw that question.
 */
function leave({ plan, state, context }: Turn): Decision {
  const texts = textsOf(context.language);
  const words = { verdict: 'leave', speaker: 'code', tail: '' } as const;
  const isCertain = state.isLeaving || state.leaves >= MAX_LEAVES;
  if (isCertain && !context.isAddendum) {
    const ended = endState(plan, state, 'withdrawn');
    return { ...words, lead: texts.withdrawn, state: ended, endsAs: 'withdrawn' };
  }
  const leaves = state.isLeaving ? state.leaves : state.leaves + 1;
  const leaving = { ...state, ...NO_WISH, isLeaving: true, leaves };
  return { ...words, lead: texts.confirmLeave, state: leaving, endsAs: null };
}

/** The candidate stays, so the question is repeated. */
function keepGoing({ state, context, question }: Turn): Decision {
  const texts = textsOf(context.language);
  return {
    verdict: 'off_topic',
    speaker: 'code',
    lead: context.isUnanalysed === true ? texts.notAnalysed : texts.keepGoing,
    tail: question.text,
    state: { ...state, ...NO_WISH },
    endsAs: null,
  };
}

/**
 * The interview pauses for it, so the first wish for a person is asked about. An addendum cannot
 * confirm here either.
 */
function callPerson({ plan, state, context }: Turn): Decision {
  const texts = textsOf(context.language);
  const words = { verdict: 'human', speaker: 'code', tail: '' } as const;
  const isCertain = state.isCallingPerson || state.personCalls >= MAX_PERSON_CALLS;
  if (isCertain && !context.isAddendum) {
    const ended = endState(plan, state, 'handed_over');
    return { ...words, lead: texts.handedOver, state: ended, endsAs: 'handed_over' };
  }
  const personCalls = state.personCalls + (state.isCallingPerson ? 0 : 1);
  const calling = { ...state, ...NO_WISH, isCallingPerson: true, personCalls };
  return { ...words, lead: texts.confirmHuman, state: calling, endsAs: null };
}
