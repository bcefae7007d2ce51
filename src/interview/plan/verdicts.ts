import type { InterviewPlan, Language } from '../../vacancies';
import { type InterviewState, earlierQuestion, waitingQuestion } from './state';
import { inOneLine } from '../texts/sentences';
import { type PlaceInPlan, type Texts, textsOf, wording } from '../texts/texts';
import { type Aside, plainAsideOf } from './asides';
import { hardshipOf, isForAdjustment } from './hardship';
import { type LateWords, lateWordsOf } from './late-words';
import { isLater, isThin, type PlainWish, plainWishOf } from './phrases';
import { askingMoreIn, closingIn, greetingIn, textIn } from './plan-texts';

/**
 * The kinds of answers and what follows each. A verdict is the interviewer's proposal: `decide` accepts
 * or overrides it. Outside a turn only an end or a return changes the state (state.ts). "Stays" means
 * that the same question waits on.
 *
 *   verdict     what the candidate does             what happens                          question
 *   ---------   ---------------------------------   -----------------------------------   ------------
 *   answered    answers, well or badly              acknowledged without a judgement      next one
 *   vague       says too little                     one push-back; the second time it     stays, then
 *                                                   is left as it is                      next one
 *   follow_up   answers well, the rubric lacks      at most `followUps` of the question,  stays
 *               something                           and one after a push-back
 *   question    asks about company, job, process    from a named source, else a person    stays
 *                                                   is told and the candidate hears so
 *   clarify     asks what the question means, to    in other words, and nothing is        stays
 *               repeat it, or for the other         repeated; no source, no attention
 *               language                            item
 *   addition    "I forgot to mention"               attached to the earlier answer        stays
 *   correction  corrects an earlier answer          the same, as a correction; where      stays
 *                                                   nothing was answered, as `vague`
 *   refusal     would rather not answer; "skip",    accepted kindly, once                 next one
 *               whatever the model proposes
 *   aside       greets, thanks, "one second", an    a few words; a fixed phrase counts    stays
 *               apology, a joke                     whatever the model proposes
 *   off_topic   neither an answer nor a question    led back; the second time the         stays, then
 *               about the job                       question is left open                 next one
 *   abusive     insults or threatens                a sentence that sets a boundary; the  stays, then
 *                                                   second time a person is told          pause
 *   objection   objects to automated processing     stored: never scored; a person is     stays
 *                                                   told
 *   leave       wants to stop                       asked to confirm, then withdrawn      stays, ends
 *   human       wants a person                      asked to confirm, then handed over    stays, pause
 *   later       goes on another time                everything is kept, until which day;  stays
 *                                                   reminders wait for the time they say
 *
 * Across the verdicts:
 * - The model may propose any verdict in any state. One that does not fit counts as the answer that it is.
 * - A fixed phrase is what it says, whatever the model takes it for: stop, a person, an objection, yes and no where
 *   code asked for one, and who reads, how many questions are left, "are you a bot?", which code can answer.
 * - An answer that also asks something is handled as its verdict says. Without a source a person is
 *   told, and the candidate hears so.
 * - question and clarify, although the candidate seems to ask nothing: twice, then it counts as an answer.
 * - A question that stays is said again only where it has gone out of the candidate's mind: after
 *   off_topic, a boundary or a wish that was taken back, and in a new language.
 * - A must-ask question that was left open is asked once more before the closing. One that was refused is not.
 * - A later question that an answer touches on is still asked, as "you touched on this".
 * - A plain phrase to go on another time is `later`, whatever the model takes it for; behind an answer it
 *   adds the same words, and the plan goes on.
 * - An addendum (written before the last reply was seen, or an edit) never advances the plan.
 * - A wish to do the interview another way goes to a person under every verdict, and code says so.
 * - Where a model can answer from documents, the closing ends with an invitation to ask. The interview is complete.
 * - After the end, a question is answered from the documents. Else code replies: it does not know, repeats the
 *   closing if the question is when the team replies, and tells a person; to thanks or a goodbye it says goodbye.
 *   Whoever wants a person is told that one knows.
 *
 * Where two ways meet (each pair in both orders: test/interview/pairs):
 * - After a withdrawal nothing is said: an edit, a transcript and a replay get no reply. Of a reply that was being
 *   written, the page keeps what it has shown; a channel that sends gets nothing of it, also where a person was called.
 * - A person's words end the reply that was being written, and the plan stays where it was, as after a call for one.
 * - An objection holds whatever becomes of its reply, and in a message of its own beside an answer. It takes back
 *   "do you want to …?", as any other wish and any answer does; a skip only takes it back, and so does a pause.
 * - What was written before such a question was seen leaves it as it is, except another wish, abuse, and a pause.
 * - Whoever was abusive twice cannot take the interview back; a person returns it.
 * - An answer or a skip ends a pause. An edit does not, nor does whatever else leaves the question open.
 * - Where a wish waits, and after an objection, nobody is reminded; where something waits for its reply or a person,
 *   nobody is reminded and nothing expires.
 * - A language that is chosen while a reply is written stays. Only an answer that asks for another one changes it.
 * - An answer that failed can be replayed until a later one has its reply; until then it waits for a person.
 */
