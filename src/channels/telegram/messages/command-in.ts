import type { Message } from 'telegraf/types';
import { COMMANDS } from '../texts/texts';

/** Bot API: what a deep link carries to `/start`. */
const PAYLOAD = /^[\w-]{1,64}$/;
/** Bot API: what a client marks as a command. */
const LONE_COMMAND = /^\/[a-z0-9_]{1,32}(@\w+)?$/i;
const KNOWN = new Set<string>(['start', ...COMMANDS]);

/** A command of the bot at the beginning of a message. */
export interface Command {
  /** Of `/start`: what a link has sent along; '' if none has. */
  readonly payload: string;
  /** What its sender has written behind it; '' if nothing but perhaps another command. */
  readonly behind: string;
}

/** Null: the message does not begin with one. */
export function commandIn(message: Message): Command | null {
  if (!('text' in message)) return null;
  const { text } = message;
  const [mark] = message.entities ?? [];
  if (mark?.type !== 'bot_command' || mark.offset > 0) return null;
  const [name = ''] = text.slice(1, mark.length).split('@');
  if (!KNOWN.has(name)) return null;
  const behind = text.slice(mark.length).trim();
  if (name === 'start' && PAYLOAD.test(behind)) return { payload: behind, behind: '' };
  return { payload: '', behind: LONE_COMMAND.test(behind) ? '' : behind };
}

/** A text that begins with a path, like `/etc`, is an answer; one word of it alone is none. */
export function isLoneCommand(message: Message): boolean {
  return 'text' in message && LONE_COMMAND.test(message.text.trim());
}
