import { Injectable } from '@nestjs/common';
import type { Message } from 'telegraf/types';
import { UploadsFullError } from '../../../vacancies';
import { type AppendedMessage, AudioFullError, BufferService, isBlank } from '../../../buffer';
import { Settings } from '../../../common/config';
import { storable } from '../../../common/text';
import type { Tx } from '../../../common/uow';
import {
  type Attachment,
  type LockedConversation,
  type MessageContext,
  FileService,
  RetainedMessages,
  VoiceService,
} from '../../../interview';
import { BotIdentity } from '../account';
import { TelegramAccountRepository } from '../account.repository';
import { replyWith, type UpdateScope } from '../intake/update-handling';
import { telegramTextsOf } from '../texts/texts';
import { type SentMedia, lineOf, mediaOf } from './attachments';
import { authorOf, referenceOf, wordsOf } from './message-context';
import { CHANNEL, joinerOf, longTextOf, type MessageName, captionName } from './message-text';

/**
 * How a message becomes part of the answer in an interview that is open: text, voice, file, or what
 * no model can read, which is kept for people.
 */
@Injectable()
export class AnswerIntake {
  constructor(
    private readonly voices: VoiceService,
    private readonly files: FileService,
    private readonly kept: RetainedMessages,
    private readonly accounts: TelegramAccountRepository,
    private readonly buffer: BufferService,
    private readonly settings: Settings,
    private readonly identity: BotIdentity,
  ) {}

  nameOf({ chatId }: UpdateScope, conversationId: string, message: Message): MessageName {
    const externalId = this.identity.externalIdOf(chatId, message.message_id);
    return { conversationId, channel: CHANNEL, externalId };
  }

  /** `text` with the addresses behind its links. */
  async takeText(
    scope: UpdateScope,
    held: LockedConversation,
    named: MessageName,
    text: string,
    message: Message,
  ): Promise<void> {
    if (isBlank(text)) return replyWith(scope, telegramTextsOf(held.language).blank);
    const received = await this.buffer.append(scope.tx, { ...named, text: storable(text, ' ') });
    await this.addToText(scope, named, received, message);
  }

  async addToText(
    scope: UpdateScope,
    { conversationId }: Pick<MessageName, 'conversationId'>,
    { messageId, isNew }: AppendedMessage,
    message: Message,
  ): Promise<void> {
    const context = await this.contextOf(scope, conversationId, message);
    await this.attach(scope, messageId, null, context);
    if (isNew && context.author === undefined && 'text' in message) {
      await this.joinToSplit(scope, messageId, message);
    }
  }

  /** Whose words a message has, and what it refers to, as far as that is not what it always is. */
  private async contextOf(
    { tx, chatId }: UpdateScope,
    conversationId: string,
    message: Message,
  ): Promise<Partial<MessageContext>> {
    const author = authorOf(message);
    const reference = referenceOf(message);
    if (reference === null) return author === null ? {} : { author };
    const { messageId, quote } = reference;
    const seq =
      messageId === null
        ? null
        : await this.kept.findSeq(tx, {
            conversationId,
            channel: CHANNEL,
            externalId: this.identity.externalIdOf(chatId, messageId),
            sentId: String(messageId),
          });
    return { ...(author === null ? {} : { author }), reference: { seq, quote } };
  }

  private async attach(
    { tx }: UpdateScope,
    messageId: string,
    attachment: Attachment | null,
    context: Partial<MessageContext>,
  ): Promise<void> {
    const all = withContext(attachment, context);
    if (all !== null) await this.kept.attach(tx, messageId, all);
  }

  /** A client splits a long text: its parts are one text again in what the model reads. */
  private async joinToSplit(
    { tx, chatId, account }: UpdateScope,
    storedId: string,
    { message_id: messageId, date, text }: Message.TextMessage,
  ): Promise<void> {
    const sent = { messageId, date, text };
    const joiner = joinerOf(account.longText, sent);
    if (joiner !== null) await this.kept.joinToPrevious(tx, storedId, joiner);
    const longText = longTextOf(sent, joiner);
    if (longText !== null) await this.accounts.setLongText(tx, chatId, longText);
  }

  async takeMedia(
    scope: UpdateScope,
    held: LockedConversation,
    named: MessageName,
    message: Message,
  ): Promise<void> {
    const media = mediaOf(message);
    switch (media.kind) {
      case 'voice':
        return this.takeVoice(scope, held, named, media, message);
      case 'file':
        return this.takeFile(scope, held, named, media, message);
      case 'other':
        return this.takeAttachment(scope, held, named, media, message);
    }
  }

  /** It holds its answer open until it is transcribed. Its caption is part of the answer too. */
  private async takeVoice(
    scope: UpdateScope,
    held: LockedConversation,
    named: MessageName,
    { reference, mimeType, sizeBytes, durationS }: Extract<SentMedia, { kind: 'voice' }>,
    message: Message,
  ): Promise<void> {
    const audio = { kind: 'reference', reference, mimeType, sizeBytes } as const;
    try {
      const voice = { ...named, audio, durationS };
      const { messageId } = await this.voices.receive(scope.tx, voice);
      await this.attach(scope, messageId, null, await this.contextOf(scope, held.id, message));
    } catch (error) {
      // A conversation that has no room for the audio may have room for its caption.
      if (error instanceof AudioFullError || error instanceof UploadsFullError)
        await this.takeCaption(scope, held, named, message);
      throw error;
    }
    await this.takeCaption(scope, held, named, message);
  }

