import { Injectable } from '@nestjs/common';
import type { Message, User } from 'telegraf/types';
import {
  type AppendedMessage,
  AudioFullError,
  BufferService,
  ConversationFullError,
  NotOpenError,
  isBlank,
} from '../../../buffer';
import { storable } from '../../../common/text';
import { type LockedConversation, FileService, SKIP, VoiceService } from '../../../interview';
import { UploadsFullError } from '../../../vacancies';
import { Commands } from '../dialog/commands';
import { InterviewLookup } from '../dialog/interview-lookup';
import { ConsentDialog } from '../dialog/consent-dialog';
import { replyWith } from '../intake/update-handling';
import type { UpdateScope } from '../intake/update-scopes';
import { isDoneButton, telegramTextsOf } from '../texts/texts';
import { type SentMedia, isService, lineOf, mediaOf } from './attachments';
import { ChatInterview, areMessagesKept } from './chat-interview';
import { wordsOf } from './message-context';
import { MessageDetails } from './message-details';
import {
  CHANNEL,
  type MessageName,
  captionName,
  commandIn,
  isLoneCommand,
  textOf,
} from './message-text';

/**
 * Receives what candidates send. Text, voices and files join the answer that is collected; what no model
 * can read is kept for people, and the bot says so. Nothing is kept before consent.
 */
@Injectable()
export class CandidateMessages {
  constructor(
    private readonly commands: Commands,
    private readonly lookup: InterviewLookup,
    private readonly consentDialog: ConsentDialog,
    private readonly interview: ChatInterview,
    private readonly buffer: BufferService,
    private readonly voices: VoiceService,
    private readonly files: FileService,
    private readonly details: MessageDetails,
  ) {}

  async take(scope: UpdateScope, message: Message, user: User): Promise<void> {
    if (isService(message)) return;
    const text = textOf(message);
    if (text !== null && isDoneButton(text)) return this.commands.done(scope);
    if (isLoneCommand(message)) return this.commands.unknown(scope);
    const isForLookup = text !== null && this.lookup.expects(scope, text);
    if (!isForLookup && text !== null && (await this.takeAtOnce(scope, message, text))) return;
    const held = isForLookup ? null : await this.interview.hold(scope);
    if (held === null) return this.lookup.byText(scope, user, text ?? '');
    await this.lookup.giveUp(scope);
    if (!areMessagesKept(held) || !scope.account.hasAgreed)
      return this.consentDialog.remind(scope, held.id);
    return this.interview.unlessFull(scope, held, async () => {
      const words = text === null ? null : wordsOf(message);
      if (held.notOpen === null) return this.takeIn(scope, held, message, words);
      await this.keepClosed(scope, held, message, words);
      await this.consentDialog.sayWithdrawn(scope, held.id, words !== null && !isBlank(words));
    });
  }

  /**
   * The common case: text for a running interview, stored by one statement that also takes the lock.
   * False: nothing was stored, and the conversation has to be read first.
   */
  private async takeAtOnce(scope: UpdateScope, message: Message, text: string): Promise<boolean> {
    const { conversationId: id, hasAgreed } = scope.account;
    if (id === null || !hasAgreed || isBlank(text) || 'reply_to_message' in message) return false;
    const named = this.details.nameOf(scope, id, message);
    const words = storable(wordsOf(message) ?? text, ' ');
    let received: AppendedMessage;
    try {
      received = await this.buffer.append(scope.tx, { ...named, text: words });
    } catch (error) {
      if (error instanceof NotOpenError || error instanceof ConversationFullError) return false;
      throw error;
    }
    await this.lookup.giveUp(scope);
    await this.interview.endPause(scope);
    await this.details.attachToText(scope, id, received, message);
    return true;
  }

  /**
   * Text after a command is a message for the interview. The command itself replies; this replies
   * only when the text is not kept.
   */
  async takeBehindCommand(scope: UpdateScope, message: Message): Promise<void> {
    const { behind = '' } = commandIn(message) ?? {};
    const held = isBlank(behind) ? null : await this.interview.hold(scope);
    if (held === null) return;
    await this.lookup.giveUp(scope);
    if (scope.account.hasAgreed && areMessagesKept(held)) {
      return this.interview.unlessFull(scope, held, () =>
        held.notOpen === null
          ? this.takeIn(scope, held, message, behind)
          : this.keepClosed(scope, held, message, behind),
      );
    }
    const { consentFirst, humanAlready, notKeptForPerson } = telegramTextsOf(held.language);
    const withPerson = held.consent?.accepted === true ? humanAlready : notKeptForPerson;
    await replyWith(scope, held.status === 'handed_over' ? withPerson : consentFirst);
  }

  /** Leaves the open question: the command is a message of the interview, and completes the answer. */
  async takeSkip(scope: UpdateScope, message: Message): Promise<void> {
    if (!(await this.commands.maySkip(scope))) return;
    const held = await this.interview.hold(scope);
    if (held === null) return;
    const { externalId, ...named } = this.details.nameOf(scope, held.id, message);
    return this.interview.unlessFull(scope, held, async () => {
      // A message of its own, because the text after the command has the message's own id.
      const skip = { ...named, externalId: `${externalId}:skip`, text: SKIP };
      await this.buffer.append(scope.tx, skip);
      await this.interview.endPause(scope);
      await this.commands.done(scope);
    });
  }

