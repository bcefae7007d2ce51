import { randomUUID } from 'node:crypto';
import {
  type BufferService,
  type DeadFlush,
  type Flush,
  type FlushAdmission,
  FlushHandler,
} from '../../src/buffer';
import type { Clock } from '../../src/common/clock';
import type { Tx, UnitOfWorkFactory } from '../../src/common/uow';
import { DomainEventHandler, type PayloadOf } from '../../src/common/events';
import { JobHandler, PeerUnavailableError, type Jobs } from '../../src/jobs';

/** What happens to the next flush. A crash leaves the flush hanging, because its process is gone. */
export type Fate =
  | 'replied'
  | 'fails'
  | 'peer_down'
  | 'crashes_before_open'
  | 'crashes_after_open'
  | 'crashes_after_model'
  | 'crashes_after_close';

/**
 * The smallest FlushHandler that keeps the rules of a turn: open, request, close. Its process may
 * crash after each of them. The "model" repeats the answer.
 */
@JobHandler('flush', { concurrency: 8, maxFailures: 5, drain: 'flows' })
export class ScriptedTurns extends FlushHandler {
  /** Fates of the next flushes, in order; then `replied`. */
  readonly fates: Fate[] = [];
  /** Requests to the model, one entry per attempt. */
  readonly requests: { answerId: string; text: string }[] = [];
  readonly dead: DeadFlush[] = [];
  readonly expired: DeadFlush[] = [];
  /** Flushes that never end. */
  hanging = 0;
  /** False: a reply is stored first and delivered by `deliver`, as on Telegram. */
  deliversAtOnce = true;
  /** Runs in the commit of an expiry. */
  whileExpired: () => Promise<void> = () => Promise.resolve();
  /** Runs during the model request. */
  whileAsked: () => Promise<void> = () => Promise.resolve();

  constructor(
    admission: FlushAdmission,
    private readonly units: UnitOfWorkFactory,
    private readonly jobs: Jobs,
    private readonly buffer: BufferService,
    private readonly clock: Clock,
  ) {
    super(admission);
  }

  override async stillNeeded(tx: Tx, answerIds: readonly string[]): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      `select answer_id as id from turn
       where answer_id = any($1) and state in ('opened', 'replied')`,
      [answerIds],
    );
    return rows.map(({ id }) => id);
  }

  protected override async flush(flush: Flush): Promise<void> {
    const fate = this.fates.shift() ?? 'replied';
    await this.units.run('turn', async (uow) => {
      if (fate === 'crashes_before_open') await this.hang();
      const answer = await uow.commit('turn.open', (tx) => this.open(tx, flush));
      if (answer === null) return;
      if (fate === 'crashes_after_open') await this.hang();
      if (fate === 'peer_down') throw new PeerUnavailableError('the model is away');
      await uow.commit('llm', (tx) => this.logRequest(tx, flush));
      this.requests.push({ answerId: flush.answerId, text: answer });
      await this.whileAsked();
      if (fate === 'fails') throw new Error('the model refused');
      if (fate === 'crashes_after_model') await this.hang();
      await uow.commit('turn.close', (tx) => this.close(tx, flush, `re: ${answer}`));
      if (fate === 'crashes_after_close') await this.hang();
    });
  }

  protected override async onDeadFlush(tx: Tx, flush: DeadFlush): Promise<void> {
    await lock(tx, flush.conversationId);
    await this.giveUp(tx, flush, 'failed');
    this.dead.push(flush);
  }

  @DomainEventHandler('buffer.expired')
  async onExpired(tx: Tx, event: PayloadOf<'buffer.expired'>): Promise<void> {
    await this.giveUp(tx, event, 'expired');
    await this.whileExpired();
    this.expired.push(event);
  }

  /** The last part of the conversation's stored reply was sent. */
  async deliver(tx: Tx, conversationId: string): Promise<void> {
    await lock(tx, conversationId);
    const rows = await tx.query<{ answer_id: string }>(
      `update turn set state = 'delivered', completed_at = $2
       where conversation_id = $1 and state = 'replied' returning answer_id`,
      [conversationId, this.clock.now()],
    );
    for (const row of rows) await this.buffer.clearBuffer(tx, { answerId: row.answer_id });
  }

  /** The answer as one text; null when nothing is left to do. */
  private async open(tx: Tx, flush: Flush): Promise<string | null> {
    const { conversationId, answerId } = flush;
    await lock(tx, conversationId);
    await this.jobs.fence(tx, flush.claim);
    const [known] = await tx.query<{ state: string }>(
      `select state from turn where answer_id = $1`,
      [answerId],
    );
    const messages = await tx.query<{ text: string }>(
      `select text from message where answer_id = $1 and role = 'user' and text <> '' order by seq`,
      [answerId],
    );
    if (messages.length === 0 || known?.state === 'replied' || known?.state === 'delivered') {
      await this.jobs.complete(tx, flush.claim);
      return null;
    }
    await tx.query(
      `insert into turn (answer_id, conversation_id, interview_step, channel,
         message_count, reply_message_id, started_at)
       select $1, c.id, c.interview_step, 'web', $3, $4, $5 from conversation c where c.id = $2
       on conflict (answer_id) do update set epoch = turn.epoch + 1, state = 'opened'`,
      [answerId, conversationId, messages.length, randomUUID(), this.clock.now()],
    );
    return messages.map((message) => message.text).join('\n\n');
  }

  private async close(tx: Tx, flush: Flush, reply: string): Promise<void> {
    const { conversationId, answerId } = flush;
    await lock(tx, conversationId);
    await this.jobs.fence(tx, flush.claim);
    await tx.query(
      `with numbered as (
         update conversation set last_seq = last_seq + 1, interview_step = interview_step + 1
         where id = $1 returning last_seq)
       insert into message (id, conversation_id, seq, role, channel, external_id, text,
         received_at, cleared_at)
       select u.reply_message_id, $1, last_seq, 'assistant', 'code', 'reply:' || $2::bigint, $3, $4, $4
       from numbered, turn u where u.answer_id = $2`,
      [conversationId, answerId, reply, this.clock.now()],
    );
    await tx.query(
      `update turn set state = $2, reply_text = $3, replied_at = $4,
         completed_at = case when $2 = 'delivered' then $4::timestamptz end
       where answer_id = $1`,
      [answerId, this.deliversAtOnce ? 'delivered' : 'replied', reply, this.clock.now()],
    );
    if (this.deliversAtOnce) await this.buffer.clearBuffer(tx, { answerId });
    await this.jobs.complete(tx, flush.claim);
  }

  private async logRequest(tx: Tx, flush: Flush): Promise<void> {
    await tx.query(
      `insert into llm_request (subject, purpose, n) values ($1, 'interview', 1)
       on conflict do nothing`,
      [`flush:${flush.answerId}`],
    );
  }

  private async giveUp(tx: Tx, flush: DeadFlush, state: 'failed' | 'expired'): Promise<void> {
    await tx.query(
      `insert into turn (answer_id, conversation_id, interview_step, channel,
         message_count, reply_message_id, started_at, completed_at, state)
       values ($1, $2, 0, 'web', 0, $3, $4, $4, $5)
       on conflict (answer_id) do update set state = excluded.state,
         completed_at = excluded.completed_at`,
      [flush.answerId, flush.conversationId, randomUUID(), this.clock.now(), state],
    );
  }

  private hang(): Promise<never> {
    this.hanging += 1;
    return new Promise(() => undefined);
  }
}

async function lock(tx: Tx, conversationId: string): Promise<void> {
  await tx.query('select 1 from conversation where id = $1 for no key update', [conversationId]);
}
