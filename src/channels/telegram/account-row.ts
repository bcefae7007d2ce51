import type { Language } from '../../hiring';
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
  readonly pinFailures: number;
  /** How often PINs were locked, each time for longer. */
  readonly pinLocks: number;
  /** How long PINs are not taken any more, in milliseconds; 0: they are. */
  readonly pinLockedForMs: number;
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
  readonly pin_failures: number;
  readonly pin_locks: number;
  readonly pin_locked_for_ms: number;
  readonly is_paused: boolean;
  readonly long_text: unknown;
}

/** $2: now, null for the database's own clock. */
export const COLUMNS = `user_id, conversation_id, has_agreed, language, dialog, pin_failures, pin_locks,
  greatest(0, coalesce(extract(epoch from pin_locked_until
    - coalesce($2::timestamptz, clock_timestamp()))::float8 * 1000, 0)) as pin_locked_for_ms,
  paused_at is not null as is_paused, long_text`;

export function accountOf(row: AccountRow): TelegramAccount {
  return {
    userId: Number(row.user_id),
    conversationId: row.conversation_id,
    hasAgreed: row.has_agreed,
    language: row.language,
    dialog: readDialog(row.dialog),
    pinFailures: row.pin_failures,
    pinLocks: row.pin_locks,
    pinLockedForMs: row.pin_locked_for_ms,
    isPaused: row.is_paused,
    longText: readLongText(row.long_text),
  };
}
