import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { describeError } from '../../common/errors';
import { PeerUnavailableError } from '../../jobs';
import { NotionApi } from '../api/notion-api';
import { notionIdOf } from '../board/board-schema';
import { retryUntilDone } from '../../common/lifecycle';

/**
 * The integration's own user in Notion, so that events of our own writes are ignored. Until it is known,
 * no event counts as our own: that costs a read of a board that is right already, but no write and no
 * delay.
 */
@Injectable()
export class OwnBot {
  private readonly logger = new Logger('NotionWebhook');
  private known: string | null = null;

  constructor(
    private readonly api: NotionApi,
    private readonly clock: Clock,
  ) {}

  /** Null: not known yet. */
  get botId(): string | null {
    return this.known;
  }

  /** Asks Notion with growing pauses until it responds or the signal aborts; never rejects. */
  learn(signal: AbortSignal): Promise<void> {
    const ask = async (): Promise<void> => {
      const { botId } = await this.api.whoAmI({ signal });
      this.known = notionIdOf(botId) ?? botId;
      this.logger.log(`Notion knows this integration as the bot ${this.known}`);
    };
    return retryUntilDone(this.clock, signal, ask, (error, isFirst) => {
      if (isFirst && !signal.aborted) {
        this.logger.warn(
          `the integration's own user could not be read and is read again: ${describeError(error)}`,
        );
      }
      return error instanceof PeerUnavailableError ? (error.retryAfterMs ?? 0) : 0;
    });
  }
}