export const VERDICTS = [
  'answered',
  'vague',
  'follow_up',
  'question',
  'clarify',
  'addition',
  'correction',
  'refusal',
  'aside',
  'off_topic',
  'abusive',
  'objection',
  'leave',
  'human',
  'later',
] as const;

export type Verdict = (typeof VERDICTS)[number];

export function isVerdict(value: unknown): value is Verdict {
  return VERDICTS.some((verdict) => verdict === value);
}

/** The states of a conversation (`conversation.status`). Only `active` is interviewed. */
export type ConversationStatus =
  'new' | 'active' | 'completed' | 'declined' | 'withdrawn' | 'handed_over' | 'expired';

/** What is known about a turn besides its verdict. */
export interface TurnContext {
  readonly language: Language;
  readonly status: ConversationStatus;
  readonly isConsented: boolean;
  /**
   * Made only of corrections and of messages that arrived before the previous reply: it adds to
   * an earlier answer.
   */
  readonly isAddendum: boolean;
  /** An addendum made only of corrections: the candidate edited messages that have their reply. */
  readonly isCorrection?: boolean;
  /** The turn's ordinal (interviewStep): chooses among equal wordings. */
  readonly ordinal: number;
  /** The model failed on this answer for good; the scripted interviewer stands in. */
  readonly isUnanalysed?: boolean;
  /** The candidate has changed to this language with this answer. */
  readonly isLanguageNew?: boolean;
  /** How many answers in a row, with this one, are in another language than the reply. */
  readonly inOtherLanguage?: number;
  /** The answer ends in a question mark, or a fixed phrase asks. */
  readonly isAsking?: boolean;
  /** The candidate may be asking something, also without a question mark. */
  readonly mayAsk?: boolean;
  /** The answer is nothing but a wish to skip the question. */
  readonly isSkipping?: boolean;
  /** The answer is nothing but this aside, in fixed phrases; null: it is none. */
  readonly aside?: Aside | null;
  /** What the whole answer wishes, in a fixed phrase; null: it is none. */
  readonly wish?: PlainWish | null;
  /** Of several messages, one is nothing but an objection to automated processing. */
  readonly isObjectionToo?: boolean;
  /** The answer is nothing but a plain phrase to go on another time. */
  readonly isLater?: boolean;
  /** Only its last message is one: an answer stands before it. */
  readonly isLaterToo?: boolean;
  /** It asks when the team will reply. Only read after the end. */
  readonly isAskingWhen?: boolean;
  /** It tells of a loss or an illness. Only read where the interview has ended. */
  readonly isHardship?: boolean;
  /** The answer is nothing but thanks or a goodbye. Only read after the end. */
  readonly isGoodbye?: boolean;
  /** A model can answer questions from the vacancy's documents. Known at the last question and after the end. */
  readonly canAnswer?: boolean;
  /** Until when the candidate can come back, computed on demand; left out where no interviewer is wanted. */
  readonly comingBack?: () => ComingBack;
}

