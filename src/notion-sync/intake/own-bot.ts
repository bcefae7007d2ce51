import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { describeError } from '../../common/errors';
import { PeerUnavailableError } from '../../jobs';
import { NotionApi } from '../api/notion-api';
import { notionIdOf } from '../board/notion-id';

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 60_000;

/**
 * Who we are in Notion, so that we do not listen to ourselves. Until it is known nothing counts as
 * our own: what we wrote then costs a look at a board that is right already, and no write; an event
 * that waited would make people wait.
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

  /** Asks until it is told, ever more slowly, or until the signal aborts; never rejects. */
  async learn(signal: AbortSignal): Promise<void> {
    for (let retryMs = FIRST_RETRY_MS; !signal.aborted; retryMs = next(retryMs)) {
      try {
        const { botId } = await this.api.whoAmI({ signal });
        this.known = notionIdOf(botId) ?? botId;
        this.logger.log(`Notion knows this integration as the bot ${this.known}`);
        return;
      } catch (error) {
        if (retryMs === FIRST_RETRY_MS && !isOver(signal)) {
          this.logger.warn(`Notion has not said who we are: ${describeError(error)}`);
        }
        const askedMs = error instanceof PeerUnavailableError ? (error.retryAfterMs ?? 0) : 0;
        await this.clock.sleep(Math.max(retryMs, askedMs), signal);
      }
    }
  }
}

function next(retryMs: number): number {
  return Math.min(LAST_RETRY_MS, retryMs * 2);
}

/** An await may have passed since the last look. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
