export { BotIdentity } from './account';
export { TelegramAccountRepository } from './account.repository';
export { examineBot } from './api/bot-check';
export { TelegramModule } from './telegram.module';

declare module '../../common/uow' {
  interface LabelAreas {
    telegram: 'pin' | 'poller' | 'telegram';
  }
}
