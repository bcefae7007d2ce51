import { Injectable } from '@nestjs/common';
import { Settings } from '../../common/config';
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
import { ClosingRepository } from '../closing.repository';
import { type ConversationRow, ConversationRepository } from '../conversation.repository';
import { textIn } from '../plan/plan-texts';
import { endState, readState, waitingQuestion } from '../plan/state';
import { dayInWords } from '../texts/days';
import { textsOf } from '../texts/texts';
import { SystemMessages } from '../transcript/system-messages';
import {
  type ReminderRules,
  STEP_MS,
  type Silence,
  announced,
  dayWaitMs,
  isDayHour,
  nextStep,
  openUntil,
  rulesOf,
} from './schedule';
import { type SilenceRow, reminderId, SilenceRepository } from './silence.repository';
import { ZoneRepository } from './zone.repository';

declare module '../../jobs' {
  interface QueueNames {
    remind: ReminderWorker;
  }
}

/**
 * The queue `remind`: reminds a candidate who is silent, and in the end lets the interview expire. One job
 * accompanies an interview from its start (`Reminders`). Neither a message nor a reply touches it: when it
 * is due, it checks how long the silence is, and is stored anew for the next step.
 *
 *   not active any more, or a preview ─────────> ends
 *   the next step is later, or a reply is owed ─> is checked again then
 *   it is night by PostgreSQL's zone rules ─────> is checked again in a quarter of an hour
 *   a reminder is due ──────────────────────────> message and next job
 *   the last wait is over ──────────────────────> expired, and a person is told
 *
 * Each of these is one commit that holds the conversation's lock, as the commit that stores an answer
 * does: a reminder never follows an answer, and after a crash none is missing or sent twice. A person who
 * takes over, a withdrawal and the end of the interview change its status, and so end the job.
 */
@Injectable()
@JobHandler('remind', { concurrency: 4, maxFailures: 5 })
export class ReminderWorker implements JobHandlerClass {
  constructor(
    private readonly jobs: Jobs,
    private readonly conversations: ConversationRepository,
    private readonly silences: SilenceRepository,
    private readonly zones: ZoneRepository,
    private readonly systemMessages: SystemMessages,
    private readonly closings: ClosingRepository,
    private readonly events: DomainEvents,
    private readonly settings: Settings,
  ) {}

  async run(claim: Claim, { uow }: JobFlow): Promise<void> {
    await uow.commit('reminder', async (tx) => {
      const conversation = await this.conversations.lock(tx, claim.key);
      await this.jobs.fence(tx, claim);
      const againInMs = await this.check(tx, conversation);
      await this.jobs.complete(tx, claim);
      if (againInMs === null) return;
      await this.jobs.enqueue(tx, { queue: claim.queue, key: claim.key, dueInMs: againInMs });
    });
  }

  async onDead(tx: Tx, { key: conversationId }: DeadJob): Promise<void> {
    await this.events.publish(tx, 'attention.needed', {
      kind: 'silent',
      subject: `conversation:${conversationId}`,
      conversationId,
      reason: 'the reminders of an interview failed; see whether its candidate still writes',
    });
  }

  /** Does what is due. Returns when to check again; null: never. */
  private async check(tx: Tx, conversation: ConversationRow | undefined): Promise<number | null> {
    if (conversation?.status !== 'active' || conversation.owner !== 'model') return null;
    if (conversation.isPreview) return null;
    const silence = await this.silences.find(tx, conversation.id);
    if (silence === null || silence.isReplyOwed) return this.settings.interview.reminderAfterMs;
    const rules = this.rulesFor(conversation, silence);
    const counted = countedSilence(conversation, silence, rules);
    const step = nextStep(rules, counted, silence.now);
    const waitMs = step.at.getTime() - silence.now.getTime();
    // No later than a new silence may need it: whoever goes on in two weeks may be back tomorrow.
    if (waitMs > 0) return Math.min(waitMs, rules.firstWaitMs);
    if (step.kind === 'expire') {
      await this.expire(tx, conversation);
      return null;
    }
    const hour = await this.zones.hourIn(tx, rules.timeZone, silence.now);
    if (!isDayHour(hour)) return STEP_MS;
    await this.remind(tx, conversation, silence, {
      isFirst: silence.sent === 0,
      until: step.isLast ? openUntil(rules, counted, silence.now) : null,
    });
    return rules.firstWaitMs;
  }

  /**
   * A person asks for a reminder now. Null: it is stored. `night`: it would be sent at night by PostgreSQL's zone
   * rules; anything else: why none is sent at all. The caller holds the conversation's lock.
   */
  async remindNow(
    tx: Tx,
    conversation: ConversationRow,
  ): Promise<ReminderRefusal | 'night' | null> {
    const found = await this.askedReminder(tx, conversation);
    if (typeof found === 'string') return found;
    const { silence, rules } = found;
    const hour = await this.zones.hourIn(tx, rules.timeZone, silence.now);
    if (!isDayHour(hour) || dayWaitMs(rules.timeZone, silence.now) > 0) return 'night';
    const counted = countedSilence(conversation, silence, rules);
    await this.remind(tx, conversation, silence, {
      isFirst: silence.sent === 0,
      // With as many as the rule sends, the next step is the expiry.
      until: silence.sent + 1 >= rules.reminders ? openUntil(rules, counted, silence.now) : null,
    });
    return null;
  }

