import { z } from 'zod';
import { isClosed } from '../../candidates';
import type { Language } from '../../vacancies';
import { type LongText, readLongText } from './messages/message-text';
import type { User } from 'telegraf/types';
import { isBlank } from '../../buffer';

/**
 * What the bot expects of a person who is not in an interview yet.
 *
 *   none    nothing: whatever is written leads to the ways in
 *   pin     the next text is the PIN of an invitation
 *   search  the next text names a vacancy; `isDone`: a search was made, a vacancy may be chosen
 */
const DIALOG = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('pin') }),
  z.object({ kind: z.literal('search'), isDone: z.boolean().optional() }),
]);

export type Dialog = z.infer<typeof DIALOG>;

/** Something stored that is no dialog (any more) counts as none. */
export function readDialog(stored: unknown): Dialog {
  const { success, data } = DIALOG.safeParse(stored);
  return success ? data : { kind: 'none' };
}

/** A person who writes to the bot. In a private chat the chat's id is the person's. */
export interface TelegramAccount {
  readonly userId: number;
  /** The interview that this person is in; null: it is still to be found. */
  readonly conversationId: string | null;
  /** This person has agreed to the disclosure of that interview. */
  readonly hasAgreed: boolean;
  /** In which the bot speaks while no interview says otherwise. */
  readonly language: Language;
  readonly dialog: Dialog;
  /** The candidate asked for a pause. */
  readonly isPaused: boolean;
  readonly longText: LongText | null;
}

/** A row of `telegram_account`, as COLUMNS reads it. */
export interface AccountRow {
  readonly user_id: string;
  readonly conversation_id: string | null;
  readonly has_agreed: boolean;
  readonly language: Language;
  readonly dialog: unknown;
  readonly is_paused: boolean;
  readonly long_text: unknown;
}

/** Of `telegram_account a`. */
export const COLUMNS = `a.user_id, a.conversation_id,
  (a.has_agreed and not ${isClosed('a.account', 'a.conversation_id')}) as has_agreed,
  a.language, a.dialog, a.paused_at is not null as is_paused, a.long_text`;

export function accountOf(row: AccountRow): TelegramAccount {
  return {
    userId: Number(row.user_id),
    conversationId: row.conversation_id,
    hasAgreed: row.has_agreed,
    language: row.language,
    dialog: readDialog(row.dialog),
    isPaused: row.is_paused,
    longText: readLongText(row.long_text),
  };
}

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
