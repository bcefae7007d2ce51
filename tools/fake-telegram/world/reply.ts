import type { Message } from '@grammyjs/types';

/** The answered message inside a reply; it does not tell what it itself replies to. */
export function replyTo({ reply_to_message: _deeper, ...answered }: Message): Partial<Message> {
  // The package's type for it excludes every message under exactOptionalPropertyTypes.
  return { reply_to_message: answered } as unknown as Partial<Message>;
}
