import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';

/**
 * The statements of an erasure. Rows of a conversation are deleted with it by `on delete cascade`.
 * Rows that no foreign key reaches are deleted here (the ledger of model requests), by the job queue,
 * or by handlers of `conversation.erased`.
 */
@Injectable()
export class ErasureRepository {
  /** Sorted in the order in which they are locked. */
  async listConversations(tx: Tx, candidateId: string): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      'select id from conversation where candidate_id = $1 order by id',
      [candidateId],
    );
    return rows.map(({ id }) => id);
  }

  /** While the lock is held, no new row can refer to the person. False: there is no such person. */
  async lockCandidate(tx: Tx, candidateId: string): Promise<boolean> {
    const rows = await tx.query('select 1 from candidate where id = $1 for update', [candidateId]);
    return rows.length > 0;
  }

  /** The keys of jobs about these conversations, or the beginnings of keys. */
  async listJobKeys(tx: Tx, conversationIds: readonly string[]): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      'select id from message where conversation_id = any($1::uuid[])',
      [conversationIds],
    );
    return [...conversationIds, ...rows.map(({ id }) => id)];
  }

  /** Stores for each vacancy how much is erased and when. Returns the number of transcript lines. */
  async note(tx: Tx, candidateId: string, now: Date | null): Promise<{ messages: number }> {
    const rows = await tx.query<{ messages: number }>(NOTE, [candidateId, now]);
    return { messages: rows.reduce((sum, { messages }) => sum + messages, 0) };
  }

  /** `otherKeys`: those of rooms beside the interview. */
  async deleteLedger(
    tx: Tx,
    conversationIds: readonly string[],
    otherKeys: readonly string[],
  ): Promise<void> {
    await tx.query(
      `delete from llm_request where subject in (
         select 'flush:' || answer_id from turn where conversation_id = any($1::uuid[])
         union all
         select unnest($2::text[])
         union all
         select 'voice:' || id from message
         where conversation_id = any($1::uuid[]) and content_type = 'VOICE')`,
      [conversationIds, otherKeys],
    );
  }

  /** Conversations first, because they refer to the candidate's invitations. */
  async deletePerson(tx: Tx, candidateId: string): Promise<void> {
    await tx.query('delete from conversation where candidate_id = $1', [candidateId]);
    await tx.query('delete from candidate where id = $1', [candidateId]);
  }
}

const NOTE = `
insert into erasure (at, vacancy_id, conversations, messages)
select coalesce($2::timestamptz, clock_timestamp()), v.vacancy_id, count(distinct c.id), count(m.id)
from (values (1)) as person
left join (
  select vacancy_id from conversation where candidate_id = $1
  union select vacancy_id from invitation where candidate_id = $1) v on true
left join conversation c on c.candidate_id = $1 and c.vacancy_id = v.vacancy_id
left join message m on m.conversation_id = c.id
group by v.vacancy_id
returning messages`;