/** What holds for a candidate who goes on another time. */
export interface ComingBack {
  /** The last whole day on which the interview can be gone on with, `YYYY-MM-DD` by the candidate's clock. */
  readonly until: string;
  /** No reminder before this instant (ISO 8601), by what the candidate says of their return. */
  readonly remindFrom: string;
  /** When they go on, as they said it; null: they did not, or the interview is over by then. */
  readonly when: string | null;
}

/** What the interviewer found in an answer besides its kind. Code checks each part. */
export interface Observations {
  /** The reply names sources that exist for what it says of the company, the job or the process. */
  readonly isGrounded: boolean;
  /** The answer also asks something about the company, the job or the process. */
  readonly asksToo?: boolean;
  /** What code can reply to the whole answer, which asks about the interview itself in a fixed phrase. */
  readonly fact?: string;
  /** The candidate asks to do the interview or the job another way, for their health. */
  readonly needsAdjustment?: boolean;
  /** The question that an addition or a correction belongs to. */
  readonly about?: string;
  /** Later questions that the answer touches on. */
  readonly touches?: readonly string[];
}

/**
 * The reply of a turn and what it changes. The reply is the model's text (if `speaker` is `model` and it
 * is not blank, else `lead`), then `tail`; `completeReply` joins them.
 */
export interface TurnDecision {
  /** The verdict that code accepted; null when no interviewer was involved. */
  readonly verdict: Verdict | null;
  /** Whose text comes first. `code`: the model's text must not be shown. */
  readonly speaker: 'model' | 'code';
  /** Code's own first words. */
  readonly lead: string;
  /** The text that code adds: the next question, the same one again, or the closing. */
  readonly tail: string;
  readonly state: InterviewState;
  /** The status that the conversation takes with this reply; null: unchanged. */
  readonly endsAs: 'completed' | 'withdrawn' | 'handed_over' | null;
  /** The candidate asked something that the documents do not cover, so a person has to reply. */
  readonly isQuestionOpen?: boolean;
  /** The question whose answer these messages add to or correct; null: no question was settled yet. */
  readonly about?: string | null;
  /** Why a person has to know about this turn, apart from what `endsAs` says. */
  readonly personNeededFor?: 'objection' | 'abuse' | 'adjustment';
  /** The candidate objects to automated processing beside what the verdict says. */
  readonly hasObjected?: boolean;
}

const PARAGRAPH = '\n\n';

/** Non-blank parts as paragraphs. */
export function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join(PARAGRAPH);
}

/**
 * What follows in the reply after `streamed`, the part of the model's text that was let through. A model that
 * has already ended with the next question does not have it said twice.
 */
export function completeReply({ lead, tail }: TurnDecision, streamed: string): string {
  if (streamed.trim() === '') return paragraphs(lead, tail);
  const isSaid = streamed.trimEnd().endsWith(tail.trim());
  return isSaid ? '' : PARAGRAPH + tail;
}

/** The messages at the start of an interview: the greeting, then the first question. */
export function opening(plan: InterviewPlan, language: Language): readonly string[] {
  const greeting = greetingIn(plan, language);
  const first = plan.questions[0];
  return first === undefined ? [greeting] : [greeting, textIn(first, language)];
}

/** Whether a model may see this turn at all. If not, code replies. */
export function isInterviewerWanted(context: TurnContext): boolean {
  return context.status === 'active' && context.isConsented;
}

/**
 * The reply of code to a turn that no interviewer may see. It leaves the plan as it is. After the end,
 * messages are additions to the last answer, and a question goes to a person. An objection to automated
 * processing is noted at any time after consent. Whoever wants a person after the end is told that one knows.
 */
