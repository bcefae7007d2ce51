import { Injectable } from '@nestjs/common';
import { type AttentionItem, AttentionNotReplayableError } from '../../attention';
import type { Tx } from '../../common/uow';
import { DeliveryService, type Resumed } from '../../delivery';
import { ConversationRepository } from '../../persistence';
import { DELIVERY_SUBJECT } from './turn-delivery';

/** What "do it again" means for a message that may not have reached its candidate: it is sent again. */
@Injectable()
export class DeliveryReplay {
  constructor(
    private readonly deliveries: DeliveryService,
    private readonly conversations: ConversationRepository,
  ) {}

  isAbout({ subject }: AttentionItem): boolean {
    return subject.startsWith(DELIVERY_SUBJECT);
  }

  /** Of a part that is dead, or that may have arrived. Throws AttentionNotReplayableError. */
  async replayPart(tx: Tx, item: AttentionItem): Promise<void> {
    await this.assertWanted(tx, item);
    const deliveryId = item.subject.slice(DELIVERY_SUBJECT.length);
    assertResumed(await this.deliveries.replay(tx, deliveryId));
  }

  /** Throws AttentionNotReplayableError. */
  async replayBlocked(tx: Tx, item: AttentionItem): Promise<void> {
    const conversationId = await this.assertWanted(tx, item);
    assertResumed(await this.deliveries.resume(tx, conversationId));
  }

  private async assertWanted(tx: Tx, { conversationId }: AttentionItem): Promise<string> {
    if (conversationId === null) throw notReplayable('it names no conversation');
    const conversation = await this.conversations.lock(tx, conversationId);
    if (conversation?.status === 'withdrawn') throw notReplayable('the candidate has withdrawn');
    return conversationId;
  }
}

function assertResumed(resumed: Resumed): void {
  switch (resumed) {
    case 'resumed':
      return;
    case 'nothing_to_resume':
      throw notReplayable('nothing of it is left to send');
    case 'passed':
      throw notReplayable('a later reply was delivered');
  }
}

function notReplayable(why: string): AttentionNotReplayableError {
  return new AttentionNotReplayableError(`this cannot be sent again: ${why}`);
}
