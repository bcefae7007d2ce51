import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../common/clock';
import { UnitsOfWork } from '../../common/uow';
import { Conversations } from '../../persistence';
import { LiveReplies } from '../../streams';
import { LaneBreakers } from '../../tasks';
import { TurnEnding } from './turn-ending';

/** An answer that waits this long past its quiet time while the model is away deserves a word. */
const PATIENCE_MS = 3000;
const SWEEP_MS = 2000;
const BATCH = 200;

/**
 * While the model cannot be reached, tells each candidate whose answer waits for it, once. Their
 * answers stay due and are replied to when the breaker closes.
 */
@Injectable()
export class TroubleNotices implements OnModuleInit {
  private readonly logger = new Logger('TroubleNotices');

  constructor(
    private readonly units: UnitsOfWork,
    private readonly conversations: Conversations,
    private readonly ending: TurnEnding,
    private readonly breakers: LaneBreakers,
    private readonly live: LiveReplies,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.breakers.onChange(({ lane, to }) => {
      if (lane === 'flush') this.logger.warn(`the model's breaker is ${to}`);
    });
  }

  @Interval(SWEEP_MS)
  async sweep(): Promise<void> {
    if (!this.breakers.isOpen('flush')) return;
    await this.tellWaiting().catch(() => {
      this.logger.warn('trouble notices could not be stored; they are tried again');
    });
  }

  /** Answers how many candidates were told. */
  async tellWaiting(): Promise<number> {
    return this.units.run('trouble', async (uow) => {
      const waiting = await uow.commit('trouble.find', (tx) =>
        tx.query<{ id: string; key: string }>(
          `select t.id, t.key from task t
           where t.lane = 'flush' and t.state in ('open', 'retry')
             and t.quiet_at <= coalesce($1::timestamptz, now()) - $2 * interval '1 millisecond'
             and not exists (select 1 from message m
               where m.conversation_id = t.key::uuid and m.channel = 'code'
                 and m.external_id = 'trouble:' || t.id)
           order by t.id limit $3`,
          [this.clock.databaseNow(), PATIENCE_MS, BATCH],
        ),
      );
      for (const { id, key } of waiting) {
        await uow.commit('trouble.tell', async (tx) => {
          const conversation = await this.conversations.lock(tx, key);
          if (conversation !== undefined) await this.ending.tellTrouble(tx, conversation, id);
        });
        this.live.committed(key);
      }
      return waiting.length;
    });
  }
}
