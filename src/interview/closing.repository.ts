import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';
import type { ConversationOwner } from './conversation.repository';
import type { ConversationStatus } from './plan/verdicts';

/** The table `interview_closing`. The caller holds the conversation's lock. */
@Injectable()
export class ClosingRepository {
  constructor(private readonly clock: Clock) {}

  async put(tx: Tx, conversationId: string, { status, owner, state }: Closing): Promise<void> {
    await tx.query(
      `insert into interview_closing (conversation_id, status, owner, state, closed_at)
       values ($1, $2, $3, $4::jsonb, coalesce($5::timestamptz, clock_timestamp()))
       on conflict (conversation_id) do update set status = excluded.status,
         owner = excluded.owner, state = excluded.state, closed_at = excluded.closed_at`,
      [conversationId, status, owner, JSON.stringify(state), this.clock.databaseNow()],
    );
  }

  /** Deletes it. Null: there is none, or it is older than `withinMs`. */
  async take(tx: Tx, conversationId: string, withinMs: number): Promise<Closing | null> {
    const [row] = await tx.query<Closing & { readonly isLate: boolean }>(
      `delete from interview_closing where conversation_id = $1
       returning status, owner, state, closed_at < coalesce($2::timestamptz, clock_timestamp())
         - $3::float8 * interval '1 millisecond' as "isLate"`,
      [conversationId, this.clock.databaseNow(), withinMs],
    );
    if (row === undefined || row.isLate) return null;
    return { status: row.status, owner: row.owner, state: row.state };
  }

  /** The interview has gone on and ended otherwise: what it was when it was closed holds no more. */
  async drop(tx: Tx, conversationId: string): Promise<void> {
    await tx.query('delete from interview_closing where conversation_id = $1', [conversationId]);
  }
}

/** What an interview was at the time when a colleague closed it. */
interface Closing {
  readonly status: ConversationStatus;
  readonly owner: ConversationOwner;
  /** As `readState` takes it. Null: a version that did not keep it has closed the interview. */
  readonly state: unknown;
}
