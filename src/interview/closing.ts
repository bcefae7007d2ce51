import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../common/events';
import type { Tx } from '../common/uow';
import type { InterviewPlan } from '../vacancies';
import { ClosingRepository } from './closing.repository';
import { ConversationRepository } from './conversation.repository';
import { InterviewListRepository } from './interview-list.repository';
import { type InterviewState, endState, readState, resumedState } from './plan/state';
import type { ConversationStatus } from './plan/verdicts';
import { Reminders } from './reminders/reminder.worker';
import { subjectOf } from './takeovers';

/**
 * A person closes an interview that nobody will finish. It ends as it would by silence (`expired`), now: nothing is
 * sent to the candidate, nobody is rejected, what they write afterwards is kept for a person, and a person who
 * writes and returns the interview goes on with it. For a day it can be opened again as if nothing had been done.
 *
 *   opened, started, needs_person ──close──> expired ──reopen, within a day──> as it was
 */
@Injectable()
export class InterviewClosing {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly interviews: InterviewListRepository,
    private readonly closings: ClosingRepository,
    private readonly reminders: Reminders,
    private readonly events: DomainEvents,
  ) {}

  /** Null: it is closed. Else why it is not: an answer waits for its reply, or it has ended. */
  async close(tx: Tx, id: string, by: string): Promise<'reply_owed' | 'ended' | null> {
    const { status, owner, plan, state } = await this.conversations.lockKnown(tx, id);
    const stage = await this.interviews.findStage(tx, id);
    if (stage === 'waiting_for_us') return 'reply_owed';
    if (stage !== 'opened' && stage !== 'started' && stage !== 'needs_person') return 'ended';
    await this.closings.put(tx, id, { status, owner, state });
    const ended = endState(plan, readState(state), 'expired');
    await this.conversations.end(tx, id, { state: ended, status: 'expired' });
    if (owner !== 'model') {
      await this.conversations.setOwner(tx, id, 'model');
      const settled = { subject: subjectOf(id), resolution: `closed by ${by}`, by };
      await this.events.publish(tx, 'attention.settled', settled);
    }
    await this.reminders.end(tx, id);
    await this.changed(tx, id);
    return null;
  }

  /** Null: it is open as before. Else why it is not. */
  async reopen(tx: Tx, id: string, by: string): Promise<'not_closed' | null> {
    const { status, plan, state } = await this.conversations.lockKnown(tx, id);
    const before = await this.closings.take(tx, id, REOPENED_WITHIN_MS);
    if (before === null || status !== 'expired') return 'not_closed';
    const was = before.state ?? resumed(plan, readState(state), before.status);
    await this.conversations.end(tx, id, { state: was, status: before.status });
    if (before.owner !== 'model') {
      await this.conversations.setOwner(tx, id, before.owner);
      await this.events.publish(tx, 'attention.needed', {
        kind: 'handed_over',
        subject: subjectOf(id),
        conversationId: id,
        reason: `a person had the interview when it was closed, and ${by} has opened it again`,
        isKnown: before.owner === 'person',
      });
    }
    if (before.status === 'active') await this.reminders.begin(tx, id);
    await this.changed(tx, id);
    return null;
  }

  private async changed(tx: Tx, id: string): Promise<void> {
    await this.events.publish(tx, 'conversation.changed', { conversationId: id });
    await this.events.publish(tx, 'interview.changed', { conversationIds: [id] });
  }
}

/** How long a closed interview can be opened again as it was. */
const REOPENED_WITHIN_MS = 24 * 3_600_000;

/** Of an interview that a version before closed, which did not keep the state. */
function resumed(
  plan: InterviewPlan,
  state: InterviewState,
  status: ConversationStatus,
): InterviewState {
  // A person had it already, so its questions were not waiting.
  return status === 'handed_over' ? state : resumedState(plan, state);
}
