import { type PendingWork, BufferService } from '../buffer';
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
import { MessageRepository, type MessageRow } from './transcript/message.repository';
import { progress, readState } from './plan/state';
import { TurnRepository, type TurnRow } from './turn/turn.repository';
import { Injectable } from '@nestjs/common';
import { CommitBatcher, type Tx, UnitOfWorkFactory } from '../common/uow';
import { ConversationUnknownError } from './conversation-rules';

/** The state of a conversation that changes often. */
export interface ConversationSnapshot {
  readonly status: ConversationStatus;
  /** Who replies. */
  readonly owner: ConversationOwner;
  readonly interviewStep: number;
  readonly progress: { readonly question: number; readonly of: number };
  /** An answer is being collected; due at that time. */
  readonly hasBuffer: boolean;
  readonly dueAt: Date | null;
  /** Until then, at the time of reading; null too while a voice is transcribed. */
  readonly dueInMs: number | null;
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
  pending: PendingWork | undefined,
): ConversationSnapshot {
  const dueAt = pending?.dueAt ?? null;
  return {
    status: conversation.status,
    owner: conversation.owner,
    interviewStep: conversation.interviewStep,
    progress: progress(conversation.plan as InterviewPlan, readState(conversation.state)),
    hasBuffer: dueAt !== null,
    dueAt,
    dueInMs: pending?.dueInMs ?? null,
    replying: pending?.isAnswering ?? false,
    transcribing: pending?.transcribing ?? 0,
    filesArriving: pending?.filesArriving ?? 0,
    lastSeq: conversation.lastSeq,
  };
}

/** What one read of a conversation shows to a reader of its events. */
export interface ConversationReading {
  /** The candidate's id. */
  readonly candidateId: string;
  readonly snapshot: ConversationSnapshot;
  /** The lines after the last one that the reader has; `isMore`: the next read shows the rest. */
  readonly news: MessagePage;
}

interface Reader {
  readonly conversationId: string;
  /** Null: it wants no lines. */
  readonly afterSeq: number | null;
}

/** `conversation` undefined: there is no such conversation. */
interface Rows {
  readonly conversation: ConversationRow | undefined;
  readonly pending: PendingWork | undefined;
  readonly news: MessagePage;
}

/** Of one read: in a shared commit hundreds of readers read. */
const NEWS_SIZE: PageSize = { lines: 50, chars: 32_000 };
const NO_NEWS: MessagePage = { lines: [], isMore: false };

/** Reads what readers of a conversation's events are shown: its state and its new lines. */
@Injectable()
export class ConversationReader {
  private readonly shared: CommitBatcher<Reader, Rows>;

  constructor(
    units: UnitOfWorkFactory,
    private readonly conversations: ConversationRepository,
    private readonly pages: MessagePageRepository,
    private readonly buffer: BufferService,
    private readonly turns: TurnRepository,
    private readonly messages: MessageRepository,
  ) {
    this.shared = new CommitBatcher(units, 'conversation.read', (tx, readers) =>
      this.rowsOf(tx, readers),
    );
  }

  /** The stored reply of this turn, or else the last one of the conversation, with its message. */
  async findReply(
    tx: Tx,
    conversationId: string,
    turnId: string | undefined,
  ): Promise<{ turn: TurnRow; line: MessageRow } | undefined> {
    const turn = await this.turns.findForResume(tx, conversationId, turnId ?? null);
    const line = turn && (await this.messages.find(tx, turn.replyMessageId));
    return turn === undefined || line === undefined ? undefined : { turn, line };
  }

  /** In the caller's commit: three statements. Throws ConversationUnknownError. */
  async read(
    tx: Tx,
    conversationId: string,
    afterSeq: number | null,
  ): Promise<ConversationReading> {
    const [rows] = await this.rowsOf(tx, [{ conversationId, afterSeq }]);
    return readingOf(rows);
  }

  /**
   * The same in a commit that callers at the same time share, because one event wakes hundreds of readers.
   * The caller must be outside a commit. An unreadable conversation fails only its own readers. Throws
   * ConversationUnknownError.
   */
  async readShared(conversationId: string, afterSeq: number | null): Promise<ConversationReading> {
    return readingOf(await this.shared.submit({ conversationId, afterSeq }));
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

function readingOf(rows: Rows | undefined): ConversationReading {
  if (rows?.conversation === undefined) {
    throw new ConversationUnknownError('there is no such conversation');
  }
  const { conversation, pending, news } = rows;
  const { candidateId } = conversation;
  return { candidateId, snapshot: snapshotOf(conversation, pending), news };
}
