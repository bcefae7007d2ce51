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
import { ExpirySweep, FlushAdmission } from '../../src/buffer/flush';
import { FlushRepository } from '../../src/buffer/flush.repository';
import { DebounceRepository } from '../../src/jobs';
import { DomainEvents } from '../../src/common/events';
import type { Metrics } from '../../src/common/metrics';
import { type DatabasePool, TestDatabase, openPool } from '../support/app-database';
import { addConversation } from '../support/conversations';
import { WebChannel } from '../../src/channels/web/web.channel';
import { TestTelegram, registryOf } from '../support/channels';
import { settingsForTests } from '../support/settings';
import { type JobRig, type JobRow, jobRig, queueOf } from '../support/jobs';
import { ScriptedTurns } from './scripted-turns';

export interface TurnRow {
  readonly id: string;
  readonly answer_id: string;
  readonly state: string;
  readonly reply_text: string | null;
  readonly interview_step: number;
}

/** One process: the buffer, a job worker that the test ticks, and the test's turns. */
export interface Process {
  readonly rig: JobRig;
  readonly buffer: BufferService;
  readonly turns: ScriptedTurns;
  readonly sweep: ExpirySweep;
}

/** A database on fake time and a process that collects answers on it. */
export class TestBuffer extends TestDatabase {
  main: Process;

  private constructor(
    pool: DatabasePool,
    private readonly env: Record<string, string>,
  ) {
    super(pool);
    this.main = this.another();
  }

  static async open(env: Record<string, string> = {}): Promise<TestBuffer> {
    return new TestBuffer(await openPool(), env);
  }

  override get registry(): Metrics {
    return this.main.rig.metrics;
  }

  /** Another process on the same database. The two share nothing else. */
  another(env: Record<string, string> = {}): Process {
    return newProcess(this, { ...this.env, ...env });
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

  get buffer(): BufferService {
    return this.main.buffer;
  }

  conversation(): Promise<string> {
    return addConversation(this);
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

  done(
    conversationId: string,
    last?: { channel: ChannelName; externalId: string },
  ): Promise<{ dueAt: Date | null }> {
    const lastMessage = last === undefined ? {} : { lastMessage: last };
    return this.commit((tx) => this.buffer.finish(tx, { conversationId, ...lastMessage }));
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
    return this.append(conversationId, '', { channel: 'telegram', externalId, isPending: true });
  }

  transcribed(conversationId: string, externalId: string, text: string): Promise<void> {
    const transcript = { conversationId, channel: 'telegram' as const, externalId, text };
    return this.commit((tx) => this.buffer.settlePending(tx, transcript));
  }

  /** The messages that wait; `beforeReply`: as a turn that opened now would decide. */
  async waiting(
    conversationId: string,
    answerId?: string,
  ): Promise<(BufferedMessage & { beforeReply: boolean | undefined })[]> {
    const of = answerId === undefined ? { conversationId } : { conversationId, answerId };
    const messages = await this.commit((tx) => this.buffer.getMessages(tx, of));
    const rows = await this.sql<{ id: string; early: boolean }>(
      `select id, before_reply and came_before_reply(conversation_id, seq, received_at) as early
       from message where conversation_id = $1`,
      [conversationId],
    );
    const early = new Map(rows.map((row) => [row.id, row.early]));
    return messages.map((message) => ({ ...message, beforeReply: early.get(message.id) }));
  }

  async texts(conversationId: string, answerId?: string): Promise<string[]> {
    return (await this.waiting(conversationId, answerId)).map((message) => message.text);
  }

  /** One pass of the main process's worker; resolves when every job has ended or hangs. */
  async tick(process = this.main): Promise<number> {
    const claimed = await process.rig.worker.tick();
    await this.until(
      'all jobs end or hang',
      () => process.rig.held.all().length === process.turns.hanging,
    );
    return claimed;
  }

  /** Claims what is due and runs nothing, like a worker that crashes; returns the buffers' ids. */
  async claimOnly(): Promise<string[]> {
    const { rows } = await this.main.rig.claims.claimReady(queueOf('flush'), 10);
    return rows.map((row) => row.jobId);
  }

  /** Ticks until nothing is left to claim. */
  async tickAll(): Promise<void> {
    while ((await this.tick()) > 0);
  }

  job(id: string): Promise<JobRow> {
    return this.one<JobRow>('select * from job where id = $1', [id]);
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
    return due === null ? null : due.getTime() - this.clock.now().getTime();
  }
}

function newProcess(db: TestDatabase, env: Record<string, string>): Process {
  const { units, clock } = db;
  const settings = settingsForTests(env);
  const rig = jobRig(db, { settings });
  const { jobs, replica, breakers } = rig;
  const timers = new DebounceRepository(clock, replica, jobs);
  const buffers = new BufferRepository(clock);
  const flushes = new FlushRepository(clock);
  const metrics = new BufferMetrics(rig.metrics, units, timers);
  const channels = registryOf(new WebChannel(), new TestTelegram());
  const events = new DomainEvents();
  const buffer = new BufferService(settings, buffers, timers, jobs, channels, metrics, events);
  const admission = new FlushAdmission(settings, flushes, buffers, timers, metrics, clock);
  const turns = new ScriptedTurns(admission, units, jobs, buffer, clock);
  events.register(turns);
  rig.registry.register(turns);
  const sweep = new ExpirySweep(settings, units, events, jobs, breakers, flushes, buffers, metrics);
  return { rig, buffer, turns, sweep };
}
