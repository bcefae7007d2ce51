import { z } from 'zod';
import { isClosedSql } from '../../candidates';
import type { Language } from '../../vacancies';
import { type LongText, readLongText } from './messages/message-text';
import type { User } from 'telegraf/types';
import { isBlank } from '../../buffer';
import { Injectable } from '@nestjs/common';
import { Settings } from '../../common/config';

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

/**
 * What the bot expects of a person who is not in an interview yet.
 *
 *   none    nothing: any text is replied to with the ways into an interview
 *   pin     the next text is the PIN of an invitation
 *   search  the next text names a vacancy; `isDone`: a search was made, a vacancy may be chosen
 */
const DIALOG = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('pin') }),
  z.object({ kind: z.literal('search'), isDone: z.boolean().optional() }),
]);

export type Dialog = z.infer<typeof DIALOG>;

/** A person who writes to the bot. In a private chat the chat's id is the person's. */
export interface TelegramAccount {
  readonly userId: number;
  /** The interview that this person is in; null: none yet. */
  readonly conversationId: string | null;
  /** This person has agreed to the disclosure of that interview. */
  readonly hasAgreed: boolean;
  /** The bot's language outside an interview. */
  readonly language: Language;
  readonly dialog: Dialog;
  /** The candidate asked for a pause. */
  readonly isPaused: boolean;
  readonly longText: LongText | null;
}

/** An unreadable value counts as `none`. */
export function readDialog(stored: unknown): Dialog {
  const { success, data } = DIALOG.safeParse(stored);
  return success ? data : { kind: 'none' };
}

/** The account's name and user name, to fill in what a profile lacks. */
export function introductionOf(user: User): {
  name: string;
  contact: string;
  telegramUsername?: string;
} {
  const name = [user.first_name, user.last_name].filter((part) => part !== undefined).join(' ');
  const { username } = user;
  const contact = username === undefined ? `Telegram ${String(user.id)}` : `@${username}`;
  return {
    // An account's name may consist of invisible characters, and an interview needs a name.
    name: isBlank(name) ? contact : name,
    contact,
    ...(username === undefined ? {} : { telegramUsername: username }),
  };
}

/** The account's name in `invitation.bound_to`. */
export function accountName(userId: number): string {
  return `telegram:${String(userId)}`;
}

/** The bot's id, which is part of its token, so no call is needed. */
@Injectable()
export class BotIdentity {
  readonly botId;

  constructor({ telegram }: Settings) {
    this.botId = Number(telegram.token.split(':')[0]);
  }

  /** The permanent id of a message; Telegram numbers messages per chat. */
  externalIdOf(chatId: number, messageId: number): string {
    return `${String(this.botId)}:${String(chatId)}:${String(messageId)}`;
  }
}

/** Columns of `telegram_account a`. */
export const COLUMNS = `a.user_id, a.conversation_id,
  (a.has_agreed and not ${isClosedSql('a.account', 'a.conversation_id')}) as has_agreed,
  a.language, a.dialog, a.paused_at is not null as is_paused, a.long_text`;
