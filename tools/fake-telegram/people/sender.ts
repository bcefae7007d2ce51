import type { Message, MessageEntity, User } from '@grammyjs/types';
import { TEXT_LIMIT, withCommands } from '../text/formatted-text';
import { type GivenFile, type MediaKind, fileOfKind, mediaContent } from '../state/media';
import { replyTo } from '../state/reply';
import type { Room } from '../state/room';
import type { Press, TelegramState } from '../state/telegram-state';
import { buttonIn, keyboardButtonIn } from './buttons';
import { sendMessage, pressButton } from './wire';

export interface WriteOptions {
  readonly replyTo?: number;
  /** The entities that a client adds; commands are recognised without them. */
  readonly entities?: readonly MessageEntity[];
}

export interface MediaOptions extends Omit<GivenFile, 'bytes'> {
  readonly caption?: string;
}

/** A message without what its chat gives it. */
export type Content = Omit<Message, 'message_id' | 'date' | 'chat'>;

/** A person in one chat, doing what a Telegram client can do. */
export class Sender {
  constructor(
    protected readonly state: TelegramState,
    readonly user: User,
    protected readonly room: Room,
  ) {}

  /** One message; a text beyond 4096 UTF-16 units is an error: a client would split it. */
  writes(text: string, { replyTo: repliedId, entities }: WriteOptions = {}): Message {
    const clean = text.trim();
    if (clean === '' || clean.length > TEXT_LIMIT)
      throw new Error('a client sends no empty or too long message');
    const replied = repliedId === undefined ? null : this.room.find(repliedId);
    const marks = withCommands(clean, entities);
    return this.sends({
      text: clean,
      ...(marks.length === 0 ? {} : { entities: [...marks] }),
      ...(replied === null ? {} : replyTo(replied)),
    });
  }

  /** Sends a long text as a client does: in messages of up to 4096 UTF-16 units. */
  pastes(text: string): Message[] {
    const sent: Message[] = [];
    for (let at = 0; at < text.length; at += TEXT_LIMIT) {
      sent.push(this.writes(text.slice(at, at + TEXT_LIMIT)));
    }
    return sent;
  }

  /** Edits a text, or the caption of a picture, voice or file. */
  edits(messageId: number, text: string): Message {
    const { entities: _marks, ...message } = this.own(messageId);
    const marks = withCommands(text);
    const changed =
      message.text === undefined
        ? { caption: text }
        : { text, ...(marks.length === 0 ? {} : { entities: [...marks] }) };
    const edited: Message = { ...message, ...changed, edit_date: this.state.unixNow };
    this.room.replace(edited);
    this.state.changes.notify();
    sendMessage(this.state, edited, true);
    return edited;
  }

  /** The bot gets no update about it. */
  deletes(messageId: number): void {
    this.own(messageId);
    this.room.remove(messageId);
    this.state.changes.notify();
  }

  /** Ogg/Opus, 3 s if no duration is given. */
  sendsVoice(bytes: Buffer, options: MediaOptions = {}): Message {
    return this.sendsFile('voice', bytes, options);
  }

  sendsPhoto(bytes: Buffer, options: MediaOptions = {}): Message {
    return this.sendsFile('photo', bytes, options);
  }

  sendsDocument(bytes: Buffer, options: MediaOptions = {}): Message {
    return this.sendsFile('document', bytes, options);
  }

  sendsVideo(bytes: Buffer, options: MediaOptions = {}): Message {
    return this.sendsFile('video', bytes, options);
  }

  sendsAudio(bytes: Buffer, options: MediaOptions = {}): Message {
    return this.sendsFile('audio', bytes, options);
  }

  sendsVideoNote(bytes: Buffer, options: Omit<MediaOptions, 'caption'> = {}): Message {
    return this.sendsFile('video_note', bytes, options);
  }

  sendsSticker(emoji = '👍', bytes: Buffer = Buffer.from('RIFF')): Message {
    const file = this.state.files.put(fileOfKind('sticker', { bytes }));
    const { sticker } = mediaContent('sticker', file);
    return this.sends(sticker === undefined ? {} : { sticker: { ...sticker, emoji } });
  }

  /** Sends the person's own number, or somebody else's if a name is given. */
  sendsContact(phoneNumber: string, firstName?: string): Message {
    const own = firstName === undefined ? { user_id: this.user.id } : {};
    const first_name = firstName ?? this.user.first_name;
    return this.sends({ contact: { phone_number: phoneNumber, first_name, ...own } });
  }

  sendsLocation(latitude: number, longitude: number): Message {
    return this.sends({ location: { latitude, longitude } });
  }

  /** Several pictures: a message each, in one media group; the caption is the first one's. */
  sendsAlbum(pictures: readonly Buffer[], caption?: string): Message[] {
    const media_group_id = String(13_000_000_000_000_000 + this.state.nextNumber());
    return pictures.map((bytes, index) => {
      const file = this.state.files.put(fileOfKind('photo', { bytes }));
      const captionPart = index === 0 && caption !== undefined ? { caption } : {};
      return this.sends({ ...mediaContent('photo', file), ...captionPart, media_group_id });
    });
  }

  /** Forwards a text of somebody who hides their account. */
  forwards(text: string, from = 'Somebody'): Message {
    const origin = { date: this.state.unixNow, sender_user_name: from };
    return this.sends({ text, forward_origin: { type: 'hidden_user', ...origin } });
  }

  /**
   * Presses the newest button with this text (or the one under `messageId`). A button of the reply
   * keyboard writes its text. Throws when no such button is shown. Returns the press, which becomes
   * `answered` once the bot has responded; null for a reply keyboard.
   */
  presses(text: string, messageId?: number): Press | null {
    const found = buttonIn(this.room.messages, text, messageId);
    if (found !== null) return pressButton(this.state, this.user, found.message, found.data);
    const key = keyboardButtonIn(this.room.keyboard, text);
    if (key === null) throw new Error(`there is no button "${text}"`);
    if (key.requestsContact) this.sendsContact('+10000000000');
    else this.writes(key.text);
    return null;
  }

  /** Presses like a manipulated client: with data that no button of the message has. */
  pressesWithData(data: string, messageId: number): Press {
    const message = this.room.find(messageId);
    if (message === null) throw new Error('there is no such message');
    return pressButton(this.state, this.user, message, data);
  }

  private sendsFile(kind: MediaKind, bytes: Buffer, options: MediaOptions): Message {
    const { caption, ...given } = options;
    const file = this.state.files.put(fileOfKind(kind, { bytes, ...given }));
    const content = mediaContent(kind, file, given.durationS);
    return this.sends({ ...content, ...(caption === undefined ? {} : { caption }) });
  }

  private own(messageId: number): Message {
    const message = this.room.find(messageId);
    if (message?.from?.id !== this.user.id) throw new Error('that is not a message of this person');
    return message;
  }

  /** Adds the message and sends the bot an update. */
  protected sends(content: Content): Message {
    const message = this.state.add(this.room, { from: this.user, ...content });
    sendMessage(this.state, message);
    return message;
  }
}
