import { Injectable } from '@nestjs/common';
import type { Message, User } from 'telegraf/types';
import { BufferService, isBlank } from '../../../buffer';
import { storable } from '../../../common/text';
import {
  ConversationViews,
  type LockedConversation,
  InterviewService,
  RetainedMessages,
} from '../../../interview';
import { TelegramAccountRepository } from '../account.repository';
import { BotIdentity } from '../bot-identity';
import { Commands } from '../dialog/commands';
import { InterviewLookup } from '../dialog/interview-lookup';
import { ConsentDialog } from '../dialog/consent-dialog';
import { say } from '../dialog/say';
import type { UpdateScope } from '../intake/update-handling';
import { isDoneButton, telegramTextsOf } from '../texts/texts';
import { AnswerIntake } from './answer-intake';
import { isService, mediaOf, ConversationLimits, hasBegun } from './attachments';
import {
  commandIn,
  isLoneCommand,
  captionOf,
  textOf,
  CHANNEL,
  type MessageName,
  captionName,
} from './message-text';
import { ReadBacks } from './read-backs';

/**
 * What candidates write. Text joins the answer that is collected; what no model can read is kept for
 * people, and its sender is told so. Nothing is kept before consent.
 */
@Injectable()
export class CandidateMessages {
  constructor(
    private readonly commands: Commands,
    private readonly finding: InterviewLookup,
    private readonly door: ConsentDialog,
    private readonly interviews: InterviewService,
    private readonly views: ConversationViews,
    private readonly kept: RetainedMessages,
    private readonly readBacks: ReadBacks,
    private readonly room: ConversationLimits,
    private readonly buffer: BufferService,
    private readonly accounts: TelegramAccountRepository,
    private readonly identity: BotIdentity,
    private readonly answer: AnswerIntake,
  ) {}

  async take(scope: UpdateScope, message: Message, user: User): Promise<void> {
    if (isService(message)) return;
    const text = textOf(message);
    if (text !== null && isDoneButton(text)) return this.commands.done(scope);
    if (isLoneCommand(message)) return this.commands.unknown(scope);
    const isForFinding = text !== null && this.finding.expects(scope, text);
    if (!isForFinding && text !== null && (await this.takeAtOnce(scope, message, text))) return;
    const held = isForFinding ? null : await this.hold(scope);
    if (held === null) return this.finding.byText(scope, user, text ?? '');
    await this.finding.giveUp(scope);
    if (!hasBegun(held) || !scope.account.hasAgreed) return this.notBegun(scope, held);
    return this.room.unlessFull(scope, held, async () => {
      if (held.status !== 'withdrawn') return this.takeIn(scope, held, message, text);
      await this.keepClosed(scope, held, message, text);
      await say(scope, telegramTextsOf(held.language).closed);
    });
  }

  /**
   * Most of what is written: text for an interview that is running, whose lock the statement takes
   * that stores it. False: nothing was stored, and the conversation has to be looked at.
   */
  private async takeAtOnce(scope: UpdateScope, message: Message, text: string): Promise<boolean> {
    const { tx, chatId, account } = scope;
    const { conversationId: id, hasAgreed } = account;
    if (id === null || !hasAgreed || isBlank(text) || 'reply_to_message' in message) return false;
    const received = await this.room.orNull(() => {
      const named = this.nameOf(scope, { id }, message);
      return this.interviews.receiveIfOpen(tx, { ...named, text: storable(text, ' ') });
    });
    if (received === null) return false;
    await this.finding.giveUp(scope);
    if (account.isPaused) await this.accounts.setPaused(tx, chatId, false);
    await this.answer.addToText(scope, received, message, text);
    return true;
  }

  /**
   * What is written behind a command is a message like any other, for the interview alone. The
   * command says the rest; only what is not kept is told here.
   */
  async takeBehindCommand(scope: UpdateScope, message: Message): Promise<void> {
    const { behind = '' } = commandIn(message) ?? {};
    const held = isBlank(behind) ? null : await this.hold(scope);
    if (held === null) return;
    await this.finding.giveUp(scope);
    const { status } = held;
    if (scope.account.hasAgreed && (status === 'withdrawn' || hasBegun(held))) {
      return this.room.unlessFull(scope, held, () =>
        status === 'withdrawn'
          ? this.keepClosed(scope, held, message, behind)
          : this.takeIn(scope, held, message, behind),
      );
    }
    const { consentFirst, humanAlready } = telegramTextsOf(held.language);
    await say(scope, status === 'handed_over' ? humanAlready : consentFirst);
  }

