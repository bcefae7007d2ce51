import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../common/events';
import type { Tx } from '../../common/uow';
import {
  type Claim,
  type DeadJob,
  JobHandler,
  type JobHandlerClass,
  type JobFlow,
  Jobs,
} from '../../jobs';
import { ConversationRepository } from '../conversation.repository';
import { type ReminderRefusal, ReminderWorker } from './reminder.worker';
import { STEP_MS } from './schedule';

declare module '../../jobs' {
  interface QueueNames {
    'remind-now': RequestedReminderWorker;
  }
}

const QUEUE = 'remind-now';
/** As long as this a wish can be taken back: a message that is sent cannot. */
const HELD_MS = 10_000;

/**
 * The queue `remind-now`: a reminder that a person has asked for, held for some seconds, and until the morning at
 * night. When it is due everything is checked again, in the commit that stores the message. It counts as one of the
 * silence's reminders, so the next one by the schedule waits from then on.
 */
@Injectable()
@JobHandler(QUEUE, { concurrency: 2, maxFailures: 5 })
export class RequestedReminderWorker implements JobHandlerClass {
  constructor(
    private readonly jobs: Jobs,
    private readonly conversations: ConversationRepository,
    private readonly reminders: ReminderWorker,
    private readonly events: DomainEvents,
  ) {}

  async run(claim: Claim, { uow }: JobFlow): Promise<void> {
    await uow.commit('reminder', async (tx) => {
      const conversation = await this.conversations.lock(tx, claim.key);
      await this.jobs.fence(tx, claim);
      const refusal =
        conversation === undefined
          ? 'not_waiting'
          : await this.reminders.remindNow(tx, conversation);
      await this.jobs.complete(tx, claim);
      if (refusal !== 'night') return;
      await this.jobs.enqueue(tx, { queue: QUEUE, key: claim.key, dueInMs: STEP_MS });
    });
  }

  async onDead(tx: Tx, { key: conversationId }: DeadJob): Promise<void> {
    await this.events.publish(tx, 'attention.needed', {
      kind: 'silent',
      subject: `conversation:${conversationId}`,
      conversationId,
      reason: 'a reminder that a colleague asked for could not be sent; write to the candidate',
    });
  }
}

/** Reminders that people ask for. */
@Injectable()
export class RequestedReminders {
  constructor(
    private readonly jobs: Jobs,
    private readonly conversations: ConversationRepository,
    private readonly reminders: ReminderWorker,
  ) {}

  /** In how many milliseconds it is sent, or why it is not. Throws ConversationUnknownError. */
  async request(tx: Tx, conversationId: string): Promise<ReminderRefusal | number> {
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    const found = await this.reminders.mayRemind(tx, conversation);
    if (typeof found === 'string') return found;
    const dueInMs = Math.max(HELD_MS, found.dayInMs);
    await this.jobs.enqueue(tx, { queue: QUEUE, key: conversationId, dueInMs });
    return dueInMs;
  }

  /** False: there is none, or it is being sent. */
  async takeBack(tx: Tx, conversationId: string): Promise<boolean> {
    const ended = await this.jobs.cancel(tx, { queue: QUEUE, key: conversationId });
    return ended.length > 0;
  }
}
