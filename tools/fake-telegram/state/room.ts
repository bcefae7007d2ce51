import type { Chat, Message, MessageEntity, ReplyKeyboardMarkup, User } from '@grammyjs/types';

/** Why the bot may not write here, in the words of the Bot API; null: it may. */
export type Closed =
  | 'bot was blocked by the user'
  | 'user is deactivated'
  | 'bot was kicked from the group chat'
  | 'bot was kicked from the supergroup chat'
  | 'bot is not a member of the channel chat'
  | "bot can't initiate conversation with a user";

/** A reply that is still being written, as sendMessageDraft shows it. */
export interface Draft {
  readonly id: number;
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly untilMs: number;
}

/** What answerCallbackQuery showed. */
export interface Notice {
  readonly text: string;
  readonly isAlert: boolean;
}

/** The server's state of one chat: its messages in the order of their ids, with edits applied. */
export class Room {
  readonly messages: Message[] = [];
  readonly deletedIds: number[] = [];
  readonly notices: Notice[] = [];
  closed: Closed | null;
  draft: Draft | null = null;
  /** `typing` and the like, until when. */
  action: { readonly name: string; readonly untilMs: number } | null = null;
  keyboard: ReplyKeyboardMarkup | null = null;
  private lastOwnId = 0;

  constructor(
    readonly chat: Chat,
    private readonly nextSharedId: () => number,
  ) {
    this.closed = chat.type === 'private' ? "bot can't initiate conversation with a user" : null;
  }

  /** Private chats and basic groups of a bot share one sequence of ids. */
  nextMessageId(): number {
    if (this.chat.type === 'private' || this.chat.type === 'group') return this.nextSharedId();
    this.lastOwnId += 1;
    return this.lastOwnId;
  }

  find(messageId: number): Message | null {
    return this.messages.find(({ message_id }) => message_id === messageId) ?? null;
  }

  replace(message: Message): void {
    const at = this.messages.findIndex(({ message_id }) => message_id === message.message_id);
    if (at >= 0) this.messages[at] = message;
  }

  remove(messageId: number): boolean {
    const at = this.messages.findIndex(({ message_id }) => message_id === messageId);
    if (at < 0) return false;
    this.messages.splice(at, 1);
    this.deletedIds.push(messageId);
    return true;
  }
}

/** The private chat of a user. */
export function privateChatOf({ id, first_name, last_name, username }: User): Chat.PrivateChat {
  return {
    id,
    type: 'private',
    first_name,
    ...(last_name === undefined ? {} : { last_name }),
    ...(username === undefined ? {} : { username }),
  };
}
