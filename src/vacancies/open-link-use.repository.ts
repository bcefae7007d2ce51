import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';

/** `$…::timestamptz` in the statements is the time of tests, null in production. */
const ADD = `
insert into open_link_use (vacancy_id, minute, backend, interviews, upload_bytes)
values ($1, date_trunc('minute', coalesce($4::timestamptz, clock_timestamp())), pg_backend_pid(), $2, $3)
on conflict (vacancy_id, minute, backend) do update
set interviews = open_link_use.interviews + excluded.interviews,
  upload_bytes = open_link_use.upload_bytes + excluded.upload_bytes`;

/** Of the last ten minutes and the last day; and the seconds until the oldest minute of each is over. */
const SUMS = `
  coalesce(sum(u.interviews) filter (where u.minute > n.at - interval '10 minutes'), 0)::int
    as "burstInterviews",
  coalesce(sum(u.upload_bytes) filter (where u.minute > n.at - interval '10 minutes'), 0)::float8
    as "burstBytes",
  coalesce(sum(u.interviews), 0)::int as "dayInterviews",
  coalesce(sum(u.upload_bytes), 0)::float8 as "dayBytes",
  coalesce(extract(epoch from min(u.minute) filter (where u.minute > n.at - interval '10 minutes')
    + interval '10 minutes' - n.at), 600)::float8 as "burstEndsInS",
  coalesce(extract(epoch from min(u.minute) + interval '1 day' - n.at), 86400)::float8 as "dayEndsInS"`;

const OF_LINK = `
with n as (select coalesce($2::timestamptz, clock_timestamp()) as at)
select ${SUMS}
from n left join open_link_use u on u.vacancy_id = $1 and u.minute > n.at - interval '1 day'
group by n.at`;

/** Also links that were not used for a day, until their rows are deleted. */
const OF_ALL = `
with n as (select coalesce($1::timestamptz, clock_timestamp()) as at),
  links as (select distinct vacancy_id from open_link_use)
select v.id as "vacancyId", v.title, ${SUMS}
from links l join vacancy v on v.id = l.vacancy_id cross join n
left join open_link_use u on u.vacancy_id = v.id and u.minute > n.at - interval '1 day'
group by v.id, v.title, n.at`;

const DELETE_OLD = `
delete from open_link_use
where minute < coalesce($1::timestamptz, clock_timestamp()) - interval '26 hours'`;

export interface OpenLinkUse {
  readonly burstInterviews: number;
  readonly burstBytes: number;
  readonly dayInterviews: number;
  readonly dayBytes: number;
  /** Seconds until something of the ten minutes, and of the day, counts no longer. */
  readonly burstEndsInS: number;
  readonly dayEndsInS: number;
}

/** The table `open_link_use`. SQL, because each statement sums or counts by the database's clock. */
@Injectable()
export class OpenLinkUseRepository {
  constructor(private readonly clock: Clock) {}

  async add(
    tx: Tx,
    vacancyId: string,
    { interviews = 0, uploadBytes = 0 }: { interviews?: number; uploadBytes?: number },
  ): Promise<void> {
    await tx.query(ADD, [vacancyId, interviews, uploadBytes, this.clock.databaseNow()]);
  }

  async of(tx: Tx, vacancyId: string): Promise<OpenLinkUse> {
    const [row] = await tx.query<OpenLinkUse>(OF_LINK, [vacancyId, this.clock.databaseNow()]);
    if (row === undefined) throw new Error('a sum without a row');
    return row;
  }

  listAll(tx: Tx): Promise<(OpenLinkUse & { vacancyId: string; title: string })[]> {
    return tx.query(OF_ALL, [this.clock.databaseNow()]);
  }

  async deleteOld(tx: Tx): Promise<void> {
    await tx.query(DELETE_OLD, [this.clock.databaseNow()]);
  }
}
