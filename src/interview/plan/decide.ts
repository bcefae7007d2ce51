import type { InterviewPlan, Question } from '../../vacancies';
import { answerAfterEnd, closingWith, isAnswerWanted } from './after-end';
import { isIn, textIn } from './plan-texts';
import { textsOf, wording } from '../texts/texts';
import {
  type TurnDecision,
  type Observations,
  type TurnContext,
  paragraphs,
  VERDICTS,
  type Verdict,
  decideWithoutModel,
  isInterviewerWanted,
} from './verdicts';
import {
  type InterviewState,
  NO_WISH,
  type Outcome,
  advance,
  earlierQuestion,
  endState,
  noteTouched,
  waitingQuestion,
} from './state';
import { confirmLeave, isPause, mayPause, pause, withLater, withReturn } from './pause';

/**
 * Decides what a turn changes. Pure. The verdict names the kind of answer, never its quality: no answer
 * ends an interview, only the candidate's own wish does (leave, human) or repeated abuse.
 * A candidate's question without a grounded reply goes to a person, and the model's text about it is not
 * shown.
 */
export function decide(
  plan: InterviewPlan,
  state: InterviewState,
  proposed: Verdict,
  context: TurnContext,
  noticed = NOTHING_NOTICED,
): TurnDecision {
  const question = waitingQuestion(plan, state);
  if (proposed === 'question' && noticed.isGrounded && isAnswerWanted(context)) {
    return answerAfterEnd(state, context);
  }
  if (question === undefined || !isInterviewerWanted(context)) {
    return decideWithoutModel(plan, state, context);
  }
  const turn = { plan, state, context, question, noticed };
  const decision = withReturn(withOwnQuestion(turn, decideTurn(turn, proposed)));
  return withLater(turn, inNewLanguage(turn, decision));
}

const NOTHING_NOTICED: Observations = { isGrounded: true };

function decideTurn(turn: Turn, proposed: Verdict): TurnDecision {
  const { state, context } = turn;
  // The disclosure and its notices promise these by their phrases, whatever the model takes them for.
  if (context.isObjecting === true) return noteObjection(turn);
  if (isPause(turn, proposed)) return pause(turn);
  if (proposed === 'human' || context.isForPerson === true) return callPerson(turn);
  if (proposed === 'leave') return leave(turn);
  if (proposed === 'abusive') return setBoundary(turn);
  if (proposed === 'objection') return noteObjection(turn);
  if (context.isAddendum) return addendum(turn, proposed);
  if (hasWish(state) && !isGoingOn(proposed, context)) return keepGoing(turn);
  if (isSkipped(turn, proposed)) return decideAnswer(turn, 'refusal');
  if (proposed === 'later') return countAsAnswer(turn);
  return decideAnswer(turn, proposed);
}

/** Another pause of this question that only the model has heard. */
function countAsAnswer(turn: Turn): TurnDecision {
  const { context } = turn;
  const lead = wording(textsOf(context.language).acknowledgements, context.ordinal);
  return goOn(turn, 'answered', { verdict: 'answered', speaker: 'code', lead });
}

interface Turn {
  readonly plan: InterviewPlan;
  readonly state: InterviewState;
  readonly context: TurnContext;
  readonly question: Question;
  readonly noticed: Observations;
}

/** A fixed phrase that skips the question is no answer to it, whatever the model takes it for. */
function isSkipped({ state, context }: Turn, proposed: Verdict): boolean {
  const isTakenForAnswer = ['answered', 'vague', 'follow_up', 'off_topic'].includes(proposed);
  return context.isSkipping === true && isTakenForAnswer && !hasWish(state);
}

/** An answer that also asks something which no source covers: a person is told, and so is the candidate. */
function withOwnQuestion({ context, noticed }: Turn, decision: TurnDecision): TurnDecision {
  const isCovered = noticed.isGrounded || noticed.asksToo !== true;
  if (isCovered || decision.speaker !== 'model' || decision.verdict === 'clarify') return decision;
  const { noSourceToo } = textsOf(context.language);
  const { lead, tail } = decision;
  // A follow-up question is the reply's last sentence.
  const parts = tail === '' ? [noSourceToo, lead] : [lead, noSourceToo];
  return { ...decision, speaker: 'code', lead: paragraphs(...parts), isQuestionOpen: true };
}

