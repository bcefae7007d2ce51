import type { InterviewPlan, Question } from '../../vacancies';
import { answerAfterEnd, closingWith, isAnswerWanted, withLateQuestion } from './after-end';
import { askingMoreIn, isIn, textIn } from './plan-texts';
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
  answeredLater,
  earlierQuestion,
  endState,
  hasAnswers,
  isReturned,
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
  if (isAnswerWanted(context)) {
    const decided = decideAfterEnd(plan, state, proposed, context, noticed);
    const late = withObjection(context, decided);
    if (noticed.needsAdjustment !== true) return late;
    return { ...late, isQuestionOpen: false, personNeededFor: 'adjustment' };
  }
  if (question === undefined || !isInterviewerWanted(context)) {
    return decideWithoutModel(plan, state, context);
  }
  const turn = { plan, state, context, question, noticed, proposed };
  const decided = withAdjustment(turn, withOwnQuestion(turn, decideTurn(turn)));
  const decision = inNewLanguage(turn, withReturn(turn, decided));
  const worded = withObjection(context, withLater(turn, decision));
  const { inOtherLanguage = state.inOtherLanguage } = context;
  return { ...worded, state: { ...worded.state, inOtherLanguage } };
}

/** A model has read what seems to ask something. */
function decideAfterEnd(
  plan: InterviewPlan,
  state: InterviewState,
  proposed: Verdict,
  context: TurnContext,
  { isGrounded, asksToo, fact }: Observations,
): TurnDecision {
  if (proposed !== 'question') {
    const decision = decideWithoutModel(plan, state, context);
    return asksToo === true ? withLateQuestion(context, decision) : decision;
  }
  if (isGrounded) return answerAfterEnd(state, context);
  if (fact !== undefined) return { ...answerAfterEnd(state, context), speaker: 'code', lead: fact };
  return decideWithoutModel(plan, state, { ...context, isAsking: true });
}

const NOTHING_NOTICED: Observations = { isGrounded: true };

function decideTurn(turn: Turn): TurnDecision {
  const { state, context } = turn;
  const proposed = heardIn(turn) ?? turn.proposed;
  if (isPause(turn, proposed)) return pause(turn);
  if (proposed === 'human') return callPerson(turn);
  if (proposed === 'leave') return leave(turn);
  if (proposed === 'abusive') return setBoundary(turn);
  if (proposed === 'objection') return noteObjection(turn);
  const verdict = readAs(turn, proposed === 'later' ? 'answered' : proposed);
  if (context.isAddendum) return addendum(turn, verdict);
  if (hasWish(state) && !isGoingOn(turn, verdict)) return keepGoing(turn);
  // Another pause of this question that only the model has heard.
  if (proposed === 'later' && verdict === 'answered') return countAsAnswer(turn);
  return decideAnswer(turn, verdict);
}

interface Turn {
  readonly plan: InterviewPlan;
  readonly state: InterviewState;
  readonly context: TurnContext;
  readonly question: Question;
  readonly noticed: Observations;
  readonly proposed: Verdict;
}

/**
 * What a fixed phrase says, whatever the model takes it for; null: the model is asked. The disclosure and its notices
 * promise stop, a person and an objection; code asked for the yes or no. An addendum confirms nothing.
 */
function heardIn({ state, context, noticed }: Turn): Verdict | null {
  const { isLeaving, isCallingPerson } = context.isAddendum ? NO_WISH : state;
  const { wish } = context;
  if (wish === 'objection') return 'objection';
  if (wish === 'person') return 'human';
  if (wish === 'stop' || (wish === 'yes' && isLeaving)) return 'leave';
  if (wish === 'yes' && isCallingPerson) return 'human';
  if (wish === 'no' && (isLeaving || isCallingPerson)) return 'off_topic';
  return noticed.fact === undefined ? null : 'question';
}

/** A fixed phrase is what it says, whatever the model takes it for. */
function readAs({ state, context }: Turn, proposed: AnswerVerdict): AnswerVerdict {
  if (context.aside != null) return 'aside';
  const isTakenForAnswer = ['answered', 'vague', 'follow_up', 'off_topic', 'aside'];
  const isSkipped = context.isSkipping === true && isTakenForAnswer.includes(proposed);
  return isSkipped && !context.isAddendum && !hasWish(state) ? 'refusal' : proposed;
}

