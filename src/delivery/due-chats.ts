import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';
import { ReplicaId } from '../jobs';

/** What is left to send of what this replica added, or has sent from. */
@Injectable()
export class DueChats {
  constructor(
    private readonly replica: ReplicaId,
    private readonly clock: Clock,
  ) {}

  /** Chats that run, or are due within that time. */
  async countOwn(tx: Tx, withinMs: number): Promise<number> {
    const rows = await tx.query<{ count: number }>(
      `select count(*)::int as count from task
       where lane = 'deliver' and worker = $1 and (state = 'running' or state in ('open', 'retry')
         and due_at <= coalesce($2::timestamptz, now()) + $3::float8 * interval '1 millisecond')`,
      [this.replica.value, this.clock.databaseNow(), withinMs],
    );
    return rows[0]?.count ?? 0;
  }
}