export function decideWithoutModel(
  plan: InterviewPlan,
  state: InterviewState,
  context: TurnContext,
): TurnDecision {
  const unchanged = { verdict: null, speaker: 'code', tail: '', state, endsAs: null } as const;
  const isObjecting = context.wish === 'objection' || context.isObjectionToo === true;
  if (isObjecting && context.isConsented) {
    const { objectionNoted } = textsOf(context.language);
    return { ...unchanged, lead: objectionNoted, personNeededFor: 'objection' };
  }
  if (context.status !== 'completed' || !context.isConsented) {
    return { ...unchanged, lead: wordsFor(context) };
  }
  if (context.isGoodbye === true) {
    const { goodbyes } = textsOf(context.language);
    return { ...unchanged, lead: wording(goodbyes, context.ordinal) };
  }
  if (context.wish === 'person') {
    return { ...unchanged, lead: textsOf(context.language).handedOver, isQuestionOpen: true };
  }
  if (context.isAsking === true) {
    const { askedAfterEnd, askedWhenAfterEnd } = textsOf(context.language);
    const asked = { ...unchanged, lead: askedAfterEnd, isQuestionOpen: true };
    // The closing says when the team replies.
    const tail = closingIn(plan, context.language);
    return context.isAskingWhen === true ? { ...asked, lead: askedWhenAfterEnd, tail } : asked;
  }
  return { ...unchanged, lead: wordsFor(context), about: earlierQuestion(state) };
}

function wordsFor(context: TurnContext): string {
  const { sorry } = textsOf(context.language);
  return inOneLine(context.isHardship === true && sorry, wordsForStatus(context));
}

function wordsForStatus({ language, status, isConsented, ordinal }: TurnContext): string {
  const texts = textsOf(language);
  switch (status) {
    case 'completed':
      return wording(texts.thanksForAddition, ordinal);
    case 'handed_over':
      return texts.keptForPerson;
    case 'expired':
      return texts.endedBySilence;
    case 'withdrawn':
    case 'declined':
      return texts.closed;
    case 'new':
    case 'active':
      return isConsented ? wording(texts.thanksForAddition, ordinal) : texts.consentFirst;
  }
}

/**
 * The interviewer without a model: it acknowledges every answer and asks the plan's questions in order. After
 * a thin answer to an open question, or when asked what the question means, it says the plan's `followUp`. It
 * understands only plain phrases: skip, stop, later, a person, repeat, another language, an objection to automated
 * processing, "I forgot to mention", "about the project: …", "who will read this?", "how many questions are left?", "are
 * you a bot?", asides, a loss or an illness, an adjustment, insults, orders and small talk, yes and no where it asked, and a
 * message that is one question, to which it quotes the documents where they cover it. It also replaces the model
 * after that has failed on an answer for good. It makes no call, and the same turn always gets the same reply.
 */