/** The candidate changed the language, and the plan does not have the question in it: that is said once. */
function inNewLanguage({ plan, context }: Turn, decision: TurnDecision): TurnDecision {
  const question = waitingQuestion(plan, decision.state);
  if (context.isLanguageNew !== true || question === undefined) return decision;
  const asked = textIn(question, context.language);
  if (isIn(question, context.language) || !decision.tail.endsWith(asked)) return decision;
  const before = decision.tail.slice(0, decision.tail.length - asked.length);
  const { questionsStayAsWritten } = textsOf(context.language);
  return { ...decision, tail: paragraphs(before.trim(), questionsStayAsWritten, asked) };
}

/** The last reply asked the candidate to confirm that they want to stop or to talk to a person. */
function hasWish(state: InterviewState): boolean {
  return state.isLeaving || state.isCallingPerson;
}

/** After that question, only an answer or a question of the candidate continues the interview. */
function isGoingOn(proposed: Verdict, context: TurnContext): boolean {
  if (context.isUnanalysed === true) return false;
  return ['answered', 'question', 'clarify'].includes(proposed);
}

type AnswerVerdict = Exclude<Verdict, 'leave' | 'human' | 'abusive' | 'objection' | 'later'>;

/** How many asides may interrupt one question of the plan; the next one leaves it open. */
const MAX_ASIDES = 8;
/** How many turns off topic one question allows; the next one leaves it open. */
const MAX_OFF_TOPIC = 1;

