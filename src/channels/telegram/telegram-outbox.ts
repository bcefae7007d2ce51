import { TelegramAccountRepository } from './account.repository';
import { TelegramOutbox } from './telegram.channel';

/** What it takes to leave a message for the bot to send, where no bot runs. */
export const telegramOutbox = [TelegramAccountRepository, TelegramOutbox];
