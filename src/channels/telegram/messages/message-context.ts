import type { Chat, Message, MessageEntity, User } from 'telegraf/types';
import type { Author } from '../../../interview';

/** How much of the message that a reply refers to is kept, in UTF-16 units. */
const MAX_QUOTE = 300;
const MAX_NAME = 100;
/** Addresses that make a text longer than this are left out, so that the text itself has room. */
const MAX_WITH_ADDRESSES = 12_000;

/**
 * Who wrote the message, if its sender did not: it was forwarded, or a bot wrote it in their name. Null:
 * the sender wrote it, also if they forward a message of their own, as from Saved Messages.
 */
export function authorOf(message: Message): Author | null {
  const { forward_origin: origin, via_bot: bot } = message as Message.TextMessage;
  if (origin !== undefined) {
    if (origin.type === 'user' && origin.sender_user.id === message.from?.id) return null;
    return { how: 'forwarded', name: shortened(nameOfOrigin(origin), MAX_NAME) };
  }
  if (bot === undefined) return null;
  return { how: 'bot', name: shortened(bot.username ?? nameOfUser(bot), MAX_NAME) };
}

/** What a message refers to. `messageId`: of a message of the same chat. */
export interface Reference {
  readonly messageId: number | null;
  /** The quoted words, or the beginning of the message that is replied to; null: it has no words. */
  readonly quote: string | null;
}

/** Null: the message is no reply. */
export function referenceOf(message: Message): Reference | null {
  const {
    reply_to_message: repliedTo,
    external_reply: elsewhere,
    quote,
    reply_to_story: story,
  } = message as Message.TextMessage;
  if (repliedTo === undefined && elsewhere === undefined && quote === undefined) {
    return story === undefined
      ? null
      : { messageId: null, quote: shortened(nameOfChat(story.chat), MAX_NAME) };
  }
  const said = quote?.text ?? (repliedTo === undefined ? null : wordsOf(repliedTo));
  const from = elsewhere === undefined ? null : nameOfOrigin(elsewhere.origin);
  return {
    messageId: repliedTo?.message_id ?? null,
    quote: shortened(said ?? from ?? '', MAX_QUOTE),
  };
}

function nameOfOrigin(origin: NonNullable<Message.TextMessage['forward_origin']>): string {
  switch (origin.type) {
    case 'user':
      return nameOfUser(origin.sender_user);
    case 'hidden_user':
      return origin.sender_user_name;
    case 'chat':
      return nameOfChat(origin.sender_chat);
    case 'channel':
      return nameOfChat(origin.chat);
  }
}

function nameOfUser({ first_name: first, last_name: last = '' }: User): string {
  return `${first} ${last}`;
}

export function nameOfChat(chat: Chat): string {
  if ('title' in chat) return chat.title;
  return `${chat.first_name} ${'last_name' in chat ? (chat.last_name ?? '') : ''}`;
}

/** One line, cut between characters; null when nothing is left. */
function shortened(text: string, units: number): string | null {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= units) return line === '' ? null : line;
  return `${line.slice(0, units).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The text or the caption, with the addresses behind linked words; null without any. */
export function wordsOf(message: Message): string | null {
  if ('text' in message) return withAddresses(message.text, message.entities);
  const { caption, caption_entities: entities } = message as Message.CaptionableMessage;
  return caption === undefined ? null : withAddresses(caption, entities);
}

/**
 * The text with each address that only a link shows, in brackets behind the linked words. An address that
 * the words spell out themselves is not repeated; what does not fit is left out, and `(…)` says so.
 */
export function withAddresses(text: string, entities: readonly MessageEntity[] = []): string {
  let whole = '';
  let copied = 0;
  let added = 0;
  for (const entity of entities.toSorted((a, b) => a.offset - b.offset)) {
    if (entity.type !== 'text_link') continue;
    const end = entity.offset + entity.length;
    const words = text.slice(entity.offset, end);
    if (end < copied || bare(words) === bare(entity.url)) continue;
    const fits = text.length + added + entity.url.length <= MAX_WITH_ADDRESSES;
    const address = ` (${fits ? entity.url : '…'})`;
    added += address.length;
    whole += text.slice(copied, end) + address;
    copied = end;
  }
  return whole + text.slice(copied);
}

/** An address as people write it. */
function bare(address: string): string {
  return address
    .trim()
    .toLowerCase()
    .replace(/^(https?:\/\/|mailto:|tel:)/, '')
    .replace(/\/$/, '');
}
