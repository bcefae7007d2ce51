import type { BufferLimits } from '../windows';
import { limitParameters, limitValues } from './formula';
import type { Statement } from './statement';

export interface AppendedRow {
  readonly messageId: string;
  readonly seq: number;
  readonly bufferId: string;
  readonly dueAt: Date;
  readonly isNew: boolean;
  /** Known by its id, but with another text. */
  readonly hasOtherText: boolean;
  /** The limit of the conversation that it would cross: it is not stored. */
  readonly refusedBy: 'messages' | 'chars' | 'audio' | null;
}

/** What one conversation takes of its candidate, altogether. */
interface ConversationLimits {
  readonly messages: number;
  readonly chars: number;
  readonly audioBytes: number;
}

/** When a message joins, and who stores it. */
export interface Joining {
  readonly weight: number;
  readonly holds: 0 | 1;
  readonly windowMs: number;
  readonly limits: BufferLimits;
  readonly replica: string;
  readonly now: Date | null;
}

/** Locks the conversation, numbers and stores the message, opens or extends its buffer. */
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
  },
  joining: Joining,
  limits: ConversationLimits,
): Statement {
  return {
    text: `
    select a.message_id as "messageId", a.seq, a.buffer_id as "bufferId", a.due_at as "dueAt",
      a.is_new as "isNew", a.has_other_text as "hasOtherText", a.refused_by as "refusedBy"
    from buffer_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
      ${limitParameters(14)}, $17, $18, $19, $20) a
    where a.seq is not null`,
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
    ],
  };
}

/** The conversation's open buffer, or a new one, takes a stored message. Under its lock. */
export function join(conversationId: string, joining: Joining): Statement {
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
