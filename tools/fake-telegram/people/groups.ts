import type { Chat, Message, User } from '@grammyjs/types';
import { withCommands } from '../text/formatted-text';
import type { Closed, Room } from '../state/room';
import type { TelegramState } from '../state/telegram-state';
import { Sender } from './sender';
import { changeMembership, sendMessage } from './wire';

export interface NewGroup {
  /** Negative, as Telegram's are. */
  readonly id?: number;
  readonly title?: string;
  readonly type?: 'group' | 'supergroup';
}

/** A group that the bot is in; it gets every message (privacy mode off). */
export class TelegramGroup {
  readonly room: Room;

  constructor(
    private readonly state: TelegramState,
    { id, title = 'Hiring', type = 'supergroup' }: NewGroup,
  ) {
    const chat: Chat = { id: id ?? -1_002_000_000_000 - state.nextNumber(), title, type };
    this.room = state.roomOf(chat);
  }

  get chat(): Chat {
    return this.room.chat;
  }

  member(user: User): Sender {
    return new Sender(this.state, user, this.room);
  }

  /** Sends the bot the update about its new place. */
  addsBot(by: User): void {
    this.room.closed = null;
    changeMembership(this.state, this.room, by, { was: 'left', is: 'member' });
  }

  removesBot(by: User): void {
    const kind = this.chat.type === 'group' ? 'group' : 'supergroup';
    this.room.closed = `bot was kicked from the ${kind} chat` satisfies Closed;
    changeMembership(this.state, this.room, by, { was: 'member', is: 'kicked' });
  }
}

export interface NewChannel {
  readonly id?: number;
  readonly title?: string;
  readonly username?: string;
}

/** A channel that the bot is an administrator of. */
export class TelegramChannel {
  readonly room: Room;

  constructor(
    private readonly state: TelegramState,
    { id, title = 'News', username }: NewChannel,
  ) {
    const name = username === undefined ? {} : { username };
    const own = id ?? -1_003_000_000_000 - state.nextNumber();
    this.room = state.roomOf({ id: own, title, type: 'channel', ...name });
  }

  get chat(): Chat {
    return this.room.chat;
  }

  posts(text: string): Message {
    const marks = withCommands(text);
    const message = this.state.add(this.room, {
      sender_chat: this.chat,
      text,
      ...(marks.length === 0 ? {} : { entities: [...marks] }),
    });
    sendMessage(this.state, message);
    return message;
  }

  edits(messageId: number, text: string): Message {
    const message = this.room.find(messageId);
    if (message === null) throw new Error('there is no such post');
    const edited: Message = { ...message, text, edit_date: this.state.unixNow };
    this.room.replace(edited);
    sendMessage(this.state, edited, true);
    return edited;
  }
}
