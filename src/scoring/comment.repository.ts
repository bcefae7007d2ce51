import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { NewComment } from '../common/events';
import { newId } from '../common/ids';
import type { Tx } from '../common/uow';

export interface CommentRow {
  readonly id: string;
  readonly conversationId: string;
  /** Null: on the whole interview. */
  readonly questionId: string | null;
  readonly userId: string;
  readonly author: string;
  readonly text: string;
  readonly createdAt: Date;
  readonly editedAt: Date | null;
}

/** What users say to each other about interviews. A deleted comment leaves no row; the audit tells of it. */
@Injectable()
export class CommentRepository {
  constructor(private readonly clock: Clock) {}

  /** Oldest first. */
  listOf(tx: Tx, conversationIds: readonly string[]): Promise<CommentRow[]> {
    return tx.query(
      `select ${COLUMNS} from interview_comment where conversation_id = any($1::uuid[])
       order by conversation_id, id`,
      [conversationIds],
    );
  }

  async add(tx: Tx, { conversationId, questionId, by, text }: NewComment): Promise<CommentRow> {
    const id = newId();
    const [row] = await tx.query<CommentRow>(
      `insert into interview_comment (id, conversation_id, question_id, user_id, author, text, created_at)
       values ($1, $2, $3, $4, $5, $6, coalesce($7::timestamptz, clock_timestamp()))
       returning ${COLUMNS}`,
      [id, conversationId, questionId, by.userId, by.name, text, this.clock.databaseNow()],
    );
    if (row === undefined) throw new Error('a comment was inserted and not returned');
    return row;
  }

  /** Undefined: this user has no such comment there. The same text again is no edit. */
  async edit(
    tx: Tx,
    { text, ...of }: OwnComment & { text: string },
  ): Promise<CommentRow | undefined> {
    const [row] = await tx.query<CommentRow>(
      `update interview_comment set text = $4,
         edited_at = case when text = $4 then edited_at
           else coalesce($5::timestamptz, clock_timestamp()) end
       where ${IS_OWN} returning ${COLUMNS}`,
      [of.id, of.conversationId, of.userId, text, this.clock.databaseNow()],
    );
    return row;
  }

  /** False: this user has no such comment there. */
  async delete(tx: Tx, { id, conversationId, userId }: OwnComment): Promise<boolean> {
    const rows = await tx.query(`delete from interview_comment where ${IS_OWN} returning id`, [
      id,
      conversationId,
      userId,
    ]);
    return rows.length > 0;
  }
}

interface OwnComment {
  readonly id: string;
  readonly conversationId: string;
  readonly userId: string;
}

const IS_OWN = 'id = $1::uuid and conversation_id = $2 and user_id = $3';

const COLUMNS = `id, conversation_id as "conversationId", question_id as "questionId",
  user_id as "userId", author, text, created_at as "createdAt", edited_at as "editedAt"`;
