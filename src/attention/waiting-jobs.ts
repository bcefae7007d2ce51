import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { UnitOfWorkFactory } from '../common/uow';

const SWEEP_MS = 5000;
const BATCH = 200;

/** Once for each job: whoever has closed the item knows of it. */
const RAISE = `
insert into attention (kind, subject, conversation_id, job_id, reason, created_at)
select 'waiting', 'job:' || t.id,
  coalesce(
    (select c.id from conversation c where t.queue = 'flush' and c.id = t.key::uuid),
    (select m.conversation_id from message m
      where t.queue in ('transcribe', 'fetch-file') and m.id = t.key::uuid)),
  t.id,
  format('a job of "%s" has been waiting since %s UTC, tried %s times, and is tried on: %s', t.queue,
    to_char(t.given_back_since at time zone 'UTC', 'YYYY-MM-DD HH24:MI'), t.given_back + t.failures,
    coalesce(t.last_error, 'no reason')),
  coalesce($1::timestamptz, clock_timestamp())
from job t
where t.given_back_since is not null and t.state in ('open', 'running', 'retry')
  and t.given_back_since <= coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'
  and not exists (select 1 from attention a where a.kind = 'waiting' and a.job_id = t.id)
order by t.given_back_since limit ${String(BATCH)}
on conflict (kind, subject) where closed_at is null do nothing
returning id`;

const SETTLE = `
update attention a
set closed_at = coalesce($1::timestamptz, clock_timestamp()), closed_by = 'colloquy',
  resolution = 'the job is not waiting any more'
where a.kind = 'waiting' and a.closed_at is null
  and not exists (
    select 1 from job t
    where t.id = a.job_id and t.given_back_since is not null
      and t.state in ('open', 'running', 'retry'))
returning id`;

/**
 * Puts into the list what is given back for longer than TASK_ATTENTION_AFTER, whatever it waits
 * for: an outage that goes on, or one prompt that its server always refuses while nobody else asks.
 * The job goes on being tried. A sweep finds also those that nobody claims while a breaker is open.
 */
@Injectable()
export class WaitingJobs {
  private readonly logger = new Logger('Attention');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  @Interval(SWEEP_MS)
  async runOnSchedule(): Promise<void> {
    try {
      await this.sweep();
    } catch {
      this.logger.warn('waiting jobs could not be looked for; trying again soon');
    }
  }

  /** How many items were raised, and how many closed because their job waits no more. */
  async sweep(): Promise<{ raised: number; settled: number }> {
    const now = this.clock.databaseNow();
    const { attentionAfterMs } = this.settings.jobs;
    return this.units.run('attention.waiting', (uow) =>
      uow.commit('attention.waiting', async (tx) => {
        const settled = await tx.query(SETTLE, [now]);
        const raised = await tx.query(RAISE, [now, attentionAfterMs]);
        return { raised: raised.length, settled: settled.length };
      }),
    );
  }
}
