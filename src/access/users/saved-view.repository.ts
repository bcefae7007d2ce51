import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';

/** A view of the list of interviews that a colleague has saved: filters with a name. */
export interface SavedView {
  readonly id: string;
  readonly name: string;
  /** Of the list's address, without its question mark. */
  readonly query: string;
}

export const MOST_VIEWS = 30;

/** The table `saved_view`. Each colleague has their own. */
@Injectable()
export class SavedViewRepository {
  constructor(private readonly clock: Clock) {}

  /** In the order in which they were first saved. */
  list(tx: Tx, userId: string): Promise<SavedView[]> {
    return tx.query(
      `select id, name, query from saved_view where user_id = $1 order by created_at, id`,
      [userId],
    );
  }

  /** Stores a new view, or replaces what the one of this id says. False: the user has 30 others. */
  async put(tx: Tx, userId: string, { id, name, query }: SavedView): Promise<boolean> {
    // Of two at once the second one counts the view of the first.
    await tx.query('select from app_user where id = $1 for no key update', [userId]);
    const rows = await tx.query(
      `insert into saved_view (user_id, id, name, query, created_at)
       select $1::uuid, $2::uuid, $3::text, $4::text, coalesce($5::timestamptz, clock_timestamp())
       where (select count(*) from saved_view where user_id = $1 and id <> $2) < $6
       on conflict (user_id, id) do update set name = excluded.name, query = excluded.query
       returning id`,
      [userId, id, name, query, this.clock.databaseNow(), MOST_VIEWS],
    );
    return rows.length > 0;
  }

  async delete(tx: Tx, userId: string, id: string): Promise<void> {
    await tx.query('delete from saved_view where user_id = $1 and id = $2', [userId, id]);
  }
}
