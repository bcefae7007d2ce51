import { Logger } from '@nestjs/common';
import type { ChannelName } from '../../src/channels';
import { randomUUID } from 'node:crypto';
import {
  type AppendedMessage,
  BufferService,
  type BufferedMessage,
  type NewMessage,
} from '../../src/buffer';
import { BufferMetrics } from '../../src/buffer/buffer.metrics';
import { BufferRepository } from '../../src/buffer/buffer.repository';
import { ExpirySweep } from '../../src/buffer/expiry-sweep';
import { FlushAdmission } from '../../src/buffer/flush';
import { FlushRepository } from '../../src/buffer/flush.repository';
import { DebounceRepository } from '../../src/jobs';
import { EventBus } from '../../src/common/events';
import { MessageEdits } from '../../src/buffer/message-edits';
import { MessageIntake } from '../../src/buffer/message-intake';
import type { Clock } from '../../src/common/clock';
import type { Tx } from '../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import type { FakeClock } from '../support/clock';
import { WebChannel } from '../../src/channels/web/web.channel';
import { TestTelegram, registryOf } from '../support/channels';
import { settingsForTests } from '../support/settings';
import { type JobRig, inCommit, jobRig, queueOf } from '../support/jobs';
import { gate } from '../../tools/http-fake/gate';
import { TestTurns } from './test-turns';

export interface JobRow {
  readonly id: string;
  readonly state: string;
  readonly due_at: Date | null;
  readonly leased_until: Date | null;
  readonly quiet_at: Date;
  readonly first_at: Date;
  readonly claim_no: number;
  readonly failures: number;
  readonly count: number;
  readonly weight: number;
  readonly holds: number;
  readonly sealed: boolean;
  readonly worker: string | null;
  readonly last_error: string | null;
}

export interface TurnRow {
  readonly id: string;
  readonly flush_id: string;
  readonly buffer_id: string;
  readonly state: string;
  readonly reply_text: string | null;
  readonly interview_step: number;
}

/** One process: the buffer, a job worker that the test ticks, and the test's turns. */
export interface Process {
  readonly rig: JobRig;
  readonly buffer: BufferService;
  readonly turns: TestTurns;
  readonly sweep: ExpirySweep;
}

export type Fixture<C extends Clock = FakeClock> = BufferFixture<C>;

/** A database and a process on it, on fake time. */
export class BufferFixture<C extends Clock> {
  private constructor(
    readonly db: TestDatabase<C>,
    private readonly env: Record<string, string>,
    public main: Process,
  ) {}

  static async open(env: Record<string, string> = {}): Promise<BufferFixture<FakeClock>> {
    // The tests cause failures on purpose: their log lines say nothing.
    Logger.overrideLogger(false);
    const db = await openTestDatabase();
    await addCandidate(db);
    return new BufferFixture(db, env, newProcess(db, env));
  }

  /** Another process on the same database. The two share nothing else. */
  another(env: Record<string, string> = {}): Process {
    return newProcess(this.db, { ...this.env, ...env });
  }

  /** Replaces the main process: its claims stay, and nobody renews their leases. */
  crash(): void {
    this.main = this.another();
  }

  /** Deletes the answers of a test; conversations stay. */
  async reset(): Promise<void> {
    for (const table of ['llm_request', 'turn', 'message', 'job']) {
      await this.sql(`delete from ${table}`);
    }
    this.main = this.another();
  }

  close(): Promise<void> {
    return this.db.close();
  }

  get buffer(): BufferService {
    return this.main.buffer;
  }

  async conversation(): Promise<string> {
    const id = randomUUID();
    await this.sql(
      `insert into conversation (id, vacancy_id, candidate_id, language, plan, status, state)
       select $1, v.id, c.id, 'en', '{}', 'active', '{}' from vacancy v, candidate c`,
      [id],
    );
    return id;
  }