function decideAnswer(turn: Turn, proposed: AnswerVerdict): TurnDecision {
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
    case 'follow_up':
      return followUp(turn);
    case 'addition':
    case 'correction':
      return attach(turn, proposed);
    case 'refusal':
      return goOn(turn, 'declined', byModel(proposed, wording(texts.declined, context.ordinal)));
    case 'question': {
      const words = replyToQuestion(turn);
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

type Words = Pick<TurnDecision, 'verdict' | 'speaker' | 'lead' | 'isQuestionOpen'>;

/** The reply to a question of the candidate. */
function replyToQuestion({ context, noticed }: Turn): Words {
  const lead = textsOf(context.language).noSource;
  if (noticed.isGrounded) return byModel('question', lead);
  return { verdict: 'question', speaker: 'code', lead, isQuestionOpen: true };
}

/** The model speaks; `instead` stands in when it gave no words. */
function byModel(verdict: Verdict, instead: string): Words {
  return { verdict, speaker: 'model', lead: instead };
}

/** One push-back per question; after it a vague answer counts, and a second push-back is not shown. */
function vague(turn: Turn): TurnDecision {
  const { context } = turn;
  const state = touchedBy(turn);
  if (!mayPushBack(state)) {
    const lead = wording(textsOf(context.language).acknowledgements, context.ordinal);
    const words: Words = { verdict: 'answered', speaker: 'code', lead };
    return goOn(turn, state.pushedBack ? 'weak' : 'answered', words);
  }
  return {
    ...byModel('vague', wording(textsOf(context.language).pushBacks, context.ordinal)),
    tail: '',
    state: { ...state, pushedBack: true, ...NO_WISH },
    endsAs: null,
  };
}

/** A question gets either one push-back or its follow-ups, never both. */
function mayPushBack({ pushedBack, followUps }: InterviewState): boolean {
  return !pushedBack && followUps === 0;
}

/** A good answer that lacks evidence of the rubric is asked for it, as often as the question allows. */
function followUp(turn: Turn): TurnDecision {
  const { context, question } = turn;
  const state = touchedBy(turn);
  const texts = textsOf(context.language);
  if (!mayFollowUp(question, state)) {
    const lead = wording(texts.acknowledgements, context.ordinal);
    return goOn(turn, 'answered', { verdict: 'answered', speaker: 'code', lead });
  }
  return {
    ...byModel('follow_up', question.probe ?? wording(texts.pushBacks, context.ordinal)),
    tail: '',
    state: { ...state, followUps: state.followUps + 1, ...NO_WISH },
    endsAs: null,
  };
}

function mayFollowUp(question: Question, { pushedBack, followUps }: InterviewState): boolean {
  return !pushedBack && followUps < (question.followUps ?? 0);
}

/**
 * Adds to an earlier answer or corrects one. The waiting question stays; it is visible above and is not
 * repeated. Before the first answer there is nothing to add to, so that it counts as an answer.
 */
function attach(turn: Turn, verdict: 'addition' | 'correction'): TurnDecision {
  const { state, context, noticed } = turn;
  const { addendum: added, corrected, questionStillOpen, ...texts } = textsOf(context.language);
  const about = earlierQuestion(state, noticed.about);
  if (about === null) {
    const lead = wording(texts.acknowledgements, context.ordinal);
    return goOn(turn, 'answered', { verdict: 'answered', speaker: 'code', lead });
  }
  const thanks = wording(verdict === 'correction' ? corrected : added, context.ordinal);
  const words = { ...byModel(verdict, thanks), about };
  if (state.asides >= MAX_ASIDES) return { ...goOn(turn, 'unanswered', words), about };
  const next = { ...touchedBy(turn), asides: state.asides + 1, ...NO_WISH };
  return { ...words, tail: questionStillOpen, state: next, endsAs: null };
}

/** The state with the later questions that this answer touches on. */
function touchedBy({ plan, state, noticed }: Turn): InterviewState {
  return noteTouched(plan, state, noticed.touches ?? []);
}

/** The waiting question is settled; the next one, or the closing, follows. */
function goOn(turn: Turn, outcome: Outcome, words: Words): TurnDecision {
  const { plan, context } = turn;
  const next = advance(plan, touchedBy(turn), outcome);
  const question = waitingQuestion(plan, next);
  if (question === undefined) {
    return { ...words, tail: closingWith(plan, context), state: next, endsAs: 'completed' };
  }
  const asked = textIn(question, context.language);
  const isTouched = next.touched.some(({ id }) => id === question.id);
  const { touchedOn } = textsOf(context.language);
  const tail = isTouched ? paragraphs(wording(touchedOn, context.ordinal), asked) : asked;
  return { ...words, tail, state: next, endsAs: null };
}

/** How often abuse gets a warning; the next time the interview pauses. */
const MAX_ABUSES = 1;

/** The first time a sentence sets a boundary; the next time the interview pauses for a person. */
function setBoundary(turn: Turn): TurnDecision {
  const { plan, state, context, question } = turn;
  const texts = textsOf(context.language);
  const words = { verdict: 'abusive', speaker: 'code' } as const;
  const counted = { ...state, abuses: state.abuses + 1, ...NO_WISH };
  if (state.abuses >= MAX_ABUSES) {
    const ended = endState(plan, counted, 'handed_over');
    const end = { state: ended, endsAs: 'handed_over', personNeededFor: 'abuse' } as const;
    return { ...words, lead: texts.pausedForAbuse, tail: '', ...end };
  }
  const tail = textIn(question, context.language);
  return { ...words, lead: texts.boundary, tail, state: counted, endsAs: null };
}

/** A right, so it needs no confirmation. The interview goes on, and a person will read the answers. */
function noteObjection(turn: Turn): TurnDecision {
  const { state, context } = turn;
  const lead = textsOf(context.language).objectionNoted;
  const words = { verdict: 'objection', speaker: 'code', lead } as const;
  const needs = { personNeededFor: 'objection' } as const;
  if (context.isAddendum) {
    const tail = textsOf(context.language).questionStillOpen;
    return { ...words, ...needs, tail, state, endsAs: null };
  }
  if (state.asides >= MAX_ASIDES) return { ...goOn(turn, 'unanswered', words), ...needs };
  return { ...askAgain(turn, words, { asides: state.asides + 1 }), ...needs };
}

/** What the question means, in other words; it needs no source and no person. The question stays. */
function clarify(turn: Turn): TurnDecision {
  const { state, context, question } = turn;
  const words = byModel('clarify', textsOf(context.language).questionAgain);
  if (state.asides >= MAX_ASIDES) return goOn(turn, 'unanswered', words);
  const asked = { ...state, asides: state.asides + 1, ...NO_WISH };
  return { ...words, tail: textIn(question, context.language), state: asked, endsAs: null };
}

/** The same question stays and is repeated. */
function askAgain(
  { state, context, question }: Turn,
  words: Words,
  counted: Partial<Pick<InterviewState, 'asides' | 'offTopic'>>,
): TurnDecision {
  const { backToQuestion } = textsOf(context.language);
  return {
    ...words,
    tail: paragraphs(wording(backToQuestion, context.ordinal), textIn(question, context.language)),
    state: { ...state, ...counted, ...NO_WISH },
    endsAs: null,
  };
}

/**
 * Adds to an earlier answer or corrects one: neither advances nor counts. A question of the candidate gets
 * its reply; the question of the plan is visible above and is not repeated.
 */
function addendum(turn: Turn, verdict: Verdict): TurnDecision {
  const { state, context } = turn;
  const texts = textsOf(context.language);
  const { corrected, addendum: added } = texts;
  const thanks = wording(context.isCorrection === true ? corrected : added, context.ordinal);
  const words = verdict === 'question' ? replyToQuestion(turn) : byModel(verdict, thanks);
  const about = earlierQuestion(state, turn.noticed.about);
  return { ...words, tail: texts.questionStillOpen, state, endsAs: null, about };
}

/** How often an interview asks "do you want to stop?"; after that, `leave` ends it. */
const MAX_LEAVES = 3;

/**
 * Ending needs certainty, so the first wish to leave is asked about. An addendum cannot confirm:
 * it was written before the candidate saw that question.
 */
function leave({ plan, state, context }: Turn): TurnDecision {
  const texts = textsOf(context.language);
  const words = { verdict: 'leave', speaker: 'code', tail: '' } as const;
  const isCertain = state.isLeaving || state.leaves >= MAX_LEAVES;
  if (isCertain && !context.isAddendum) {
    const ended = endState(plan, state, 'withdrawn');
    return { ...words, lead: texts.withdrawn, state: ended, endsAs: 'withdrawn' };
  }
  const leaves = state.isLeaving ? state.leaves : state.leaves + 1;
  const leaving = { ...state, ...NO_WISH, isLeaving: true, leaves };
  return { ...words, lead: confirmLeave(context), state: leaving, endsAs: null };
}

/** The candidate stays, so the question is repeated. */
function keepGoing({ state, context, question }: Turn): TurnDecision {
  const texts = textsOf(context.language);
  return {
    verdict: 'off_topic',
    speaker: 'code',
    lead: context.isUnanalysed === true ? texts.notAnalysed : texts.keepGoing,
    tail: textIn(question, context.language),
    state: { ...state, ...NO_WISH },
    endsAs: null,
  };
}

/** The same for "do you want a person to take over?". */
const MAX_PERSON_CALLS = 3;

/**
 * The interview pauses for it, so the first wish for a person is asked about. An addendum cannot
 * confirm here either.
 */
function callPerson({ plan, state, context }: Turn): TurnDecision {
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

const AFTER_WISH: readonly Verdict[] = [
  'answered',
  'question',
  'clarify',
  'off_topic',
  'abusive',
  'objection',
  'leave',
  'human',
  'later',
];

/** The verdicts that are allowed in this state. */
export function allowedVerdicts(plan: InterviewPlan, state: InterviewState): readonly Verdict[] {
  const question = waitingQuestion(plan, state);
  // After the end only a question of the candidate goes to a model.
  if (question === undefined) return ['answered', 'question'];
  if (hasWish(state)) return AFTER_WISH;
  return VERDICTS.filter((verdict) => {
    if (verdict === 'vague') return mayPushBack(state);
    if (verdict === 'follow_up') return mayFollowUp(question, state);
    if (verdict === 'later') return mayPause(state);
    if (verdict === 'addition' || verdict === 'correction') return state.settled.length > 0;
    return true;
  });
}
