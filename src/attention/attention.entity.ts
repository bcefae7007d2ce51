/**
 * What a person has to look at.
 *
 *   dead         a job that used up its tries, or its claims by crashes
 *   waiting      a job that is given back for long, because its peer fails; it is tried on, and
 *                the item closes by itself when the job ends
 *   expired      an answer that grew too old without a reply
 *   unknown      a delivery of which nobody can say whether it arrived
 *   blocked      a candidate who does not take messages of the channel any more
 *   handed_over  a candidate who asked for a person
 *   braked       a run that was held back because it would have written unusually much
 *   unanalysed   an answer that was kept, but that no model could read
 *   question     a candidate's question that nothing in the vacancy's documents answers
 *   full         a conversation that had no room for a message; its candidate was told
 *   stalled      work that goes on by itself, but does not get anywhere
 *
 * An item is open until a person closes it, or a replay does: open → closed.
 */
export const ATTENTION_KINDS = [
  'dead',
  'waiting',
  'expired',
  'unknown',
  'blocked',
  'handed_over',
  'braked',
  'unanalysed',
  'question',
  'full',
  'stalled',
] as const;

export type AttentionKind = (typeof ATTENTION_KINDS)[number];

export interface AttentionItem {
  readonly id: string;
  readonly kind: AttentionKind;
  /** What it is about, e.g. `job:17`, `delivery:5`, `conversation:<id>`: one open item for each. */
  readonly subject: string;
  readonly conversationId: string | null;
  readonly jobId: string | null;
  /** Why, for the person; written by code, never a candidate's words. */
  readonly reason: string;
  readonly createdAt: Date;
  readonly closedAt: Date | null;
  readonly closedBy: string | null;
  readonly resolution: string | null;
}

export interface AttentionRow {
  readonly id: string;
  readonly kind: AttentionKind;
  readonly subject: string;
  readonly conversation_id: string | null;
  readonly job_id: string | null;
  readonly reason: string;
  readonly created_at: Date;
  readonly closed_at: Date | null;
  readonly closed_by: string | null;
  readonly resolution: string | null;
}

export const ATTENTION_COLUMNS =
  'id, kind, subject, conversation_id, job_id, reason, created_at, closed_at, closed_by, resolution';

export function itemOf(row: AttentionRow): AttentionItem {
  return {
    id: row.id,
    kind: row.kind,
    subject: row.subject,
    conversationId: row.conversation_id,
    jobId: row.job_id,
    reason: row.reason,
    createdAt: row.created_at,
    closedAt: row.closed_at,
    closedBy: row.closed_by,
    resolution: row.resolution,
  };
}
