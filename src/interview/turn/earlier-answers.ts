import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../common/events';
import type { Tx } from '../../common/uow';
import { type TurnRow, TurnRepository } from './turn.repository';

/**
 * Takes up answers that ended without a reply because of an outage, not because of their content: they
 * are replied to together with the conversation's next answer. Under the conversation's lock.
 */
@Injectable()
export class EarlierAnswers {
  constructor(
    private readonly turns: TurnRepository,
    private readonly bus: DomainEvents,
  ) {}

  /** The buffers of all earlier answers that belong to this turn; the same in each of its epochs. */
  async takeUp(tx: Tx, turn: TurnRow): Promise<string[]> {
    for (const answerId of await this.turns.takeUpEarlier(tx, turn)) {
      await this.bus.publish(tx, 'attention.settled', {
        subject: `job:${answerId}`,
        resolution: TAKEN_UP,
      });
    }
    return this.turns.listTakenUp(tx, turn.id);
  }
}

const TAKEN_UP = 'it is part of the next answer';
