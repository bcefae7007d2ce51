import { type PendingAnswers, BufferService } from '../buffer';
import type { InterviewPlan } from '../vacancies';
import {
  type ConversationOwner,
  type ConversationRow,
  type ConversationStatus,
  ConversationRepository,
} from './conversation.repository';
import {
  type MessagePage,
  MessagePageRepository,
  type PageSize,
} from './transcript/message-page.repository';
import { progress, readState } from './plan/state';
import { Injectable } from '@nestjs/common';
import { CommitBatcher, type Tx, UnitOfWorkFactory } from '../common/uow';
import { ConversationUnknownError } from './conversation-rules';

/** What changes from moment to moment in a conversation. */
export interface ConversationSnapshot {
  readonly status: ConversationStatus;
  /** Who answers. */
  readonly owner: ConversationOwner;
  readonly interviewStep: number;
  readonly progress: { readonly question: number; readonly of: number };
  /** An answer is being collected; due at that time. */
  readonly hasBuffer: boolean;
  readonly dueAt: Date | null;
  /** A reply is being written, or is to be written again. */
  readonly replying: boolean;
  /** Voice messages whose transcript is still to come. */
  readonly transcribing: number;
  /** Files from another channel that are still on their way. */
  readonly filesArriving: number;
  readonly lastSeq: number;
}

export function snapshotOf(
  conversation: ConversationRow,
  pending: PendingAnswers | undefined,
): ConversationSnapshot {
  const dueAt = pending?.dueAt ?? null;
  return {
    status: conversation.status,
    owner: conversation.owner,
    interviewStep: conversation.interviewStep,
    progress: progress(conversation.plan as InterviewPlan, readState(conversation.state)),
    hasBuffer: dueAt !== null,
    dueAt,
    replying: pending?.isAnswering ?? false,
    transcribing: pending?.transcribing ?? 0,
    filesArriving: pending?.filesArriving ?? 0,
    lastSeq: conversation.lastSeq,
  };
}

/** What a reader sees who looks at a conversation once more. */
export interface Look {
  /** Whose the conversation is. */
  readonly candidateId: string;
  readonly moment: ConversationSnapshot;
  /** After the line that the reader saw last; the next look shows what did not fit. */
  readonly news: MessagePage;
}

/** Of one look: hundreds of readers share a commit. */
const NEWS_SIZE: PageSize = { lines: 50, chars: 32_000 };
const NO_NEWS: MessagePage = { lines: [], isMore: false };

interface Reader {
  readonly conversationId: string;
  /** Null: it wants no lines. */
  readonly afterSeq: number | null;
}

interface Rows {
  readonly conversation: ConversationRow | undefined;
  readonly pending: PendingAnswers | undefined;
  readonly news: MessagePage;
}

/**
 * Looks at conversations for the many readers of a replica: those that look at the same time share
 * one commit of three statements.
 */
@Injectable()
export class ConversationReader {
  private readonly reads: CommitBatcher<Reader, Rows>;

  constructor(
    units: UnitOfWorkFactory,
    private readonly conversations: ConversationRepository,
    private readonly pages: MessagePageRepository,
    private readonly buffer: BufferService,
  ) {
    this.reads = new CommitBatcher(units, 'conversation.look', (tx, of) => this.rowsOf(tx, of));
  }

  /** The caller is inside no commit. A conversation that cannot be read fails nobody else's look. */
  async look(conversationId: string, afterSeq: number | null): Promise<Look> {
    const { conversation, pending, news } = await this.reads.ask({ conversationId, afterSeq });
    if (conversation === undefined) {
      throw new ConversationUnknownError('there is no such conversation');
    }
    const { candidateId } = conversation;
    return { candidateId, moment: snapshotOf(conversation, pending), news };
  }

  private async rowsOf(tx: Tx, readers: readonly Reader[]): Promise<Rows[]> {
    const ids = readers.map(({ conversationId }) => conversationId);
    const found = await this.conversations.findAll(tx, ids);
    const conversations = new Map(found.map((row) => [row.id, row]));
    const pending = await this.buffer.pending(tx, ids);
    const news = await this.pages.afterEach(tx, readers, NEWS_SIZE);
    return readers.map(({ conversationId }, reader) => ({
      conversation: conversations.get(conversationId),
      pending: pending.get(conversationId),
      news: news[reader] ?? NO_NEWS,
    }));
  }
}