  commit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return inCommit(this.db.units, work);
  }

  append(
    conversationId: string,
    text: string,
    more: Partial<NewMessage> = {},
  ): Promise<AppendedMessage> {
    const message = { conversationId, channel: 'web', externalId: randomUUID(), text, ...more };
    return this.commit((tx) => this.buffer.append(tx, message as NewMessage));
  }

  type(conversationId: string): Promise<{ dueAt: Date | null }> {
    return this.commit((tx) => this.buffer.noteActivity(tx, { conversationId, kind: 'typing' }));
  }

  done(conversationId: string): Promise<{ dueAt: Date | null }> {
    return this.commit((tx) => this.buffer.finish(tx, { conversationId }));
  }

  edit(
    conversationId: string,
    externalId: string,
    text: string,
    channel: ChannelName = 'web',
  ): Promise<'edited' | 'amendment'> {
    return this.commit((tx) => this.buffer.edit(tx, { conversationId, channel, externalId, text }));
  }

  /** A voice on Telegram that is still being transcribed. */
  voice(conversationId: string, externalId: string): Promise<AppendedMessage> {
    return this.append(conversationId, '', { channel: 'telegram', externalId, isHeld: true });
  }

  transcribed(conversationId: string, externalId: string, text: string): Promise<void> {
    const transcript = { conversationId, channel: 'telegram' as const, externalId, text };
    return this.commit((tx) => this.buffer.settleHold(tx, transcript));
  }

  waiting(conversationId: string, bufferId?: string): Promise<BufferedMessage[]> {
    const of = bufferId === undefined ? { conversationId } : { conversationId, bufferId };
    return this.commit((tx) => this.buffer.getMessages(tx, of));
  }

  async texts(conversationId: string, bufferId?: string): Promise<string[]> {
    return (await this.waiting(conversationId, bufferId)).map((message) => message.text);
  }

  /** One pass of the main process's worker; resolves when every job has ended or hangs. */
  async tick(process = this.main): Promise<number> {
    const claimed = await process.rig.worker.tick();
    await until(() => process.rig.held.all().length === process.turns.hanging);
    return claimed;
  }

  /** Claims what is due and runs nothing, like a worker that crashes; returns the buffers' ids. */
  async claimOnly(): Promise<string[]> {
    const rows = await this.main.rig.claims.claimReady(queueOf('flush'), 10);
    return rows.map((row) => row.jobId);
  }

  /** Ticks until nothing is left to claim. */
  async tickAll(): Promise<void> {
    while ((await this.tick()) > 0);
  }

  async job(id: string): Promise<JobRow> {
    const [row] = await this.sql<JobRow>('select * from job where id = $1', [id]);
    if (row === undefined) throw new Error(`no job ${id}`);
    return row;
  }

  jobs(conversationId: string): Promise<JobRow[]> {
    return this.sql<JobRow>(`select * from job where queue = 'flush' and key = $1 order by id`, [
      conversationId,
    ]);
  }

  turnsOf(conversationId: string): Promise<TurnRow[]> {
    return this.sql<TurnRow>('select * from turn where conversation_id = $1 order by id', [
      conversationId,
    ]);
  }

  /** From the fake now. */
  async dueInMs(conversationId: string): Promise<number | null> {
    const due = await this.commit((tx) => this.buffer.dueAt(tx, { conversationId }));
    return due === null ? null : due.getTime() - this.db.clock.now().getTime();
  }

  /** A commit whose work is done and that stays open until `end` is called. */
  async halfDone<T>(work: (tx: Tx) => Promise<T>): Promise<{ end(): Promise<T> }> {
    const worked = gate();
    const mayEnd = gate();
    const ended = this.commit(async (tx) => {
      const result = await work(tx);
      worked.open();
      await mayEnd.opened;
      return result;
    });
    await worked.opened;
    return {
      end: () => {
        mayEnd.open();
        return ended;
      },
    };
  }

  /** A commit that runs `between` after each of its statements. */
  interleaved<T>(work: (tx: Tx) => Promise<T>, between: () => Promise<void>): Promise<T> {
    return this.commit((tx) => {
      const query = async <Row>(text: string, values?: readonly unknown[]): Promise<Row[]> => {
        const rows = await tx.query<Row>(text, values);
        await between();
        return rows;
      };
      return work({ ...tx, query });
    });
  }

  /** Waits until a statement waits for a lock. */
  async untilLockWait(): Promise<void> {
    for (let look = 0; look < 500; look += 1) {
      const waiting = await this.sql(
        `select 1 from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      if (waiting.length > 0) return;
    }
    throw new Error('no statement waits for a lock');
  }

  sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return rowsOf<Row>(this.db, text, values);
  }
}

/** Waits for a condition of this process; no time passes on the fake clock. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

function newProcess(db: TestDatabase<Clock>, env: Record<string, string>): Process {
  const { units, clock } = db;
  const settings = settingsForTests(env);
  const rig = jobRig({ ...db, settings });
  const { jobs, replica, breakers } = rig;
  const timers = new DebounceRepository(clock, replica);
  const buffers = new BufferRepository(clock, replica);
  const flushes = new FlushRepository(clock);
  const metrics = new BufferMetrics(rig.metrics, units, timers);
  const channels = registryOf(new WebChannel(), new TestTelegram());
  const intake = new MessageIntake(settings, buffers, channels);
  const edits = new MessageEdits(settings, buffers, timers, intake);
  const events = new EventBus();
  const buffer = new BufferService(settings, buffers, timers, jobs, intake, edits, metrics, events);
  const admission = new FlushAdmission(settings, flushes, buffers, timers, metrics);
  const turns = new TestTurns(admission, units, jobs, buffer, clock);
  events.register(turns);
  rig.registry.register(turns);
  const sweep = new ExpirySweep(settings, units, events, jobs, breakers, flushes, buffers, metrics);
  return { rig, buffer, turns, sweep };
}

async function addCandidate(db: TestDatabase<Clock>): Promise<void> {
  await rowsOf(
    db,
    `insert into vacancy (id, slug, language, title, company, owner, plan, open_token)
     values ($1, 's', 'en', 't', 'c', '{}', '{}', 'o')`,
    [randomUUID()],
  );
  await rowsOf(db, 'insert into candidate (id) values ($1)', [randomUUID()]);
}

function rowsOf<Row>(db: TestDatabase<Clock>, text: string, values: unknown[]): Promise<Row[]> {
  return db.dataSource.query<Row[]>(text, values);
}
