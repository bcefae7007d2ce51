import { Injectable } from '@nestjs/common';
import { ContinuationRepository, type ContinuedOn, type FoundContinuation } from '../candidates';
import { Settings } from '../common/config';
import type { Tx } from '../common/uow';
import { candidateLink, telegramLink } from '../vacancies';
import { ConversationRepository } from './conversation.repository';
import { MetadataService } from './metadata/metadata.service';

/** An address that works once. */
export interface ContinuationLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/**
 * Links that continue an interview on another channel. It uses only the addresses of channels, not their
 * modules.
 */
@Injectable()
export class ContinuationLinks {
  constructor(
    private readonly continuations: ContinuationRepository,
    private readonly conversations: ConversationRepository,
    private readonly metadata: MetadataService,
    private readonly settings: Settings,
  ) {}

  async continueOnWeb(tx: Tx, conversationId: string): Promise<ContinuationLink> {
    const { token, expiresAt } = await this.continuations.create(tx, {
      conversationId,
      channel: 'web',
    });
    return { url: candidateLink(this.settings.http, token), expiresAt };
  }

  /** `channel_off` while no bot is configured; nothing is stored then. */
  async continueInTelegram(
    tx: Tx,
    conversationId: string,
  ): Promise<ContinuationLink | 'channel_off'> {
    const { botName } = this.settings.telegram;
    if (botName === '') return 'channel_off';
    const { token, expiresAt } = await this.continuations.create(tx, {
      conversationId,
      channel: 'telegram',
    });
    return { url: telegramLink(botName, token), expiresAt };
  }

  /** Uses the link's token up, and notes in the conversation's metadata how its candidate came. */
  async redeem(
    tx: Tx,
    token: string,
    channel: ContinuedOn,
  ): ReturnType<ContinuationRepository['redeem']> {
    const found = await this.continuations.find(tx, token, channel);
    // Lock order: the conversation before the link's row, as in an erasure or a move.
    if (found?.state === 'ok') await this.conversations.lock(tx, found.conversationId);
    const redeemed = await this.continuations.redeem(tx, token, channel);
    if (typeof redeemed === 'string') return redeemed;
    await this.metadata.update(tx, redeemed.conversationId, { identifiedBy: 'continuation' });
    return redeemed;
  }

  /** What the link leads to in Telegram, used or not; null: there is no such link. Reads only. */
  find(tx: Tx, token: string): Promise<FoundContinuation | null> {
    return this.continuations.find(tx, token, 'telegram');
  }
}
