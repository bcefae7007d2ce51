import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import type { Tx } from '../../common/uow';
import { z } from 'zod';

/** A column may be replaced, of which an event tells that may be lost: after this it is read again. */
const TRUSTED_MS = 3_600_000;
/** Ids that are younger are not written again. */
const FRESH_MS = 600_000;

const PROPERTY = z.object({ id: z.string() });

/** By which ids events name the properties that the sync reads or writes. */
export interface OurIds {
  readonly all: ReadonlySet<string>;
  readonly assignee: string;
}

/** `notion_property`: the ids, as the last page that was read had them. Events name no property by name. */
@Injectable()
export class PropertyIdRepository {
  private readonly assignee: string;
  /** Of every property whose change may change a board. */
  private readonly names: readonly string[];

  constructor(
    { notionBoard }: Settings,
    private readonly clock: Clock,
  ) {
    // No rank depends on what a task is called.
    const { name: _, ...names } = notionBoard.names;
    this.assignee = names.assignee;
    this.names = Object.values(names).filter((name) => name !== null);
  }

  /** Null: not known, or not known well enough. */
  async known(tx: Tx): Promise<OurIds | null> {
    const [row] = await tx.query<{ ids: Record<string, string> }>(
      `select ids from notion_property
       where learned_at > coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'`,
      [this.clock.databaseNow(), TRUSTED_MS],
    );
    const assignee = row?.ids[this.assignee];
    const ids = this.names.flatMap((name) => row?.ids[name] ?? []);
    if (assignee === undefined || ids.length < this.names.length) return null;
    return { all: new Set(ids), assignee };
  }

  /** A page was read, and has these properties. One that lacks some of ours says nothing. */
  async learn(tx: Tx, properties: Readonly<Record<string, unknown>>): Promise<void> {
    const ids: Record<string, string> = {};
    for (const name of this.names) {
      const { data } = PROPERTY.safeParse(
        Object.hasOwn(properties, name) ? properties[name] : undefined,
      );
      if (data === undefined) return;
      ids[name] = plainId(data.id);
    }
    await tx.query(
      `insert into notion_property as p (ids, learned_at)
       values ($1, coalesce($2::timestamptz, clock_timestamp()))
       on conflict (id) do update set ids = excluded.ids, learned_at = excluded.learned_at
       where p.ids <> excluded.ids
         or p.learned_at < excluded.learned_at - $3::float8 * interval '1 millisecond'`,
      [JSON.stringify(ids), this.clock.databaseNow(), FRESH_MS],
    );
  }

  /** The columns were changed. */
  async forget(tx: Tx): Promise<void> {
    await tx.query(`delete from notion_property`);
  }
}

/** Notion writes ids as a part of an address in some places, and plainly in others. */
export function plainId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
