import { isClosed } from '../../candidates';
import type { Language } from '../../vacancies';
import { type Dialog, readDialog } from './dialog/dialog';
import { type LongText, readLongText } from './messages/split-text';

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
