import type { Message, MessageEntity } from '@grammyjs/types';
import type { Notice, Room } from '../state/room';
import type { TelegramState } from '../state/telegram-state';

/** A message as a person sees it. */
export interface SeenMessage {
  readonly id: number;
  readonly fromBot: boolean;
  /** The text, or the caption; empty when there is none. */
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  /** The buttons under it, row by row. */
  readonly buttons: readonly (readonly string[])[];
  readonly isEdited: boolean;
  readonly message: Message;
}

/** A chat as the people in it see it: with edits, without deleted messages. */
export class SeenChat {
  constructor(
    private readonly state: TelegramState,
    private readonly room: Room,
  ) {}

  get messages(): readonly SeenMessage[] {
    return this.room.messages.map((message) => this.seen(message));
  }

  /** The texts of the bot's messages, oldest first. */
  get botTexts(): readonly string[] {
    return this.messages.filter(({ fromBot }) => fromBot).map(({ text }) => text);
  }

  get deletedIds(): readonly number[] {
    return this.room.deletedIds;
  }

  /** The draft of a reply that is shown, or null. */
  get draft(): string | null {
    const { draft } = this.room;
    return draft !== null && draft.untilMs > this.state.nowMs ? draft.text : null;
  }

  get draftEntities(): readonly MessageEntity[] {
    return this.draft === null ? [] : (this.room.draft?.entities ?? []);
  }

  /** `typing` and the like while it is shown, or null. */
  get action(): string | null {
    const { action } = this.room;
    return action !== null && action.untilMs > this.state.nowMs ? action.name : null;
  }

  /** The reply keyboard's buttons; empty when it is away. */
  get keyboard(): readonly (readonly string[])[] {
    const rows = this.room.keyboard?.keyboard ?? [];
    return rows.map((row) => row.map((key) => (typeof key === 'string' ? key : key.text)));
  }

  /** The texts shown after button presses. */
  get notices(): readonly Notice[] {
    return this.room.notices;
  }

  get isBlocked(): boolean {
    return this.room.closed === 'bot was blocked by the user';
  }

  /** Resolves when the chat is as `isSo` says; rejects after 10 s of real time. */
  until(what: string, isSo: (chat: SeenChat) => boolean): Promise<void> {
    return this.state.changes.until(what, () => isSo(this));
  }

  private seen(message: Message): SeenMessage {
    const { text, caption, entities, caption_entities, reply_markup } = message;
    const isPost = message.chat.type === 'channel';
    return {
      id: message.message_id,
      fromBot: !isPost && message.from?.id === this.state.bot.id,
      text: text ?? caption ?? '',
      entities: entities ?? caption_entities ?? [],
      buttons: (reply_markup?.inline_keyboard ?? []).map((row) => row.map((key) => key.text)),
      isEdited: message.edit_date !== undefined,
      message,
    };
  }
}
