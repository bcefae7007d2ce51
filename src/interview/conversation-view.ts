import { Injectable } from '@nestjs/common';
import { Candidates } from '../accounts';
import { BufferService } from '../buffer';
import type { Tx } from '../common/uow';
import { type FoundInvite, type InterviewPlan, type Language, Vacancies } from '../hiring';
import {
  type ConversationRow,
  type ConversationStatus,
  Conversations,
  type MessageRow,
  Messages,
} from '../persistence';
import { type Disclosure, disclosureOf } from './disclosure';
import { ConversationUnknownError } from './errors';
import { Interviews, type ProfileField } from './interviews';
import { progress, readState } from './plan';
import { TurnTable, type TurnRow } from './turn/turn-table';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What changes from moment to moment in a conversation. */
export interface ConversationMoment {
  readonly status: ConversationStatus;
  readonly interviewStep: number;
  readonly progress: { readonly question: number; readonly of: number };
  /** An answer is being collected; due at that time. */
  readonly hasBuffer: boolean;
  readonly dueAt: Date | null;
  /** A reply is being written, or is to be written again. */
  readonly replying: boolean;
  readonly lastSeq: number;
}

/** A conversation as its candidate may see it. */
export interface ConversationView extends ConversationMoment {
  readonly id: string;
  readonly language: Language;
  readonly company: string;
  readonly vacancyTitle: string;
  readonly disclosure: Disclosure;
  readonly consent: ConversationRow['consent'];
  readonly profile: {
    readonly name: string | null;
    readonly contact: string | null;
    readonly needed: readonly ProfileField[];
  };
  readonly messages: readonly MessageRow[];
}

/** Reads conversations for channels. Writes nothing. */
@Injectable()
export class ConversationViews {
  constructor(
    private readonly conversations: Conversations,
    private readonly messages: Messages,
    private readonly candidates: Candidates,
    private readonly vacancies: Vacancies,
    private readonly interviews: Interviews,
    private readonly buffer: BufferService,
    private readonly turns: TurnTable,
  ) {}

  async view(tx: Tx, conversationId: string): Promise<ConversationView> {
    const conversation = await this.get(tx, conversationId);
    const vacancy = await this.vacancies.find(tx, conversation.vacancyId);
    const candidate = await this.candidates.find(tx, conversation.candidateId);
    const company = vacancy?.company ?? '';
    return {
      ...(await this.momentOf(tx, conversation)),
      id: conversation.id,
      language: conversation.language,
      company,
      vacancyTitle: vacancy?.title ?? '',
      disclosure: disclosureOf(conversation.language, company),
      consent: conversation.consent,
      profile: {
        name: candidate?.name ?? null,
        contact: candidate?.contact ?? null,
        needed: await this.interviews.missingProfile(tx, conversation.candidateId),
      },
      messages: await this.messages.listAfter(tx, conversationId, 0),
    };
  }

  async moment(tx: Tx, conversationId: string): Promise<ConversationMoment> {
    return this.momentOf(tx, await this.get(tx, conversationId));
  }

  /** Lines that a reader has not seen yet. */
  linesAfter(tx: Tx, conversationId: string, seq: number): Promise<MessageRow[]> {
    return this.messages.listAfter(tx, conversationId, seq);
  }

  findLine(tx: Tx, messageId: string): Promise<MessageRow | undefined> {
    return this.messages.find(tx, messageId);
  }

  /** What code told the candidate last: an end, a hand-over, trouble. */
  async lastNotice(tx: Tx, conversationId: string): Promise<MessageRow | undefined> {
    const lines = await this.messages.listAfter(tx, conversationId, 0);
    return lines.findLast(({ role }) => role === 'system');
  }

  /** Whether an id names any conversation, whoever's it is. */
  async exists(tx: Tx, id: string): Promise<boolean> {
    if (!UUID.test(id)) return false;
    return (await this.conversations.find(tx, id)) !== undefined;
  }

  /** Whether this link led, or would lead, to this conversation. */
  async isOfInvite(
    tx: Tx,
    conversationId: string,
    invite: Exclude<FoundInvite, { state: 'unknown' }>,
  ): Promise<boolean> {
    const conversation = await this.get(tx, conversationId);
    if (conversation.vacancyId !== invite.vacancy.id) return false;
    return invite.kind === 'personal'
      ? conversation.candidateId === invite.invitation.candidateId
      : conversation.invitationId === null;
  }

  /** This conversation's turn of that id if its reply is stored, otherwise the last stored one. */
  turnForResume(
    tx: Tx,
    conversationId: string,
    turnId: string | undefined,
  ): Promise<TurnRow | undefined> {
    return this.turns.findForResume(tx, conversationId, turnId ?? null);
  }

  private async momentOf(tx: Tx, conversation: ConversationRow): Promise<ConversationMoment> {
    const pending = await this.buffer.pending(tx, { conversationId: conversation.id });
    return {
      status: conversation.status,
      interviewStep: conversation.interviewStep,
      progress: progress(conversation.plan as InterviewPlan, readState(conversation.state)),
      hasBuffer: pending.dueAt !== null,
      dueAt: pending.dueAt,
      replying: pending.isAnswering,
      lastSeq: conversation.lastSeq,
    };
  }

  private async get(tx: Tx, id: string): Promise<ConversationRow> {
    const conversation = await this.conversations.find(tx, id);
    if (conversation !== undefined) return conversation;
    throw new ConversationUnknownError('there is no such conversation');
  }
}
