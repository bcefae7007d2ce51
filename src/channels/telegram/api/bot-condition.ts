import { Injectable, Logger } from '@nestjs/common';
import { PeerConditions } from '../../../common/lifecycle';
import type { ApiFailure } from './bot-api-error';

/**
 * Whether the bot can be reached, by the last thing that the Bot API let us know. Shown by the
 * readiness probe as `telegram`; it never takes the process out of service.
 */
@Injectable()
export class BotCondition {
  private readonly logger = new Logger('Telegram');
  private trouble: string | null = 'it has not answered yet';

  constructor(conditions: PeerConditions) {
    conditions.register('telegram', () => this.trouble);
  }

  answered(): void {
    if (this.trouble === null) return;
    this.trouble = null;
    this.logger.log('the bot is connected');
  }

  /** A refusal of one call says nothing about the bot. */
  failed(failure: ApiFailure): void {
    const trouble = troubleOf(failure);
    if (trouble === null || trouble === this.trouble) return;
    this.trouble = trouble;
    this.logger.warn(`the bot is in trouble: ${trouble}`);
  }
}

function troubleOf(failure: ApiFailure): string | null {
  switch (failure.kind) {
    case 'unauthorized':
      return 'the token is not a bot: see TELEGRAM_BOT_TOKEN';
    case 'conflict':
      return 'another process asks for updates with this token';
    case 'unreachable':
      return 'the Bot API cannot be reached';
    case 'unknown':
      return `the Bot API does not answer as it should (${failure.cause})`;
    case 'paused':
    case 'blocked':
    case 'refused':
      return null;
  }
}
