import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { UnitOfWorkFactory } from '../../common/uow';
import { LiveReplies } from '../../streams';
import { textsOf } from '../texts/texts';
import { VoiceSettling } from './voice-settling';
import { VoiceRepository } from './voice-table';

const SWEEP_MS = 5000;
const BATCH = 100;
const PREFIX = 'voice-waits:';

/**
 * Tells candidates whose voice message nobody could listen to for as long as an answer waits at
 * most: it is kept, and they may write instead. Each message once.
 */
@Injectable()
export class VoiceDelays {
  private readonly logger = new Logger('Voices');
  private readonly waitMs;

  constructor(
    settings: Settings,
    private readonly units: UnitOfWorkFactory,
    private readonly voices: VoiceRepository,
    private readonly settling: VoiceSettling,
    private readonly live: LiveReplies,
    private readonly clock: Clock,
  ) {
    this.waitMs = settings.buffer.maxWaitMs;
  }

  @Interval(SWEEP_MS)
  async sweep(): Promise<void> {
    try {
      await this.tellWaiting();
    } catch {
      this.logger.warn('notices about voices could not be stored; they are tried again');
    }
  }

  /** Answers how many were told. */
  async tellWaiting(): Promise<number> {
    return this.units.run('voice.delays', async (uow) => {
      const overdue = await uow.commitOne('voice.overdue', (tx) =>
        this.voices.listOverdue(tx, {
          waitMs: this.waitMs,
          now: this.clock.databaseNow(),
          limit: BATCH,
          noticePrefix: PREFIX,
        }),
      );
      let told = 0;
      for (const { messageId, conversationId } of overdue) {
        const isTold = await uow.commit('voice.tell', async (tx) => {
          const locked = await this.settling.lockWaiting(tx, messageId);
          if (locked === undefined) return false;
          const { voice, conversation } = locked;
          const text = textsOf(conversation.language).voiceWaits;
          return this.settling.tell(tx, conversation, voice, {
            externalId: `${PREFIX}${messageId}`,
            text,
          });
        });
        if (!isTold) continue;
        told += 1;
        this.live.committed(conversationId);
      }
      return told;
    });
  }
}
