import { Injectable } from '@nestjs/common';
import type { Message, User } from 'telegraf/types';
import {
  type AppendedMessage,
  BufferService,
  ConversationFullError,
  NotOpenError,
  isBlank,
} from '../../../buffer';
import { storable } from '../../../common/text';
import { type LockedConversation, InterviewService, SKIP } from '../../../interview';
import { TelegramAccountRepository } from '../account.repository';
import { Commands } from '../dialog/commands';
import { InterviewLookup } from '../dialog/interview-lookup';
import { ConsentDialog } from '../dialog/consent-dialog';
import { replyWith, type UpdateScope } from '../intake/update-handling';
import { isDoneButton, telegramTextsOf } from '../texts/texts';
import { AnswerIntake } from './answer-intake';
import { ConversationLimits, areMessagesKept, isService } from './attachments';
import { wordsOf } from './message-context';
import { commandIn, isLoneCommand, textOf } from './message-text';

/**
 * Routes what candidates write. Text joins the answer that is collected; what no model can read is
 * kept for people, and the bot says so. Nothing is kept before consent.
 */
@Injectable()
export class CandidateMessages {
  constructor(
    private readonly commands: Commands,
    private readonly lookup: InterviewLookup,
    private readonly consentDialog: ConsentDialog,
    private readonly interviews: InterviewService,
    private readonly room: ConversationLimits,
    private readonly accounts: TelegramAccountRepository,
    private readonly buffer: BufferService,
    private readonly answer: AnswerIntake,
  ) {}

  async take(scope: UpdateScope, message: Message, user: User): Promise<void> {
    if (isService(message)) return;
    const text = textOf(message);
    if (text !== null && isDoneButton(text)) return this.commands.done(scope);
    if (isLoneCommand(message)) return this.commands.unknown(scope);
    const isForLookup = text !== null && this.lookup.expects(scope, text);
    if (!isForLookup && text !== null && (await this.takeAtOnce(scope, message, text))) return;
    const held = isForLookup ? null : await this.hold(scope);
    if (held === null) return this.lookup.byText(scope, user, text ?? '');
    await this.lookup.giveUp(scope);
    if (!areMessagesKept(held) || !scope.account.hasAgreed)
      return this.consentDialog.remind(scope, held.id);
    return this.room.unlessFull(scope, held, async () => {
      const words = text === null ? null : wordsOf(message);
      if (held.notOpen === null) return this.takeIn(scope, held, message, words);
      await this.answer.keepClosed(
        scope,
        this.answer.nameOf(scope, held.id, message),
        message,
        words,
      );
      await this.consentDialog.sayWithdrawn(scope, held.id, words !== null && !isBlank(words));
    });
  }

  /**
   * The common case: text for a running interview, stored by one statement that also takes the lock.
   * False: nothing was stored, and the conversation has to be read first.
   */
  private async takeAtOnce(scope: UpdateScope, message: Message, text: string): Promise<boolean> {
    const { tx, chatId, account } = scope;
    const { conversationId: id, hasAgreed } = account;
    if (id === null || !hasAgreed || isBlank(text) || 'reply_to_message' in message) return false;
    const named = this.answer.nameOf(scope, id, message);
    const words = storable(wordsOf(message) ?? text, ' ');
    let received: AppendedMessage;
    try {
      received = await this.buffer.append(tx, { ...named, text: words });
    } catch (error) {
      if (error instanceof NotOpenError || error instanceof ConversationFullError) return false;
      throw error;
    }
    await this.lookup.giveUp(scope);
    if (account.isPaused) await this.accounts.setPaused(tx, chatId, false);
    await this.answer.addToText(scope, named, received, message);
    return true;
  }

  /**
   * Text after a command is a message for the interview. The command itself replies; this replies
   * only when the text is not kept.
   */
  async takeBehindCommand(scope: UpdateScope, message: Message): Promise<void> {
    const { behind = '' } = commandIn(message) ?? {};
    const held = isBlank(behind) ? null : await this.hold(scope);
    if (held === null) return;
    await this.lookup.giveUp(scope);
    if (scope.account.hasAgreed && areMessagesKept(held)) {
      const named = this.answer.nameOf(scope, held.id, message);
      return this.room.unlessFull(scope, held, () =>
        held.notOpen === null
          ? this.takeIn(scope, held, message, behind)
          : this.answer.keepClosed(scope, named, message, behind),
      );
    }
    const { consentFirst, humanAlready, notKeptForPerson } = telegramTextsOf(held.language);
    const withPerson = held.consent?.accepted === true ? humanAlready : notKeptForPerson;
    await replyWith(scope, held.status === 'handed_over' ? withPerson : consentFirst);
  }

  /** Leaves the open question: the command is a message of the interview, and completes the answer. */
  async takeSkip(scope: UpdateScope, message: Message): Promise<void> {
    if (!(await this.commands.maySkip(scope))) return;
    const held = await this.hold(scope);
    if (held === null) return;
    const { externalId, ...named } = this.answer.nameOf(scope, held.id, message);
    return this.room.unlessFull(scope, held, async () => {
      // A message of its own, because the text after the command has the message's own id.
      const skip = { ...named, externalId: `${externalId}:skip`, text: SKIP };
      await this.buffer.append(scope.tx, skip);
      if (scope.account.isPaused) await this.accounts.setPaused(scope.tx, scope.chatId, false);
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
    const named = this.answer.nameOf(scope, held.id, message);
    if (scope.account.isPaused) await this.accounts.setPaused(scope.tx, scope.chatId, false);
    if (text !== null && (await this.answer.correct(scope, held, message, text))) return;
    if (text !== null) return this.answer.takeText(scope, held, named, text, message);
    return this.answer.takeMedia(scope, held, named, message);
  }

  /**
   * An edit of a message that was never received is taken as a new message, unless the message was sent
   * before this interview was opened here: then its words were meant for another one, or not kept.
   */
  async takeEdit(scope: UpdateScope, message: Message, user: User): Promise<void> {
    const held = await this.hold(scope);
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
    const given = this.answer.nameOf(scope, held.id, message);
    if (!(await this.answer.isKnown(scope.tx, given))) {
      if (await this.consentDialog.isBeforeJoining(scope, held.id, message.date))
        return replyWith(scope, texts.sentBefore);
      return command === null
        ? this.take(scope, message, user)
        : this.takeBehindCommand(scope, message);
    }
    if (held.notOpen !== null) return;
    return this.room.unlessFull(scope, held, () =>
      this.answer.edit(scope, held, given, message, text),
    );
  }

  /** Null: there is no interview yet. */
  private async hold({ tx, account }: UpdateScope): Promise<LockedConversation | null> {
    return account.conversationId === null
      ? null
      : this.interviews.lock(tx, account.conversationId);
  }
}
