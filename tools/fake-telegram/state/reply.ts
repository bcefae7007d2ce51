import type { Message } from '@grammyjs/types';

/** The message that a reply refers to, without the message that it replies to itself. */
export function replyTo({ reply_to_message: _deeper, ...answered }: Message): Partial<Message> {
  // The package's type for it excludes every message under exactOptionalPropertyTypes.
  return { reply_to_message: answered } as unknown as Partial<Message>;
}
