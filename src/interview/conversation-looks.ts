import { Injectable } from '@nestjs/common';
import { BufferService, type PendingAnswers } from '../buffer';
import { SharedCommits, type Tx, UnitsOfWork } from '../common/uow';
import { type ConversationRow, Conversations, type MessageRow, Messages } from '../persistence';
import { type ConversationMoment, momentOf } from './conversation-moment';
import { ConversationUnknownError } from './errors';

/** What a reader sees who looks at a conversation once more. */
export interface Look {
  readonly moment: ConversationMoment;
  /** After the line that the reader saw last. */
  readonly lines: readonly MessageRow[];
}

interface Reader {
  readonly conversationId: string;
  /** Null: it wants no lines. */
  readonly afterSeq: number | null;
}

interface Rows {
  readonly conversation: ConversationRow | undefined;
  readonly pending: PendingAnswers | undefined;
  readonly lines: readonly MessageRow[];
}

/**
 * Looks at conversations for the many readers of a replica: those that look at the same time share
 * one commit of three statements.
 */
@Injectable()
export class ConversationLooks {
  private readonly reads: SharedCommits<Reader, Rows>;

  constructor(
    units: UnitsOfWork,
    private readonly conversations: Conversations,
    private readonly messages: Messages,
    private readonly buffer: BufferService,
  ) {
    this.reads = new SharedCommits(units, 'conversation.look', (tx, of) => this.rowsOf(tx, of));
  }

  /** The caller is inside no commit. A conversation that cannot be read fails nobody else's look. */
  async look(conversationId: string, afterSeq: number | null): Promise<Look> {
    const { conversation, pending, lines } = await this.reads.ask({ conversationId, afterSeq });
    if (conversation === undefined) {
      throw new ConversationUnknownError('there is no such conversation');
    }
    return { moment: momentOf(conversation, pending), lines };
  }

  private async rowsOf(tx: Tx, readers: readonly Reader[]): Promise<Rows[]> {
    const ids = readers.map(({ conversationId }) => conversationId);
    const found = await this.conversations.findAll(tx, ids);
    const conversations = new Map(found.map((row) => [row.id, row]));
    const pending = await this.buffer.pending(tx, ids);
    const lines = await this.messages.listAfterEach(tx, readers);
    return readers.map(({ conversationId }, reader) => ({
      conversation: conversations.get(conversationId),
      pending: pending.get(conversationId),
      lines: lines[reader] ?? [],
    }));
  }
}