/**
 * An answer that also asks something which no source covers: a person is told, and so is the candidate. An answer
 * that counts in code's words loses the model's reply to its question, so that holds for it too.
 */
function withOwnQuestion(turn: Turn, decision: TurnDecision): TurnDecision {
  const { context, noticed } = turn;
  if (noticed.asksToo !== true || context.aside != null || decision.verdict === 'clarify') {
    return decision;
  }
  const isByModel = decision.speaker === 'model';
  const isOpen = isByModel ? !noticed.isGrounded : isCountedQuestion(turn, decision);
  if (!isOpen) return decision;
  const { noSourceToo } = textsOf(context.language);
  const { lead } = decision;
  // The question of a push-back or a follow-up is the reply's last sentence.
  const isLeadAsking = decision.verdict === 'vague' || decision.verdict === 'follow_up';
  const parts = isLeadAsking ? [noSourceToo, lead] : [lead, noSourceToo];
  return { ...decision, speaker: 'code', lead: paragraphs(...parts), isQuestionOpen: true };
}

/**
 * A person arranges what the candidate needs, and code says so; the interview goes on meanwhile. The wish itself is
 * no question without a source. Nobody replies in an interview that its candidate has just ended.
 */
function withAdjustment({ state, context, noticed }: Turn, decision: TurnDecision): TurnDecision {
  const isNoted = decision.endsAs === 'withdrawn' || decision.personNeededFor !== undefined;
  if (noticed.needsAdjustment !== true || isNoted) return decision;
  const { adjustmentNoted, noSource } = textsOf(context.language);
  const { isQuestionOpen, ...rest } = decision;
  const isWish = decision.lead === noSource;
  // "Back to my question" would push whoever may wait for a person.
  const isWaiting = decision.state.openQuestion === state.openQuestion;
  const isLedBack = decision.verdict === 'question' && isWaiting && context.isLanguageNew !== true;
  return {
    ...rest,
    ...(isQuestionOpen === undefined || isWish ? {} : { isQuestionOpen }),
    lead: isWish ? '' : decision.lead,
    tail: paragraphs(adjustmentNoted, isLedBack ? '' : decision.tail),
    personNeededFor: 'adjustment',
  };
}

/** It stands in a message of its own beside others: a right, so it holds whatever the rest of the answer is. */
function withObjection(
  { isObjectionToo, language }: TurnContext,
  decision: TurnDecision,
): TurnDecision {
  if (isObjectionToo !== true || decision.personNeededFor === 'objection') return decision;
  const tail = paragraphs(textsOf(language).objectionNoted, decision.tail);
  return { ...decision, tail, hasObjected: true };
}

/** What counts as the answer, although the model took it for something else, asks something. */
function isCountedQuestion({ context, proposed }: Turn, { verdict }: TurnDecision): boolean {
  return verdict === 'answered' && proposed !== 'later' && isAskingIn(context);
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

/**
 * After that question, whatever else fits the interview continues it. `vague` and `refusal` may mean the wish.
 * An aside leaves the wish as it is.
 */
function isGoingOn({ state, context }: Turn, verdict: AnswerVerdict): boolean {
  if (verdict === 'aside') return state.smallTalk < MAX_SMALL_TALK;
  if (context.isUnanalysed === true) return false;
  return !['vague', 'refusal', 'off_topic'].includes(verdict);
}

type AnswerVerdict = Exclude<Verdict, 'leave' | 'human' | 'abusive' | 'objection' | 'later'>;

/** How many turns one question allows that are in order but do not answer it; the next one leaves it open. */
const MAX_ASIDES = 8;
/** How many turns of one question are taken for a question, although the candidate seems to ask nothing. */
const MAX_UNASKED = 2;
/** How many asides one question allows. */
const MAX_SMALL_TALK = 6;
/** How many turns off topic one question allows; the next one leaves it open. */
const MAX_OFF_TOPIC = 1;

function decideAnswer(turn: Turn, proposed: AnswerVerdict): TurnDecision {
  const { context } = turn;
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
      return goOn(turn, 'declined', inOwnWords(turn, 'refusal', texts.declined));
    case 'question':
      return replyToQuestion(turn);
    case 'clarify':
      return clarify(turn);
    case 'aside':
      return aside(turn);
    case 'off_topic':
      return offTopic(turn);
  }
}

