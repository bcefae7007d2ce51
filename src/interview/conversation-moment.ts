import type { PendingAnswers } from '../buffer';
import type { InterviewPlan } from '../vacancies';
import type { ConversationOwner, ConversationRow, ConversationStatus } from '../persistence';
import { progress, readState } from './plan/state';

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
