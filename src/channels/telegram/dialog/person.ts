import type { User } from 'telegraf/types';
import { isBlank } from '../../../buffer';

/** What an account tells of its person, for a profile in which it is missing. */
export function introductionOf(user: User): {
  name: string;
  contact: string;
  telegramUsername?: string;
} {
  const name = [user.first_name, user.last_name].filter((part) => part !== undefined).join(' ');
  const { username } = user;
  const contact = username === undefined ? `Telegram ${String(user.id)}` : `@${username}`;
  return {
    // An account's name may be of characters that nobody sees, and an interview needs one.
    name: isBlank(name) ? contact : name,
    contact,
    ...(username === undefined ? {} : { telegramUsername: username }),
  };
}

/** As an invitation is bound to it. */
export function accountName(userId: number): string {
  return `telegram:${String(userId)}`;
}
