import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ATTENTION_KINDS, type AttentionKind } from '../common/events';

export { ATTENTION_KINDS, type AttentionKind };

/** Something that needs a person. It is open until a person closes or replays it, or code settles it. */
@Entity('attention')
export class AttentionItem {
  @PrimaryColumn('bigint')
  readonly id!: string;

  @Column('text')
  readonly kind!: AttentionKind;

  /** What it is about, e.g. `job:17`, `delivery:5`, `conversation:<id>`: one open item for each. */
  @Column('text')
  readonly subject!: string;

  @Column('uuid', { name: 'conversation_id', nullable: true })
  readonly conversationId!: string | null;

  @Column('bigint', { name: 'job_id', nullable: true })
  readonly jobId!: string | null;

  /** The subject of the item under which this one is listed while that one is open. */
  @Column('text', { nullable: true })
  readonly under!: string | null;

  /** Why, for the person; written by code, never a candidate's words. */
  @Column('text')
  readonly reason!: string;

  @Column('timestamptz', { name: 'created_at' })
  readonly createdAt!: Date;

  @Column('timestamptz', { name: 'closed_at', nullable: true })
  readonly closedAt!: Date | null;

  @Column('text', { name: 'closed_by', nullable: true })
  readonly closedBy!: string | null;

  @Column('text', { nullable: true })
  readonly resolution!: string | null;
}

/** The item of a statement that is written as SQL. */
export const ATTENTION_COLUMNS = `id, kind, subject, conversation_id as "conversationId",
  job_id as "jobId", under, reason, created_at as "createdAt", closed_at as "closedAt",
  closed_by as "closedBy", resolution`;
