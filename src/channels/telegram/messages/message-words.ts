import type { Message } from 'telegraf/types';

/** Null of everything but a text message. */
export function textOf(message: Message): string | null {
  return 'text' in message ? message.text : null;
}

/** What is written below a photo, a voice or a file. */
export function captionOf(message: Message): string | null {
  return 'caption' in message ? (message.caption ?? null) : null;
}
