import { Injectable } from '@nestjs/common';
import { Settings } from '../../common/config';

/** Who the bot is, as far as its token says: known before the Bot API was ever asked. */
@Injectable()
export class BotIdentity {
  readonly botId;

  constructor({ telegram }: Settings) {
    this.botId = Number(telegram.token.split(':')[0]);
  }

  /** A message's id for ever: Telegram numbers messages by chat. */
  externalIdOf(chatId: number, messageId: number): string {
    return `${String(this.botId)}:${String(chatId)}:${String(messageId)}`;
  }
}