type Words = Pick<TurnDecision, 'verdict' | 'speaker' | 'lead' | 'isQuestionOpen'>;

/** The reply to a question of the candidate. The question of the plan stays. */
function replyToQuestion(turn: Turn): TurnDecision {
  if (isUnaskedAgain(turn)) return countAsAnswer(turn);
  const words = wordsForQuestion(turn);
  if (turn.state.asides >= MAX_ASIDES) return goOn(turn, 'unanswered', words);
  return { ...words, tail: backIn(turn), state: heardAsking(turn), endsAs: null };
}

function wordsForQuestion({ context, noticed, proposed }: Turn): Words {
  const { fact, isGrounded } = noticed;
  const lead = fact ?? textsOf(context.language).noSource;
  if (isGrounded && proposed === 'question') return byModel('question', lead);
  return { verdict: 'question', speaker: 'code', lead, isQuestionOpen: fact === undefined };
}

/** The model has taken answers to this question for questions, and does it again. */
function isUnaskedAgain({ state, context }: Turn): boolean {
  return !isAskingIn(context) && state.unasked >= MAX_UNASKED;
}

function isAskingIn({ isAsking, mayAsk }: TurnContext): boolean {
  return isAsking === true || mayAsk === true;
}

function heardAsking({ state, context }: Turn): InterviewState {
  const unasked = state.unasked + (isAskingIn(context) ? 0 : 1);
  return { ...state, asides: state.asides + 1, unasked, ...NO_WISH };
}

/** The verdict does not fit or came too often, so what was written counts as the answer. */
function countAsAnswer(turn: Turn, outcome: Outcome = 'answered'): TurnDecision {
  const { language, ordinal } = turn.context;
  const lead = wording(textsOf(language).acknowledgements, ordinal);
  return goOn(turn, outcome, { verdict: 'answered', speaker: 'code', lead });
}

/** What leads back to the open question, which is not repeated, except in a new language. */
function backIn({ context, question }: Turn): string {
  if (context.isLanguageNew === true) return textIn(question, context.language);
  return wording(textsOf(context.language).questionAbove, context.ordinal);
}

/** The model speaks; `instead` stands in when it gave no words. */
function byModel(verdict: Verdict, instead: string): Words {
  return { verdict, speaker: 'model', lead: instead };
}

/** The model's words are shown if they were written for this verdict, and not for one that a phrase overrode. */
function inOwnWords(turn: Turn, verdict: Verdict, list: readonly string[]): Words {
  const words = byModel(verdict, wording(list, turn.context.ordinal));
  return turn.proposed === verdict ? words : { ...words, speaker: 'code' };
}

/** One push-back per question; after it a vague answer counts, and a second push-back is not shown. */
function vague(turn: Turn): TurnDecision {
  const { context, question } = turn;
  const state = touchedBy(turn);
  if (!mayPushBack(state)) return countAsAnswer(turn, state.pushedBack ? 'weak' : 'answered');
  const { pushBacks } = textsOf(context.language);
  const own = askingMoreIn(question, 'vague', context.language);
  return {
    ...byModel('vague', own ?? wording(pushBacks, context.ordinal)),
    tail: '',
    state: { ...state, pushedBack: true, ...NO_WISH },
    endsAs: null,
  };
}

/** A question gets one push-back, and none after a follow-up: that answer was good. */
function mayPushBack({ pushedBack, followUps }: InterviewState): boolean {
  return !pushedBack && followUps === 0;
}

