import { Injectable } from '@nestjs/common';
import { AttentionService } from '../attention';
import type { Tx } from '../common/uow';
import { type DeskItem, NotionDesk } from '../notion-sync';

/** Notion's cases in the attention list. */
@Injectable()
export class AttentionDesk extends NotionDesk {
  constructor(private readonly attention: AttentionService) {
    super();
  }

  override async raise(tx: Tx, item: DeskItem): Promise<void> {
    await this.attention.raise(tx, item);
  }

  override settle(tx: Tx, subject: string): Promise<void> {
    return this.attention.settle(tx, subject, 'it came right by itself');
  }
}