  /** In an open interview. `text` is null for a message without text. */
  private async takeIn(
    scope: UpdateScope,
    held: LockedConversation,
    message: Message,
    text: string | null,
  ): Promise<void> {
    const named = this.details.nameOf(scope, held.id, message);
    await this.interview.endPause(scope);
    if (text !== null && (await this.correct(scope, held, message, text))) return;
    if (text !== null) return this.takeText(scope, held, named, text, message);
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

  /** `text` with the addresses behind its links. */
  private async takeText(
    scope: UpdateScope,
    held: LockedConversation,
    named: MessageName,
    text: string,
    message: Message,
  ): Promise<void> {
    if (isBlank(text)) return replyWith(scope, telegramTextsOf(held.language).blank);
    const received = await this.buffer.append(scope.tx, { ...named, text: storable(text, ' ') });
    await this.details.attachToText(scope, held.id, received, message);
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
      const { messageId } = await this.voices.receive(scope.tx, { ...named, audio, durationS });
      await this.details.attach(scope, { conversationId: held.id, messageId }, message);
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
    const { id: conversationId } = held;
    // Before the file: a conversation that has no room for the file may have room for its caption.
    await this.takeCaption(scope, held, named, message);
    const isFirst = await this.details.isFirst(scope.tx, conversationId, attachment, 'FILE');
    const content = { kind: 'reference', reference, sizeBytes } as const;
    const texts = telegramTextsOf(held.language);
    // Telegram makes every photo a JPEG without a name.
    const given = name === '' && attachment.kind === 'photo' ? texts.photoFile : name;
    const { messageId } = await this.files.receive(scope.tx, { ...named, name: given, content });
    await this.details.attach(scope, { conversationId, messageId }, message, attachment);
    // The job tells the candidate when the file is too large.
    if (isFirst && sizeBytes <= this.files.maxBytes) await replyWith(scope, texts.fileTaken);
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
    const { id: conversationId } = held;
    const texts = telegramTextsOf(held.language);
    const caption = wordsOf(message);
    const shown = lineOf(attachment, texts);
    const isFirst = await this.details.isFirst(scope.tx, conversationId, attachment, 'TEXT');
    if (caption === null || isBlank(caption)) {
      await this.details.keep(scope, named, message, { text: shown, attachment });
    } else {
      const text = storable(`${shown} ${caption}`, ' ');
      const { messageId } = await this.buffer.append(scope.tx, { ...named, text });
      await this.details.attach(scope, { conversationId, messageId }, message, attachment);
    }
    if (isFirst) await replyWith(scope, texts.attachmentKept);
  }

  /** A reply to the message that repeats a voice's transcript corrects it. False: it is no such reply. */
  private async correct(
    scope: UpdateScope,
    { id: conversationId, language }: LockedConversation,
    message: Message,
    text: string,
  ): Promise<boolean> {
    if (isBlank(text) || !('reply_to_message' in message)) return false;
    const { message_id: repliedTo } = message.reply_to_message ?? { message_id: 0 };
    const of = { conversationId, channel: CHANNEL } as const;
    const externalId = String(repliedTo);
    const id = await this.voices.findRepeatedBy(scope.tx, { ...of, externalId });
    if (id === null) return false;
    await this.voices.correct(scope.tx, { ...of, id, text: storable(text, ' ') });
    await replyWith(scope, telegramTextsOf(language).corrected);
    return true;
  }

  /** For an interview that its candidate has ended: kept for people, without a reply of the model. */
  private async keepClosed(
    scope: UpdateScope,
    held: LockedConversation,
    message: Message,
    text: string | null,
  ): Promise<void> {
    if (text === null || isBlank(text)) return;
    const named = this.details.nameOf(scope, held.id, message);
    await this.details.keep(scope, named, message, { text });
  }

  /**
   * An edit of a message that was never received is taken as a new message, unless the message was sent
   * before this interview was opened here: then its words were meant for another one, or not kept.
   */
  async takeEdit(scope: UpdateScope, message: Message, user: User): Promise<void> {
    const held = await this.interview.hold(scope);
    const command = commandIn(message);
    const text = command?.behind ?? wordsOf(message);
    if (text === null) return;
    if (held === null) return this.lookup.byEdit(scope, user, text);
    const texts = telegramTextsOf(held.language);
    if (isLoneCommand(message) || command?.behind === '')
      return replyWith(scope, texts.editedToCommand);
    if (isBlank(text)) return;
    if (areMessagesKept(held) && !scope.account.hasAgreed)
      return this.consentDialog.remind(scope, held.id);
    const given = this.details.nameOf(scope, held.id, message);
    if (!(await this.details.isKnown(scope.tx, given))) {
      if (await this.consentDialog.isBeforeJoining(scope, held.id, message.date))
        return replyWith(scope, texts.sentBefore);
      return command === null
        ? this.take(scope, message, user)
        : this.takeBehindCommand(scope, message);
    }
    if (held.notOpen !== null) return;
    return this.interview.unlessFull(scope, held, () =>
      this.edit(scope, held, given, message, text),
    );
  }

  /** The sender has edited a message that is stored under `given`; `text` is its new text. */
  private async edit(
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
    if (!(await this.details.isKnown(scope.tx, named))) {
      return this.takeText(scope, held, named, text, message);
    }
    const texts = telegramTextsOf(held.language);
    const shown = media?.kind === 'other' ? `${lineOf(media.attachment, texts)} ${text}` : text;
    await this.buffer.edit(scope.tx, { ...named, text: storable(shown, ' ') });
  }
}