  /** Its name is part of the answer; its bytes are fetched later. The bot replies once per album. */
  private async takeFile(
    scope: UpdateScope,
    held: LockedConversation,
    named: MessageName,
    { attachment, name, reference, sizeBytes }: Extract<SentMedia, { kind: 'file' }>,
    message: Message,
  ): Promise<void> {
    const { tx } = scope;
    // Before the file: a conversation that has no room for the file may have room for its caption.
    await this.takeCaption(scope, held, named, message);
    const isFirst = !(await this.kept.isOfKnownGroup(tx, held.id, attachment, 'FILE'));
    const content = { kind: 'reference', reference, sizeBytes } as const;
    const texts = telegramTextsOf(held.language);
    // Telegram makes every photo a JPEG without a name.
    const given = name === '' && attachment.kind === 'photo' ? texts.photoFile : name;
    const file = { ...named, name: given, content };
    const { messageId } = await this.files.receive(tx, file);
    await this.attach(scope, messageId, attachment, await this.contextOf(scope, held.id, message));
    // The job tells the candidate when the file is too large.
    const isKept = sizeBytes <= this.settings.interview.maxFileBytes;
    if (isFirst && isKept) await replyWith(scope, texts.fileTaken);
  }

  private async takeCaption(
    scope: UpdateScope,
    held: LockedConversation,
    named: MessageName,
    message: Message,
  ): Promise<void> {
    const caption = wordsOf(message);
    if (caption === null || isBlank(caption)) return;
    await this.takeText(scope, held, captionName(named), caption, message);
  }

  /** Its caption is part of the answer. The bot replies once per album. */
  private async takeAttachment(
    scope: UpdateScope,
    held: LockedConversation,
    named: MessageName,
    { attachment }: Extract<SentMedia, { kind: 'other' }>,
    message: Message,
  ): Promise<void> {
    const { tx } = scope;
    const texts = telegramTextsOf(held.language);
    const caption = wordsOf(message);
    const shown = storable(lineOf(attachment, texts), ' ');
    const context = await this.contextOf(scope, held.id, message);
    const isFirst = !(await this.kept.isOfKnownGroup(tx, held.id, attachment, 'TEXT'));
    if (caption === null || isBlank(caption)) {
      const all = withContext(attachment, context);
      await this.kept.keep(tx, { ...named, text: shown, attachment: all });
    } else {
      const text = storable(`${shown} ${caption}`, ' ');
      const { messageId } = await this.buffer.append(tx, { ...named, text });
      await this.attach(scope, messageId, attachment, context);
    }
    if (isFirst) await replyWith(scope, texts.attachmentKept);
  }

  isKnown(tx: Tx, named: MessageName): Promise<boolean> {
    return this.kept.isKnown(tx, named);
  }

  /** The sender has edited a message that is stored under `given`; `text` is its new text. */
  async edit(
    scope: UpdateScope,
    held: LockedConversation,
    given: MessageName,
    message: Message,
    text: string,
  ): Promise<void> {
    const media = 'text' in message ? null : mediaOf(message);
    // The caption of a voice or a file is stored as a message of its own.
    const isCaption = media?.kind === 'voice' || media?.kind === 'file';
    const named = isCaption ? captionName(given) : given;
    if (!(await this.kept.isKnown(scope.tx, named))) {
      return this.takeText(scope, held, named, text, message);
    }
    const texts = telegramTextsOf(held.language);
    const shown = media?.kind === 'other' ? `${lineOf(media.attachment, texts)} ${text}` : text;
    await this.buffer.edit(scope.tx, { ...named, text: storable(shown, ' ') });
  }

  /** A reply to the message that repeats a voice's transcript corrects it. False: it is no such reply. */
  async correct(
    scope: UpdateScope,
    { id: conversationId, language }: LockedConversation,
    message: Message,
    text: string,
  ): Promise<boolean> {
    if (isBlank(text) || !('reply_to_message' in message)) return false;
    const { message_id: repliedTo } = message.reply_to_message ?? { message_id: 0 };
    const id = await this.voices.findRepeatedBy(scope.tx, {
      conversationId,
      channel: CHANNEL,
      externalId: String(repliedTo),
    });
    if (id === null) return false;
    await this.voices.correct(scope.tx, {
      conversationId,
      channel: CHANNEL,
      id,
      text: storable(text, ' '),
    });
    await replyWith(scope, telegramTextsOf(language).corrected);
    return true;
  }

  /** For an interview that its candidate has ended: kept for people, without a reply of the model. */
  async keepClosed(
    scope: UpdateScope,
    named: MessageName,
    message: Message,
    text: string | null,
  ): Promise<void> {
    if (text === null || isBlank(text)) return;
    const context = await this.contextOf(scope, named.conversationId, message);
    const attachment = withContext(null, context);
    await this.kept.keep(scope.tx, { ...named, text: storable(text, ' '), attachment });
  }
}

/** Null: there is nothing besides the text. */
function withContext(
  attachment: Attachment | null,
  context: Partial<MessageContext>,
): Attachment | null {
  if (attachment === null && Object.keys(context).length === 0) return null;
  const stored = JSON.parse(storable(JSON.stringify(context), ' ')) as object;
  return { kind: 'text', ...attachment, ...stored };
}
