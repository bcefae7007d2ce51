import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../common/clock';
import { PeerHealth } from '../../common/lifecycle';
import { type Tx, UnitOfWorkFactory } from '../../common/uow';
import { ConversationRepository } from '../conversation.repository';
import { QueueBreakers } from '../../jobs';
import { TurnEnding } from './turn-ending';

/** How long past its quiet time an answer waits, while the model is away, before its candidate is told. */
const PATIENCE_MS = 3000;
const SWEEP_MS = 2000;
const BATCH = 200;

/** Due, and not answered: the answer of its conversation that is to be replied to next. */
const WAITING = `t.queue = 'flush' and t.state in ('open', 'retry')
  and t.quiet_at <= coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'
  and not exists (select 1 from job e
    where e.queue = 'flush' and e.key = t.key and e.id < t.id
      and e.state in ('open', 'running', 'retry'))
  and not exists (select 1 from message m
    where m.conversation_id = t.key::uuid and m.channel = 'code'
      and m.external_id = 'trouble:' || t.id)`;

interface WaitingAnswer {
  readonly id: string;
  readonly key: string;
}

/**
 * Tells candidates what no reply tells them. While the model cannot be reached, each one whose
 * answer waits for it hears so, once; answers stay due and are replied to when the breaker closes.
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
    private readonly clock: Clock,
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
      this.logger.warn('trouble notices could not be stored; they are tried again');
    }
  }

  /** Returns how many candidates were told. */
  async notifyWaiting(): Promise<number> {
    return this.units.run('trouble', async (uow) => {
      const waiting = await uow.commitOne('trouble.find', (tx) => this.listWaiting(tx, null));
      let told = 0;
      for (const { id, key } of waiting) {
        if (!(await uow.commit('trouble.tell', (tx) => this.tellOne(tx, { id, key })))) continue;
        told += 1;
      }
      return told;
    });
  }

  /** Looks again under the lock: the reply may have come meanwhile. */
  private async tellOne(tx: Tx, { id, key }: WaitingAnswer): Promise<boolean> {
    const conversation = await this.conversations.lock(tx, key);
    const [waiting] = await this.listWaiting(tx, id);
    if (conversation === undefined || waiting === undefined) return false;
    return this.ending.tellTrouble(tx, conversation, id);
  }

  private listWaiting(tx: Tx, only: string | null): Promise<WaitingAnswer[]> {
    return tx.query<WaitingAnswer>(
      `select t.id, t.key from job t
       where ${WAITING} and ($3::bigint is null or t.id = $3) order by t.id limit $4`,
      [this.clock.databaseNow(), PATIENCE_MS, only, BATCH],
    );
  }
}
