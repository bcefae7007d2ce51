export { TelegramModule } from './telegram.module';
export { telegramReplays } from './telegram-replays';
