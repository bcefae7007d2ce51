import type { BotCommand, Chat, Message, User, UserFromGetMe } from '@grammyjs/types';
import type { Clock } from '../../../src/common/clock';
import { Changes } from '../../http-fake/changes';
import { Files } from './files';
import { PendingUpdates } from './pending-updates';
import { Room } from './room';

/** A press, and the bot's response to it if there is one. */
export interface Press {
  readonly id: string;
  readonly chatId: number;
  readonly expiresAtMs: number;
  answered: boolean;
}

/** The state of Telegram for one bot. */
export class TelegramState {
  readonly changes = new Changes();
  readonly files: Files;
  readonly updates: PendingUpdates;
  readonly presses = new Map<string, Press>();
  readonly rooms = new Map<number, Room>();
  /** By scope and language, as setMyCommands gave them. */
  readonly commands = new Map<string, readonly BotCommand[]>();
  private lastMessageId = 100;
  private lastNumber = 0;

  constructor(
    readonly clock: Clock,
    readonly bot: UserFromGetMe,
  ) {
    this.files = new Files(clock);
    this.updates = new PendingUpdates(clock, this.changes);
  }

  /** The bot as it appears in messages. */
  get botUser(): User {
    const { id, is_bot, first_name, username } = this.bot;
    return { id, is_bot, first_name, username };
  }

  get nowMs(): number {
    return this.clock.now().getTime();
  }

  /** Unix time in seconds. */
  get unixNow(): number {
    return Math.floor(this.nowMs / 1000);
  }

  /** A number that was not used before, for ids that are texts. */
  nextNumber(): number {
    this.lastNumber += 1;
    return this.lastNumber;
  }

  /** The chat's room, made when it is new. */
  roomOf(chat: Chat): Room {
    const known = this.rooms.get(chat.id);
    if (known !== undefined) return known;
    const room = new Room(chat, () => {
      this.lastMessageId += 1;
      return this.lastMessageId;
    });
    this.rooms.set(chat.id, room);
    return room;
  }

  /** Adds a message to its chat; id, date and chat are the room's. */
  add(room: Room, content: Omit<Message, 'message_id' | 'date' | 'chat'>): Message {
    const message: Message = {
      message_id: room.nextMessageId(),
      date: this.unixNow,
      chat: room.chat,
      ...content,
    };
    room.messages.push(message);
    this.changes.notify();
    return message;
  }
}
