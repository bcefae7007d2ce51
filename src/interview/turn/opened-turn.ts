import type { InterviewPlan, Language } from '../../vacancies';
import type { ReplyPart } from '../../streams';
import type { Agent } from '../agents/agent';
import type { InterviewState } from '../plan/state';
import type { TurnContext } from '../plan/decision';
import type { InterviewPrompt } from '../prompts/interview-request';

/**
 * Who writes the reply. `model`: a model is asked. `scripted`: the plan's own interviewer, without
 * a model. `code`: nobody may see the answer (no consent, or the interview is over).
 */
export type Speaker =
  | {
      readonly kind: 'model';
      readonly prompt: InterviewPrompt;
      /** Of the request that is next, which stands in the ledger as sent. */
      readonly attemptId: string;
    }
  | { readonly kind: 'scripted' }
  | { readonly kind: 'code' };

/** A turn as turn.open left it: everything its generation needs, and no connection. */
export interface OpenedTurn {
  readonly id: string;
  readonly flushId: string;
  readonly bufferId: string;
  /** Its own buffer's messages, and those of earlier buffers that an outage left unanswered. */
  readonly bufferIds: readonly string[];
  readonly conversationId: string;
  readonly vacancyId: string;
  readonly epoch: number;
  readonly replyMessageId: string;
  readonly channel: 'web' | 'telegram';
  readonly language: Language;
  readonly plan: InterviewPlan;
  readonly state: InterviewState;
  readonly context: TurnContext;
  /** Of the conversation when it was opened: another number at its end means that a person came first. */
  readonly takeovers: number;
  readonly speaker: Speaker;
  /** Who speaks now. */
  readonly agent: Agent;
  /** What is stored of this reply beside its text. */
  readonly parts: readonly ReplyPart[];
}

export type Opened =
  /** There is nothing to reply to, or the reply is stored already: the task is done. */
  | { readonly kind: 'settled' }
  /** A reply is to be written. */
  | { readonly kind: 'reply'; readonly turn: OpenedTurn }
  /** The candidate stopped this reply before a crash: it is closed with what is known of its text. */
  | { readonly kind: 'stopped'; readonly turn: OpenedTurn; readonly text: string };
