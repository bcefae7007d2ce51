import { Injectable } from '@nestjs/common';
import { AttentionService } from '../../attention';
import type { Tx } from '../../common/uow';
import { type TurnRow, TurnRepository } from './turn-table';

const TAKEN_UP = 'it is part of the next answer';

/**
 * Answers that ended without a reply because something was away, not because of their content, are
 * replied to together with the conversation's next answer. Under the conversation's lock.
 */
@Injectable()
export class EarlierAnswers {
  constructor(
    private readonly turns: TurnRepository,
    private readonly attention: AttentionService,
  ) {}

  /** The buffers of all earlier answers that belong to this turn; the same in each of its epochs. */
  async takeUp(tx: Tx, turn: TurnRow): Promise<string[]> {
    for (const bufferId of await this.turns.takeUpEarlier(tx, turn)) {
      await this.attention.settle(tx, `task:${bufferId}`, TAKEN_UP);
    }
    return this.turns.listTakenUp(tx, turn.id);
  }
}
