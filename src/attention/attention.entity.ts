import { ATTENTION_KINDS, type AttentionKind } from '../common/events';

export { ATTENTION_KINDS, type AttentionKind };

/** What a person has to look at. It is open until a person closes it, or a replay does. */
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
