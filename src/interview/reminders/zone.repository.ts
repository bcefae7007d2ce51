import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';

/** Instants at which PostgreSQL's clock of a zone was read. */
export interface ZoneHours {
  readonly timeZone: string;
  /** On the wall, in the order of the instants; null: PostgreSQL does not know the zone. */
  readonly hours: readonly number[] | null;
}

/**
 * What the clocks show by PostgreSQL's rules. They come from its machine, Node's are built into it, and
 * either may be older than a country's last change.
 */
@Injectable()
export class ZoneRepository {
  /** 0 to 23; null: PostgreSQL does not know the zone. */
  async hourIn(tx: Tx, timeZone: string, instant: Date): Promise<number | null> {
    const [row] = await this.hoursIn(tx, [timeZone], [instant]);
    return row?.hours?.[0] ?? null;
  }

  /** Only known names are converted: an unknown one would end the transaction. */
  hoursIn(
    tx: Tx,
    timeZones: readonly string[],
    instants: readonly Date[],
  ): Promise<readonly ZoneHours[]> {
    return tx.query<ZoneHours>(
      `select w.name as "timeZone", (
         select array_agg(extract(hour from i.at at time zone z.name)::int order by i.n)
         from (select min(name) as name from pg_timezone_names
               where lower(name) = lower(w.name)) as z,
           unnest($2::timestamptz[]) with ordinality as i (at, n)
         where z.name is not null) as hours
       from unnest($1::text[]) as w (name) order by w.name`,
      [timeZones, instants],
    );
  }

  /** The zones of candidates whose interview is active, and of their vacancies. */
  async inUse(tx: Tx): Promise<string[]> {
    const rows = await tx.query<{ name: string }>(
      `select distinct name from conversation c
       cross join lateral (values (c.time_zone), (c.plan ->> 'timeZone')) as z (name)
       where c.status = 'active' and name is not null order by 1`,
    );
    return rows.map(({ name }) => name);
  }
}
