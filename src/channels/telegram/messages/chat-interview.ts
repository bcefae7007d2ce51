import { Injectable } from '@nestjs/common';
import { AudioFullError, ConversationFullError, FilesFullError } from '../../../buffer';
import { DomainEvents } from '../../../common/events';
import { InterviewService, type LockedConversation } from '../../../interview';
import { UploadsFullError } from '../../../vacancies';
import { TelegramAccountRepository } from '../account.repository';
import { replyWith } from '../intake/update-handling';
import type { UpdateScope } from '../intake/update-scopes';
import { type TelegramTexts, telegramTextsOf } from '../texts/texts';
import { CHANNEL } from './message-text';

/** The interview that a chat is in, for the messages that are sent to it. */
@Injectable()
export class ChatInterview {
  constructor(
    private readonly interviews: InterviewService,
    private readonly accounts: TelegramAccountRepository,
    private readonly events: DomainEvents,
  ) {}

  /** Locks its conversation; null: there is no interview yet. */
  async hold({ tx, account }: UpdateScope): Promise<LockedConversation | null> {
    return account.conversationId === null
      ? null
      : this.interviews.lock(tx, account.conversationId);
  }

  /** A message ends the pause that its candidate asked for. */
  async endPause({ tx, chatId, account }: UpdateScope): Promise<void> {
    if (account.isPaused) await this.accounts.setPaused(tx, chatId, false);
  }

  /** If a limit of the conversation is exceeded, the bot says so and the attention list gets an item. */
  async unlessFull(
    scope: UpdateScope,
    { id: conversationId, language }: LockedConversation,
    take: () => Promise<void>,
  ): Promise<void> {
    try {
      await take();
    } catch (error) {
      const texts = telegramTextsOf(language);
      // The open link has an attention item of its own.
      if (error instanceof UploadsFullError) return replyWith(scope, texts.uploadsFull);
      const text = textOf(error, texts);
      if (text === null) throw error;
      // What the team writes now arrives here.
      await this.interviews.enter(scope.tx, conversationId, CHANNEL);
      await this.events.publish(scope.tx, 'attention.needed', {
        kind: 'full',
        // Not the conversation's own subject, which is settled when a person returns the interview.
        subject: `full:${conversationId}`,
        conversationId,
        reason: 'the candidate sends more than the conversation accepts',
      });
      await replyWith(scope, text);
    }
  }
}

function textOf(
  error: unknown,
  texts: Pick<TelegramTexts, 'audioFull' | 'filesFull' | 'full'>,
): string | null {
  if (error instanceof AudioFullError) return texts.audioFull;
  if (error instanceof FilesFullError) return texts.filesFull;
  return error instanceof ConversationFullError ? texts.full : null;
}

/** Whether messages are stored: the interview takes them, or its candidate agreed and ended it later. */
export function areMessagesKept({ notOpen, consent, status }: LockedConversation): boolean {
  return notOpen === null || (status === 'withdrawn' && consent?.accepted === true);
}
