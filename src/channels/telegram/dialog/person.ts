import type { User } from 'telegraf/types';

/** What an account tells of its person, for a profile in which it is missing. */
export function introductionOf(user: User): {
  name: string;
  contact: string;
  telegramUsername?: string;
} {
  const name = [user.first_name, user.last_name].filter((part) => part !== undefined).join(' ');
  const { username } = user;
  return {
    name,
    contact: username === undefined ? `Telegram ${String(user.id)}` : `@${username}`,
    ...(username === undefined ? {} : { telegramUsername: username }),
  };
}