export class ScriptedInterviewer {
  /**
   * `said`: the whole answer. An addendum never confirms or skips anything. `known`: what it can tell a candidate
   * who asks.
   */
  reply(
    turn: Pick<TurnContext, 'language' | 'ordinal' | 'isAddendum' | 'isUnanalysed'>,
    { plan, state }: { readonly plan: InterviewPlan; readonly state: InterviewState },
    said: string,
    known: ScriptedFacts,
  ): ScriptedReply {
    const isGrounded = false;
    if (turn.isAddendum) return { verdict: addendumOf(said), text: '', isGrounded };
    const texts = textsOf(turn.language);
    const wish = plainWishOf(said);
    const fact = factOf(wish, known, texts);
    if (fact !== null) return { verdict: 'question', text: fact, isGrounded: true };
    if (isForAdjustment(said)) {
      return { verdict: 'question', text: '', isGrounded, needsAdjustment: true };
    }
    const hardship = hardshipOf(said);
    if (hardship !== null) return { verdict: 'aside', text: texts.hardship[hardship], isGrounded };
    const late = turn.isUnanalysed === true ? null : lateWordsOf(said, plan, state);
    if (late !== null) return { ...late, text: '', isGrounded };
    const question = waitingQuestion(plan, state);
    const verdict = verdictOf(wish, said, state);
    if (verdict === 'question' && known.quoted != null) {
      return { verdict, text: known.quoted, isGrounded: true };
    }
    if (wish === 'meaning' && question?.kind === 'open' && !state.pushedBack) {
      const text = askingMoreIn(question, 'vague', turn.language) ?? '';
      return { verdict, text, isGrounded };
    }
    if (verdict !== 'answered') return { verdict, text: '', isGrounded };
    // What a model could not read is left to a person as it is.
    const mayAskMore = question?.kind === 'open' && question.followUp !== undefined;
    if (mayAskMore && turn.isUnanalysed !== true && isThin(said)) {
      return { verdict: 'vague', text: '', isGrounded };
    }
    const text = wording(texts.acknowledgements, turn.ordinal);
    return { verdict, text, isGrounded };
  }
}

interface ScriptedReply extends Pick<LateWords, 'about'> {
  readonly verdict: Verdict;
  readonly text: string;
  readonly isGrounded: boolean;
  /** The candidate asks to do the interview or the job another way: a person has to know. */
  readonly needsAdjustment?: boolean;
}

/** What the scripted interviewer can say when it is asked. */
export interface ScriptedFacts {
  /** Who reads the interview. */
  readonly readers: string;
  /** Which question waits, and of how many. */
  readonly place: PlaceInPlan;
  /** What the documents say to this question, if they cover it. */
  readonly quoted?: string | null;
}

/** The reply to a plain question about the interview itself; null: it is none. */
export function factOf(
  wish: PlainWish | null,
  { readers, place }: Pick<ScriptedFacts, 'readers' | 'place'>,
  { isProgram, progressAsked }: Texts,
): string | null {
  const facts: Partial<Record<PlainWish, () => string>> = {
    readers: () => readers,
    progress: () => progressAsked(place, null),
    isFirst: () => progressAsked(place, place.question === 1),
    isLast: () => progressAsked(place, place.question === place.of),
    machine: () => isProgram(false),
    isPerson: () => isProgram(true),
  };
  return wish === null ? null : (facts[wish]?.() ?? null);
}

/** The texts have an acknowledgement of their own for an addendum. An objection is a right. */
function addendumOf(said: string): Verdict {
  const wish = plainWishOf(said);
  if (wish === 'objection' || wish === 'later') return wish;
  return plainAsideOf(said) === null ? 'answered' : 'aside';
}

function verdictOf(
  wish: PlainWish | null,
  said: string,
  { isLeaving, isCallingPerson }: Pick<InterviewState, 'isLeaving' | 'isCallingPerson'>,
): Verdict {
  if (isLater(said, isLeaving || isCallingPerson)) return 'later';
  if (plainAsideOf(said) !== null) return 'aside';
  switch (wish) {
    case 'yes':
      return isLeaving ? 'leave' : isCallingPerson ? 'human' : 'answered';
    case 'no':
      return isLeaving || isCallingPerson ? 'off_topic' : 'answered';
    case 'skip':
      return 'refusal';
    case 'stop':
      return 'leave';
    case 'person':
      return 'human';
    case 'repeat':
    case 'meaning':
    case 'english':
    case 'russian':
      return 'clarify';
    case 'objection':
      return 'objection';
    case 'later':
      return 'later';
    case 'abuse':
      return 'abusive';
    case 'offTopic':
      return 'off_topic';
    case 'readers':
    case 'progress':
    case 'isFirst':
    case 'isLast':
    case 'machine':
    case 'isPerson':
    case 'question':
      return 'question';
    case 'correction':
      return 'correction';
    // Before the first answer there is nothing to add to.
    case 'addition':
    case null:
      return 'answered';
  }
}
