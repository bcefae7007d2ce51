export { TelegramModule } from './telegram.module';
export { telegramReplays } from './intake/bot-replies';
