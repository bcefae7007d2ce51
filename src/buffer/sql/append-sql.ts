import type { BufferLimits } from '../windows';
import { limitParameters, limitValues } from './formula';
import type { Statement } from './statement';

export interface AppendedRow {
  readonly messageId: string;
  readonly seq: number;
  readonly bufferId: string;
  readonly dueAt: Date;
  readonly isNew: boolean;
  /** Known by its id, but with another text, or as a voice. */
  readonly hasOtherText: boolean;
  /** Why it is not stored: the limit of the conversation that it would cross, or not open. */
  readonly refusedBy: 'messages' | 'chars' | 'audio' | NotOpen | null;
}

/** Why a conversation takes no message of its candidate; `consent` and `profile` are to come. */
export type NotOpen = 'unknown' | 'closed' | 'consent' | 'profile';

/** What one conversation takes of its candidate, altogether. */
interface ConversationLimits {
  readonly messages: number;
  readonly chars: number;
  readonly audioBytes: number;
}

/** When a message joins, and who stores it. */
export interface InvitationJoin {
  readonly weight: number;
  readonly holds: 0 | 1;
  readonly windowMs: number;
  readonly limits: BufferLimits;
  readonly replica: string;
  readonly now: Date | null;
}

/** Composed once: a new string for each message would be hashed again to find what is prepared. */
const APPEND = `
    select a.message_id as "messageId", a.seq, a.buffer_id as "bufferId", a.due_at as "dueAt",
      a.is_new as "isNew", a.has_other_text as "hasOtherText", a.refused_by as "refusedBy"
    from buffer_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
      ${limitParameters(14)}, $17, $18, $19, $20, $21) a
    where a.seq is not null or a.refused_by is not null`;

/**
 * Locks the conversation, numbers and stores the message, opens or extends its buffer. With
 * `fromCandidate` only in an open interview, which reads the question from its plan.
 */
export function append(
  message: {
    id: string;
    conversationId: string;
    channel: string;
    externalId: string;
    contentType: string;
    text: string;
    questionContext: string | null;
    amends: string | null;
    audioBytes: number;
    fromCandidate: boolean;
  },
  joining: InvitationJoin,
  limits: ConversationLimits,
): Statement {
  return {
    text: APPEND,
    values: [
      message.conversationId,
      message.id,
      message.channel,
      message.externalId,
      message.contentType,
      message.text,
      message.questionContext,
      message.amends,
      joining.weight,
      joining.holds,
      joining.replica,
      joining.now,
      joining.windowMs,
      ...limitValues(joining.limits),
      message.audioBytes,
      limits.messages,
      limits.chars,
      limits.audioBytes,
      message.fromCandidate,
    ],
  };
}

/** The conversation's open buffer, or a new one, takes a stored message. Under its lock. */
export function join(conversationId: string, joining: InvitationJoin): Statement {
  return {
    text: `
    select j.buffer_id as "bufferId", j.due_at as "dueAt"
    from buffer_join($1, $2, $3, $4, $5, $6, ${limitParameters(7)}) j`,
    values: [
      conversationId,
      joining.weight,
      joining.holds,
      joining.replica,
      joining.now,
      joining.windowMs,
      ...limitValues(joining.limits),
    ],
  };
}
