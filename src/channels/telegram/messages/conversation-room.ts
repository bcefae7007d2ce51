import { Injectable } from '@nestjs/common';
import { AttentionService } from '../../../attention';
import { AudioFullError, ConversationFullError, FilesFullError } from '../../../buffer';
import type { LockedConversation } from '../../../interview';
import { say } from '../dialog/saying';
import type { UpdateScope } from '../intake/update-scope';
import { type TelegramTexts, telegramTextsOf } from '../texts/texts';

/** A conversation takes so much of its candidate; a message that it has no room for is not lost. */
@Injectable()
export class ConversationLimits {
  constructor(private readonly attention: AttentionService) {}

  /** Null where there is no room: nothing has changed then. */
  async orNull<T>(take: () => Promise<T>): Promise<T | null> {
    try {
      return await take();
    } catch (error) {
      if (error instanceof ConversationFullError) return null;
      throw error;
    }
  }

  /** What `take` refuses for want of room: its sender is told, and a person finds it in attention. */
  async unlessFull(
    scope: UpdateScope,
    { id: conversationId, language }: LockedConversation,
    take: () => Promise<void>,
  ): Promise<void> {
    try {
      await take();
    } catch (error) {
      const { audioFull, filesFull, full } = telegramTextsOf(language);
      const text = textOf(error, { audioFull, filesFull, full });
      if (text === null) throw error;
      await this.attention.raise(scope.tx, {
        kind: 'full',
        // Not the conversation's own subject: that one is settled when a person returns it.
        subject: `full:${conversationId}`,
        conversationId,
        reason: 'the conversation has no room for what the candidate sends',
      });
      await say(scope, text);
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

/** Its person has agreed and is known: what they write belongs to it. */
export function hasBegun({ consent, status }: LockedConversation): boolean {
  return consent?.accepted === true && status !== 'new' && status !== 'declined';
}
