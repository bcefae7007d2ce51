import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { BufferService } from '../../buffer';
import { PeerHealth } from '../../common/lifecycle';
import { type Tx, UnitOfWorkFactory } from '../../common/uow';
import {
  QueueBreakers,
  type Claim,
  JobHandler,
  type JobHandlerClass,
  type JobFlow,
  Jobs,
} from '../../jobs';
import { UnansweredRepository, type WaitingAnswer } from '../answer-status.repository';
import { ConversationRepository } from '../conversation.repository';
import { textsOf } from '../texts/texts';
import { SystemMessages } from '../transcript/system-messages';
import { TurnEnding } from './turn-ending';

/** How long past its quiet time an answer waits for the model before its candidate gets a notice. */
const NOTICE_AFTER_MS = 3000;
const MODEL_ADVICE =
  'Answers wait and are replied to when it responds; "colloquy doctor" checks key, address and model.';
const SWEEP_MS = 2000;
const BATCH = 200;
const LATE = { dueForMs: NOTICE_AFTER_MS, limit: BATCH };

/**
 * Notifies candidates of an outage. While the model cannot be reached, each candidate whose answer waits
 * gets one notice. Answers stay due and are replied to when the breaker closes.
 */
@Injectable()
export class OutageNotifier implements OnModuleInit {
  private readonly logger = new Logger('OutageNotifier');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly conversations: ConversationRepository,
    private readonly ending: TurnEnding,
    private readonly breakers: QueueBreakers,
    private readonly peers: PeerHealth,
    private readonly unanswered: UnansweredRepository,
  ) {}

  onModuleInit(): void {
    this.peers.register(
      'model',
      () => (this.breakers.isOpen('flush') ? 'the model cannot be reached' : null),
      MODEL_ADVICE,
    );
    this.breakers.onChange(({ queue, to }) => {
      if (queue === 'flush') this.logger.warn(`the model's breaker is ${to}`);
    });
  }

  @Interval(SWEEP_MS)
  async sweep(): Promise<void> {
    try {
      if (this.breakers.isOpen('flush')) await this.notifyWaiting();
    } catch {
      this.logger.warn('outage notices could not be stored; the next sweep tries again');
    }
  }

  /** Returns how many candidates got a notice. */
  async notifyWaiting(): Promise<number> {
    return this.units.run('outage', async (uow) => {
      const waiting = await uow.commitOne('outage.find', (tx) =>
        this.unanswered.listWaiting(tx, LATE),
      );
      let notified = 0;
      for (const answer of waiting) {
        if (await uow.commit('outage.notify', (tx) => this.notifyOne(tx, answer))) notified += 1;
      }
      return notified;
    });
  }

  /** Checks again under the lock, because the reply may have come meanwhile. */
  private async notifyOne(tx: Tx, { jobId, conversationId }: WaitingAnswer): Promise<boolean> {
    const conversation = await this.conversations.lock(tx, conversationId);
    const [waiting] = await this.unanswered.listWaiting(tx, { ...LATE, jobId });
    if (conversation === undefined || waiting === undefined) return false;
    return this.ending.noticeOutage(tx, conversation, jobId);
  }
}

/**
 * The queue `long-answer`: tells a candidate, once for each long answer, that it is being read while
 * they write. The job is stored by the statement that made the answer long (buffer_long_answer.sql).
 *
 * It asks no model and leaves the answer open. An answer that was claimed meanwhile gets its reply
 * instead, and a conversation with a person gets nothing. A second run, after a crash, finds the
 * message by its external id.
 */
@Injectable()
@JobHandler('long-answer', { concurrency: 8, maxFailures: 5 })
export class LongAnswerWorker implements JobHandlerClass {
  constructor(
    private readonly jobs: Jobs,
    private readonly buffer: BufferService,
    private readonly conversations: ConversationRepository,
    private readonly systemMessages: SystemMessages,
  ) {}

  async run(claim: Claim, { uow }: JobFlow): Promise<void> {
    await uow.commit('longAnswer.tell', async (tx) => {
      await this.tell(tx, claim);
      await this.jobs.complete(tx, claim);
    });
  }

  /** The sign is a courtesy: nobody has to look at one that was not sent. */
  onDead(): Promise<void> {
    return Promise.resolve();
  }

  private async tell(tx: Tx, { key: conversationId, payload }: Claim): Promise<void> {
    const conversation = await this.conversations.lock(tx, conversationId);
    if (conversation?.status !== 'active' || conversation.owner === 'person') return;
    const bufferId = bufferIdOf(payload);
    if (!(await this.buffer.holdOpen(tx, { bufferId }))) return;
    await this.systemMessages.send(tx, conversation, {
      role: 'system',
      externalId: `reading:${bufferId}`,
      text: textsOf(conversation.language).readingAlong,
    });
  }
}

function bufferIdOf(payload: unknown): string {
  if (typeof payload === 'object' && payload !== null && 'bufferId' in payload) {
    const { bufferId } = payload;
    if (typeof bufferId === 'string') return bufferId;
  }
  throw new TypeError('a job of the queue "long-answer" names no buffer');
}
