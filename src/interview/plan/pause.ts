import { dayInWords } from '../texts/days';
import { textsOf } from '../texts/texts';
import { hasAnswers, type InterviewState, NO_WISH } from './state';
import { paragraphs, type TurnContext, type TurnDecision, type Verdict } from './verdicts';

/**
 * Going on another time. A pause settles nothing and counts nothing that would close a question; it only
 * notes when the candidate will be back, so that no reminder comes before that.
 */

interface PausedTurn {
  readonly state: InterviewState;
  readonly context: TurnContext;
}

/**
 * Pauses of one question that only the model has heard; after that the answer counts, because a model that
 * says `later` to everything would never come to an end. A phrase that code hears is never limited.
 */
const MAX_UNHEARD_PAUSES = 3;

/** What a model may take a message for that only leads to the wish behind it. */
const LEADING: readonly Verdict[] = ['aside', 'off_topic', 'later'];

/** The candidate goes on another time: by a plain phrase, whatever the model takes it for, or by its verdict. */
export function isPause({ state, context }: PausedTurn, proposed: Verdict): boolean {
  if (context.isLater === true) return true;
  if (context.isLaterToo === true && LEADING.includes(proposed)) return true;
  return proposed === 'later' && mayPause(state);
}

/** Whether the model may propose `later`. */
export function mayPause({ pauses }: InterviewState): boolean {
  return pauses < MAX_UNHEARD_PAUSES;
}

/**
 * Everything is kept, until that day. The question waits and is not repeated. "Do you want to stop?" is taken
 * back, also by words that were written before it was seen: a "yes" behind a pause must not end anything.
 */
export function pause({ state, context }: PausedTurn): TurnDecision {
  const isHeard = context.isLater === true || context.isLaterToo === true;
  const pauses = state.pauses + (isHeard ? 0 : 1);
  const remindFrom = context.comingBack?.().remindFrom ?? null;
  return {
    verdict: 'later',
    speaker: 'code',
    lead: wordsOfPause(context, state),
    tail: '',
    state: { ...state, ...NO_WISH, pauses, remindFrom },
    endsAs: null,
  };
}

function wordsOfPause(context: TurnContext, state: InterviewState): string {
  const { comingBack, language } = context;
  const when = comingBack?.().when ?? null;
  const kept = { hasAnswers: hasAnswers(state) };
  return textsOf(language).paused({ until: lastDayOf(context), when, ...kept });
}

/** "Do you want to stop?" with the pause beside it. */
export function confirmLeave(context: TurnContext, state: InterviewState): string {
  const texts = textsOf(context.language);
  const day = lastDayOf(context);
  const kept = { hasAnswers: hasAnswers(state) };
  return paragraphs(texts.confirmLeave(kept), day === null ? '' : texts.orLater(day, kept));
}

const ANSWERS: readonly (Verdict | null)[] = ['answered', 'vague', 'follow_up', 'refusal'];

/**
 * Whoever answers is back: what they said of their return counts no more. An edit, and what was written before the
 * last reply, answers nothing.
 */
export function withReturn(
  { context }: Pick<PausedTurn, 'context'>,
  decision: TurnDecision,
): TurnDecision {
  const { state, verdict } = decision;
  if (state.remindFrom === null || context.isAddendum) return decision;
  if (!ANSWERS.includes(verdict)) return decision;
  return { ...decision, state: { ...state, remindFrom: null } };
}

const OWN_REPLIES: readonly (Verdict | null)[] = [
  'leave',
  'human',
  'abusive',
  'objection',
  'later',
  null,
];

/**
 * An answer or a question that ends in "I'll finish tonight" has its usual reply, with the words about it behind
 * what replies to the first part.
 */
export function withLater(
  { context }: Pick<PausedTurn, 'context'>,
  decision: TurnDecision,
): TurnDecision {
  const { state, verdict, endsAs, tail } = decision;
  if (context.isLaterToo !== true || endsAs !== null) return decision;
  if (OWN_REPLIES.includes(verdict)) return decision;
  const remindFrom = context.comingBack?.().remindFrom ?? null;
  return {
    ...decision,
    tail: paragraphs(wordsOfPause(context, state), tail),
    state: { ...state, remindFrom },
  };
}

/** In words; null: it is not known. */
function lastDayOf({ comingBack, language }: TurnContext): string | null {
  return comingBack === undefined ? null : dayInWords(comingBack().until, language);
}