/** A good answer that lacks evidence of the rubric is asked for it, as often as the question allows. */
function followUp(turn: Turn): TurnDecision {
  const { context, question } = turn;
  const state = touchedBy(turn);
  if (!mayFollowUp(question, state)) return countAsAnswer(turn);
  const { pushBacks } = textsOf(context.language);
  const own = askingMoreIn(question, 'follow_up', context.language);
  return {
    ...byModel('follow_up', own ?? wording(pushBacks, context.ordinal)),
    tail: '',
    state: { ...state, followUps: state.followUps + 1, ...NO_WISH },
    endsAs: null,
  };
}

/** After a push-back that was answered, one follow-up is enough. */
function mayFollowUp(question: Question, { pushedBack, followUps }: InterviewState): boolean {
  const allowed = question.followUps ?? 0;
  return followUps < (pushedBack ? Math.min(1, allowed) : allowed);
}

/**
 * Adds to an earlier answer or corrects one. The waiting question stays and is not repeated. Before the first
 * answer there is nothing to add to, so that it counts as an answer, and so does an addition to the waiting question
 * itself; what corrects nothing is asked about.
 */
function attach(turn: Turn, verdict: 'addition' | 'correction'): TurnDecision {
  const { state, context, noticed, question } = turn;
  const { addendum: added, corrected } = textsOf(context.language);
  const about = earlierQuestion(state, noticed.about);
  const isOfWaiting = [about, noticed.about].includes(question.id);
  if (about === null && verdict === 'correction' && mayPushBack(state)) {
    return { ...vague(turn), speaker: 'code' };
  }
  if (about === null || isOfWaiting) return countAsAnswer(turn);
  const thanks = wording(verdict === 'correction' ? corrected : added, context.ordinal);
  const words = { ...byModel(verdict, thanks), about };
  const later = { ...turn, state: answeredLater(state, about) };
  if (state.asides >= MAX_ASIDES) return { ...goOn(later, 'unanswered', words), about };
  const next = { ...touchedBy(later), asides: state.asides + 1, ...NO_WISH };
  return { ...words, tail: backIn(turn), state: next, endsAs: null };
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
  const tail = paragraphs(beforeQuestion(turn, next, question), textIn(question, context.language));
  return { ...words, tail, state: next, endsAs: null };
}

/** The question is left without an answer. */
function leaveOpen(turn: Turn, verdict: Verdict): TurnDecision {
  const { language, ordinal } = turn.context;
  const lead = wording(textsOf(language).movingOn, ordinal);
  const decision = goOn(turn, 'unanswered', { verdict, speaker: 'code', lead });
  // "Let's move on" fits neither before the same question once more nor before the closing.
  const next = waitingQuestion(turn.plan, decision.state)?.id;
  return next === turn.question.id || next === undefined ? { ...decision, lead: '' } : decision;
}

/** Why the next question is asked although it was asked before, or its answer is known in part. */
function beforeQuestion({ context }: Turn, next: InterviewState, question: Question): string {
  const { onceMore, touchedOn } = textsOf(context.language);
  if (isReturned(next, question)) return wording(onceMore, context.ordinal);
  const isTouched = next.touched.some(({ id }) => id === question.id);
  return isTouched ? wording(touchedOn, context.ordinal) : '';
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
    const lead = texts.pausedForAbuse({ hasAnswers: hasAnswers(state) });
    return { ...words, lead, tail: '', ...end };
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
  // The words leave the choice to the candidate, so that nothing leads back to the question.
  const tail = context.isLanguageNew === true ? backIn(turn) : '';
  if (context.isAddendum) return { ...words, ...needs, tail, state, endsAs: null };
  if (state.asides >= MAX_ASIDES) return { ...goOn(turn, 'unanswered', words), ...needs };
  const asked = { ...state, asides: state.asides + 1, ...NO_WISH };
  return { ...words, ...needs, tail, state: asked, endsAs: null };
}

/**
 * What the question means; it needs no source and no person. The model's words are the question in other
 * words, so that it is only repeated where the model has none, or in a new language.
 */
