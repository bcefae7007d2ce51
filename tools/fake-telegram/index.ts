export type { TelegramUser } from './people/telegram-user';
export { TelegramServer } from './telegram-server';