  /** In an interview that is open. `text`: the message's, null: it has none. */
  private async takeIn(
    scope: UpdateScope,
    held: LockedConversation,
    message: Message,
    text: string | null,
  ): Promise<void> {
    const named = this.nameOf(scope, held, message);
    if (scope.account.isPaused) await this.accounts.setPaused(scope.tx, scope.chatId, false);
    if (text !== null && (await this.correct(scope, held, message, text))) return;
    if (text !== null) return this.answer.takeText(scope, held, named, text, message);
    return this.answer.takeMedia(scope, held, named, message);
  }

  /** An edit of what was never received is a message like any other. */
  async takeEdit(scope: UpdateScope, message: Message, user: User): Promise<void> {
    const held = await this.hold(scope);
    const command = commandIn(message);
    const text = command?.behind ?? textOf(message) ?? captionOf(message);
    if (text === null) return;
    if (held === null) return this.finding.byEdit(scope, user, text);
    const texts = telegramTextsOf(held.language);
    if (isLoneCommand(message) || command?.behind === '') return say(scope, texts.editedToCommand);
    if (isBlank(text)) return;
    if (hasBegun(held) && !scope.account.hasAgreed) return this.notBegun(scope, held);
    const given = this.nameOf(scope, held, message);
    if (!(await this.kept.isKnown(scope.tx, given))) {
      return command === null
        ? this.take(scope, message, user)
        : this.takeBehindCommand(scope, message);
    }
    if (held.status === 'withdrawn') return;
    const media = 'text' in message ? null : mediaOf(message);
    // What is written below a voice or a file is a message of its own.
    const isBelow = media?.kind === 'voice' || media?.kind === 'file';
    const named = isBelow ? captionName(given) : given;
    return this.room.unlessFull(scope, held, async () => {
      if (!(await this.kept.isKnown(scope.tx, named))) {
        return this.answer.takeText(scope, held, named, text);
      }
      const shown =
        media?.kind === 'other' ? `${texts.attachment[media.attachment.kind]} ${text}` : text;
      await this.buffer.edit(scope.tx, { ...named, text: storable(shown, ' ') });
    });
  }

  /** A reply to what was heard in a voice message says what was really said. */
  private async correct(
    scope: UpdateScope,
    { id: conversationId, language }: LockedConversation,
    message: Message,
    text: string,
  ): Promise<boolean> {
    if (isBlank(text) || !('reply_to_message' in message)) return false;
    const { message_id: repliedTo } = message.reply_to_message ?? { message_id: 0 };
    const messageId = await this.readBacks.voiceOf(scope.tx, conversationId, repliedTo);
    if (messageId === null) return false;
    const correction = { conversationId, messageId, text: storable(text, ' ') };
    await this.interviews.correctTranscript(scope.tx, correction);
    await say(scope, telegramTextsOf(language).corrected);
    return true;
  }

  /** Nothing is kept. Who has asked for a person before agreeing waits for that person. */
  private async notBegun(scope: UpdateScope, { id }: LockedConversation): Promise<void> {
    const view = await this.views.view(scope.tx, id);
    const isToAgree = view.status === 'new' || view.status === 'declined';
    const isAgreedElsewhere = view.consent?.accepted === true;
    if (!isToAgree && !isAgreedElsewhere) return this.door.show(scope, view);
    await say(scope, telegramTextsOf(view.language).consentFirst);
    if (isAgreedElsewhere) return this.door.show(scope, view);
    return this.door.disclose(scope, view);
  }

  /** Beside an interview that its candidate has ended. */
  private async keepClosed(
    scope: UpdateScope,
    held: LockedConversation,
    message: Message,
    text: string | null,
  ): Promise<void> {
    if (text === null || isBlank(text)) return;
    const named = this.nameOf(scope, held, message);
    await this.kept.keep(scope.tx, { ...named, text: storable(text, ' '), attachment: null });
  }

  /** Null: there is no interview yet. */
  private async hold({ tx, account }: UpdateScope): Promise<LockedConversation | null> {
    return account.conversationId === null
      ? null
      : this.interviews.hold(tx, account.conversationId);
  }

  private nameOf(
    { chatId }: UpdateScope,
    { id }: { readonly id: string },
    message: Message,
  ): MessageName {
    const externalId = this.identity.externalIdOf(chatId, message.message_id);
    return { conversationId: id, channel: CHANNEL, externalId };
  }
}