function clarify(turn: Turn): TurnDecision {
  const { state, context, question } = turn;
  const { questionAgain, backToQuestion } = textsOf(context.language);
  if (isUnaskedAgain(turn)) return countAsAnswer(turn);
  if (state.asides >= MAX_ASIDES) return leaveOpen(turn, 'clarify');
  const asked = textIn(question, context.language);
  const isNew = context.isLanguageNew === true;
  const said = isAskingIn(context) ? questionAgain : wording(backToQuestion, context.ordinal);
  // What code says of a question that the plan does not have in the new language is enough.
  const again = isNew && !isIn(question, context.language) ? '' : said;
  const words = byModel('clarify', isNew ? again : paragraphs(again, asked));
  return { ...words, tail: isNew ? asked : '', state: heardAsking(turn), endsAs: null };
}

/**
 * A greeting, thanks, "one second": a few words, and whatever waits for an answer goes on waiting. After many
 * of them the question is left open, or what a model takes for an aside counts as the answer.
 */
function aside(turn: Turn): TurnDecision {
  const { state, context } = turn;
  if (state.smallTalk >= MAX_SMALL_TALK) {
    return context.aside == null ? countAsAnswer(turn) : leaveOpen(turn, 'aside');
  }
  const tail = context.isLanguageNew === true ? backIn(turn) : '';
  const counted = { ...state, smallTalk: state.smallTalk + 1 };
  return { ...wordsForAside(turn), tail, state: counted, endsAs: null };
}

function wordsForAside(turn: Turn): Words {
  const { language, aside: kind } = turn.context;
  return inOwnWords(turn, 'aside', textsOf(language).asides[kind ?? 'other']);
}

/** Leads back by asking the question again; the next time it is left open. */
function offTopic(turn: Turn): TurnDecision {
  const { state, context, question } = turn;
  if (state.offTopic >= MAX_OFF_TOPIC) return leaveOpen(turn, 'off_topic');
  return {
    ...byModel('off_topic', textsOf(context.language).offTopic),
    tail: textIn(question, context.language),
    state: { ...state, offTopic: state.offTopic + 1, ...NO_WISH },
    endsAs: null,
  };
}

/**
 * Adds to an earlier answer or corrects one: neither advances nor counts. A question of the candidate gets
 * its reply, an aside a few words; the question of the plan is not repeated.
 */
function addendum(turn: Turn, verdict: AnswerVerdict): TurnDecision {
  const { state, context } = turn;
  if (verdict === 'aside') return { ...wordsForAside(turn), tail: '', state, endsAs: null };
  const { corrected, addendum: added } = textsOf(context.language);
  const thanks = wording(context.isCorrection === true ? corrected : added, context.ordinal);
  const words = verdict === 'question' ? wordsForQuestion(turn) : byModel(verdict, thanks);
  const about = earlierQuestion(state, turn.noticed.about);
  const isAdded = about !== null && (verdict === 'addition' || verdict === 'correction');
  const kept = isAdded ? answeredLater(state, about) : state;
  return { ...words, tail: backIn(turn), state: kept, endsAs: null, about };
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
    const lead = texts.withdrawn({ hasAnswers: hasAnswers(state) });
    return { ...words, lead, state: ended, endsAs: 'withdrawn' };
  }
  const leaves = state.isLeaving ? state.leaves : state.leaves + 1;
  const leaving = { ...state, ...NO_WISH, isLeaving: true, leaves };
  return { ...words, lead: confirmLeave(context, state), state: leaving, endsAs: null };
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

/** The verdicts that are allowed in this state. Code overrides any other. */
export function allowedVerdicts(plan: InterviewPlan, state: InterviewState): readonly Verdict[] {
  const question = waitingQuestion(plan, state);
  // After the end only a question of the candidate goes to a model.
  if (question === undefined) return ['answered', 'question'];
  return VERDICTS.filter((verdict) => {
    if (hasWish(state) && (verdict === 'vague' || verdict === 'refusal')) return false;
    if (verdict === 'vague') return mayPushBack(state);
    if (verdict === 'follow_up') return mayFollowUp(question, state);
    if (verdict === 'later') return mayPause(state);
    if (verdict === 'addition' || verdict === 'correction') return state.settled.length > 0;
    return true;
  });
}
