import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { PeerHealth } from '../../common/lifecycle';
import { type Tx, UnitOfWorkFactory } from '../../common/uow';
import { ConversationRepository } from '../conversation.repository';
import { QueueBreakers } from '../../jobs';
import { TurnEnding } from './turn-ending';
import { UnansweredRepository, type WaitingAnswer } from './unanswered.repository';

/** How long past its quiet time an answer waits for the model before its candidate gets a notice. */
const NOTICE_AFTER_MS = 3000;
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
    this.peers.register('model', () =>
      this.breakers.isOpen('flush') ? 'the model cannot be reached' : null,
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
