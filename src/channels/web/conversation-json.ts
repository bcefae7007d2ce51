import type { ConversationView } from '../../interview';
import { type MessageJson, messageJson } from './events/message-json';

/** The longest message in UTF-16 units, told to the page so that it can say so in time. */
export const MAX_MESSAGE_CHARS = 16_000;

export type ConversationJson = Omit<ConversationView, 'messages' | 'lastSeq'> & {
  readonly limits: { readonly maxMessageChars: number };
  readonly messages: readonly MessageJson[];
};

export function conversationJson(view: ConversationView): ConversationJson {
  const { lastSeq: _, messages, ...rest } = view;
  return {
    ...rest,
    limits: { maxMessageChars: MAX_MESSAGE_CHARS },
    messages: messages.map(messageJson),
  };
}
