import { randomUUID } from 'node:crypto';
import type { Metrics } from '../../src/common/metrics';
import type { Tx, UnitOfWorkFactory } from '../../src/common/uow';
import { type DatabasePool, TestDatabase, openPool } from '../support/app-database';
import { addConversation } from '../support/conversations';
import { FakeChannel } from './fake-channel';
import { type DeliveryProcess, EVENT_TABLE, type LoggedEvent, deliveryProcess } from './process';
import { untilInProcess } from '../support/until';

export const LEASE_MS = 6000;
export const TIMEOUT_MS = 30_000;
/** Longer than any backoff of a part. */
export const LATER_MS = 20_000;

export interface StoredPart {
  readonly id: string;
  /** The text of the part that the candidate reads. It is set before and after the part is sent. */
  readonly words: string;
  readonly text: string | null;
  readonly plain: string | null;
  readonly state: string;
  readonly confirmed: boolean;
  readonly failures: number;
  readonly unknowns: number;
  readonly server_errors: number;
  readonly external_id: string | null;
  readonly error: string | null;
}

export interface Said {
  readonly conversationId: string;
  readonly chat: string;
  readonly messageId: string;
  readonly turnId: string | null;
}

/** A database on fake time, a fake channel, and a process that sends to it. */
export class TestDelivery extends TestDatabase {
  readonly channel = new FakeChannel();
  main: DeliveryProcess;
  /** Crashed processes whose send hangs until it times out. */
  private readonly gone: DeliveryProcess[] = [];

  private constructor(pool: DatabasePool) {
    super(pool);
    this.main = this.another();
  }

  static async open(): Promise<TestDelivery> {
    const setup = new TestDelivery(await openPool());
    await setup.sql(EVENT_TABLE);
    setup.clock.advance(60_000);
    return setup;
  }

  override get registry(): Metrics {
    return this.main.rig.metrics;
  }

  /** Another process on the same database, with the same channel. */
  another(units?: UnitOfWorkFactory): DeliveryProcess {
    return deliveryProcess(this, this.channel, units);
  }

  /** Replaces the main process: its claims stay until their leases end. */
  crash(): void {
    this.channel.hanging = 0;
    this.gone.push(this.main);
    this.main = this.another();
    this.clock.advance(LEASE_MS);
  }

  async reset(): Promise<void> {
    this.clock.advance(TIMEOUT_MS);
    for (const { rig } of this.gone.splice(0)) {
      await untilInProcess('the gone process has no job', () => rig.held.all().length === 0);
    }
    const tables = 'event_log delivery_attempt delivery turn message job channel_limiter'.split(
      ' ',
    );
    await this.sql(tables.map((table) => `delete from ${table}`).join(';'));
    this.channel.forget();
    this.main = this.another();
  }

  /** A conversation in a chat of its own, or in this one. */
  async conversation(chat: string = randomUUID()): Promise<string> {
    const id = await addConversation(this);
    this.channel.chats.set(id, chat);
    return id;
  }

  /** Stores a message of "|" separated parts; a reply belongs to an answered turn. */
  async say(
    conversationId: string,
    text: string,
    kind: 'reply' | 'notice' = 'reply',
  ): Promise<Said> {
    const messageId = randomUUID();
    const turnId = await this.commit(async (tx) => {
      await tx.query('select 1 from conversation where id = $1 for no key update', [
        conversationId,
      ]);
      await tx.query(
        `with numbered as (
           update conversation set last_seq = last_seq + 1 where id = $1 returning last_seq)
         insert into message (id, conversation_id, seq, role, channel, external_id, text,
           received_at)
         select $2::uuid, $1, last_seq, 'assistant', 'code', $2::text, $3, $4 from numbered`,
        [conversationId, messageId, text, this.clock.now()],
      );
      const turn = kind === 'reply' ? await this.addTurn(tx, conversationId, messageId) : null;
      const to = { conversationId, messageId, turnId: turn, kind, channel: 'telegram', text };
      await this.main.deliveries.add(tx, to);
      return turn;
    });
    const chat = this.channel.chats.get(conversationId) ?? '';
    return { conversationId, chat, messageId, turnId };
  }

  /** One pass; resolves when every job has ended or hangs. Returns how many jobs were claimed. */
  async work(process = this.main): Promise<number> {
    const claimed = await process.rig.worker.tick();
    await this.settled(process);
    return claimed;
  }

  async settled(process = this.main): Promise<void> {
    await untilInProcess(
      'only hanging jobs run',
      () => process.rig.held.all().length <= this.channel.hanging,
    );
  }

  /** Passes until nothing is due. */
  async workAll(process = this.main): Promise<void> {
    while ((await this.work(process)) > 0);
  }

  /** Lets time pass step by step, and does all work that becomes due. */
  async live(totalMs: number, stepMs = 1000): Promise<void> {
    for (let passedMs = 0; passedMs < totalMs; passedMs += stepMs) {
      this.clock.advance(stepMs);
      await this.workAll();
    }
  }

  /** Waits until so many sends have begun. */
  async untilBegan(count: number): Promise<void> {
    await untilInProcess(`${count} sends have begun`, () => this.channel.began.length >= count);
  }

  parts(said: Said): Promise<StoredPart[]> {
    return this.sql<StoredPart>(
      `select d.*, split_part(m.text, '|', d.part + 1) as words
       from delivery d join message m on m.id = d.message_id
       where d.message_id = $1 order by d.part`,
      [said.messageId],
    );
  }

  async states(said: Said): Promise<string[]> {
    return (await this.parts(said)).map(({ state }) => state);
  }

  /** The published events of the conversation. */
  eventsOf(conversationId: string): Promise<LoggedEvent[]> {
    return this.sql<LoggedEvent>(
      'select what, about from event_log where conversation = $1 order by id',
      [conversationId],
    );
  }

  attempts(): Promise<{ plain: string; outcome: string }[]> {
    return this.sql(
      `select split_part(m.text, '|', d.part + 1) as plain, a.outcome
       from delivery_attempt a join delivery d on d.id = a.delivery_id
       join message m on m.id = d.message_id
       order by a.id`,
    );
  }

  private async addTurn(tx: Tx, conversationId: string, messageId: string): Promise<string> {
    const [turn] = await tx.query<{ id: string }>(
      `insert into turn (answer_id, conversation_id, interview_step, channel,
         message_count, reply_message_id, started_at, state, replied_at, reply_text)
       select coalesce(max(answer_id), 0) + 1, $1, 0, 'telegram', 1, $2, $3, 'replied', $3, ''
       from turn returning id`,
      [conversationId, messageId, this.clock.now()],
    );
    if (turn === undefined) throw new Error('no turn');
    return turn.id;
  }
}