  /** Whether a person may have a candidate reminded, and how long it is until the day there. */
  async mayRemind(
    tx: Tx,
    conversation: ConversationRow,
  ): Promise<ReminderRefusal | { readonly dayInMs: number }> {
    const found = await this.askedReminder(tx, conversation);
    if (typeof found === 'string') return found;
    return { dayInMs: dayWaitMs(found.rules.timeZone, found.silence.now) };
  }

  private async askedReminder(
    tx: Tx,
    conversation: ConversationRow,
  ): Promise<ReminderRefusal | { readonly silence: SilenceRow; readonly rules: ReminderRules }> {
    if (conversation.status !== 'active' || conversation.owner !== 'model') return 'not_waiting';
    const silence = await this.silences.find(tx, conversation.id);
    if (silence === null || silence.isReplyOwed) return 'reply_owed';
    const { lastSentAt, now } = silence;
    if (lastSentAt !== null && now.getTime() - lastSentAt.getTime() < BETWEEN_MS) {
      return 'reminded_lately';
    }
    const { isLeaving, isCallingPerson } = readState(conversation.state);
    if (isLeaving || isCallingPerson || silence.hasObjected) return 'unwanted';
    return { silence, rules: this.rulesFor(conversation, silence) };
  }

  /**
   * No reminders while a wish to stop or to talk to a person waits for its confirmation, or after an
   * objection.
   */
  private rulesFor({ plan, state }: ConversationRow, silence: SilenceRow): ReminderRules {
    const { isLeaving, isCallingPerson } = readState(state);
    const { timeZone } = silence;
    const isQuiet = isLeaving || isCallingPerson || silence.hasObjected;
    return rulesOf(plan, { timeZone, isQuiet }, this.settings.interview);
  }

  private async remind(
    tx: Tx,
    conversation: ConversationRow,
    silence: SilenceRow,
    { isFirst, until }: { isFirst: boolean; until: string | null },
  ): Promise<void> {
    const { language } = conversation;
    const plan = conversation.plan;
    const question = waitingQuestion(plan, readState(conversation.state));
    if (question === undefined) return;
    const { reminder, reminderAgain, lastReminder } = textsOf(language);
    const words =
      until === null
        ? isFirst
          ? reminder
          : reminderAgain
        : lastReminder(dayInWords(until, language));
    const text = `${words}\n\n${textIn(question, language)}`;
    // Of the system, so that neither the model nor /resume takes it for the interviewer's last words.
    const line = { role: 'system', externalId: reminderId(silence), text } as const;
    await this.systemMessages.send(tx, conversation, line);
  }

  private async expire(tx: Tx, { id, plan, state }: ConversationRow): Promise<void> {
    const ended = endState(plan, readState(state), 'expired');
    await this.conversations.end(tx, id, { state: ended, status: 'expired' });
    await this.closings.drop(tx, id);
    await this.events.publish(tx, 'conversation.changed', { conversationId: id });
    await this.events.publish(tx, 'interview.changed', { conversationIds: [id] });
    await this.events.publish(tx, 'attention.needed', {
      kind: 'silent',
      subject: `conversation:${id}`,
      conversationId: id,
      reason:
        'the candidate was silent for days, so the interview has expired; to go on with it, write to them and return the conversation',
    });
  }
}

/** The silence, from when it counts. */
function countedSilence(
  { state }: ConversationRow,
  silence: SilenceRow,
  rules: ReminderRules,
): Silence {
  const { remindFrom } = readState(state);
  const back = remindFrom === null ? null : new Date(remindFrom);
  return { ...silence, since: announced(rules, silence.since, back) };
}

/** A candidate is not reminded twice within it, however many colleagues ask for it. */
const BETWEEN_MS = 12 * 3_600_000;

/**
 * Why a person's wish to remind a candidate is not fulfilled: the interview does not wait for them, an answer of
 * theirs waits for its reply, they were reminded within the last hours, or they have asked not to go on.
 */
export type ReminderRefusal = 'not_waiting' | 'reply_owed' | 'reminded_lately' | 'unwanted';

/** Begins and ends the job that reminds a silent candidate. Under the conversation's lock. */
@Injectable()
export class Reminders {
  constructor(
    private readonly jobs: Jobs,
    private readonly settings: Settings,
  ) {}

  /** The interview waits for its candidate. A job that exists is due no later than a new one would be. */
  async begin(tx: Tx, conversationId: string): Promise<void> {
    const dueInMs = this.settings.interview.reminderAfterMs;
    await this.jobs.enqueue(tx, { queue: 'remind', key: conversationId, dueInMs });
  }

  /** The candidate has blocked the channel: no reminder is sent, and a person has an attention item. */
  async end(tx: Tx, conversationId: string): Promise<void> {
    await this.jobs.cancel(tx, { queue: 'remind', key: conversationId });
  }
}
