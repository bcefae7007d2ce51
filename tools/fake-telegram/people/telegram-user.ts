import type { Message, User } from '@grammyjs/types';
import type { TelegramState } from '../state/telegram-state';
import { privateChatOf } from '../state/room';
import { type Content, Sender } from './sender';
import type { TelegramGroup } from './groups';
import { changeMembership } from './wire';

/** Who somebody is; everything has a default. */
export type NewUser = Partial<Omit<User, 'is_bot'>>;

const FIRST_USER_ID = 5_000_000_000;

/** A person, in the private chat with the bot. Ids go beyond 32 bits, as Telegram's do. */
export class TelegramUser extends Sender {
  constructor(state: TelegramState, given: NewUser) {
    const id = given.id ?? FIRST_USER_ID + state.nextNumber();
    const user: User = { first_name: 'Ada', language_code: 'en', ...given, id, is_bot: false };
    super(state, user, state.roomOf(privateChatOf(user)));
  }

  /** Opens the chat by the Start button, or by a deep link with up to 64 of `A-Za-z0-9_-`. */
  starts(payload = ''): Message {
    if (!/^[\w-]{0,64}$/.test(payload)) throw new Error('a deep link cannot have such a payload');
    return this.writes(`/start ${payload}`);
  }

  /** The same person in a group. */
  in(group: TelegramGroup): Sender {
    return group.member(this.user);
  }

  /** Blocks the bot: it may not write, and gets my_chat_member. */
  blocks(): void {
    this.room.closed = 'bot was blocked by the user';
    changeMembership(this.state, this.room, this.user, { was: 'member', is: 'kicked' });
  }

  unblocks(): void {
    this.room.closed = null;
    changeMembership(this.state, this.room, this.user, { was: 'kicked', is: 'member' });
  }

  /** Deletes the account; the bot gets no update. */
  leavesTelegram(): void {
    this.room.closed = 'user is deactivated';
  }

  /** A person who writes to a bot allows it to write back. */
  protected override sends(content: Content): Message {
    if (this.room.closed === 'user is deactivated')
      throw new Error('this person has left Telegram');
    if (this.room.closed === 'bot was blocked by the user') this.unblocks();
    this.room.closed = null;
    return super.sends(content);
  }
}
