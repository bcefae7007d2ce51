import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { type DeadFlush, BufferService } from '../../buffer';
import { COMMAND } from '../../common/command-name';
import { describeError } from '../../common/errors';
import { newId } from '../../common/ids';
import { DomainEvents, DomainEventHandler, type PayloadOf } from '../../common/events';
import { PeerHealth } from '../../common/lifecycle';
import { type Tx, UnitOfWorkFactory } from '../../common/uow';
import { QueueBreakers } from '../../jobs';
import { InterviewModels } from '../../llm';
import { AnswerWithoutReplyRepository, type WaitingAnswer } from '../answer-status.repository';
import { type ConversationRow, ConversationRepository } from '../conversation.repository';
import { MessageRepository, OUTAGE_NOTICE } from '../transcript/message.repository';
import { TurnMetrics, type TurnOutcome } from '../interview.metrics';
import { Reminders } from '../reminders/reminder.worker';
import { textsOf } from '../texts/texts';
import { SystemMessages } from '../transcript/system-messages';
import { ENDED_BY_OUTAGE, TurnRepository } from './turn.repository';

/** `job.last_error` begins with an error code; these codes are not caused by the answer. */
const OUTAGE =
  /^(model_unavailable|database_unavailable|database_busy|pool_exhausted|commit_outcome_unknown)\b/;

const OUTAGE_OF_MODEL = /^model_unavailable\b/;

/** The prefix of a notice's external id: at most one notice of each kind per answer. */
const PREFIX = { outage: OUTAGE_NOTICE, leftToPerson: 'left' } as const;

/**
 * Ends an answer without a reply: it goes to a person, and the candidate gets a notice that it is stored.
 * Runs inside the commit that ends the job.
 */
@Injectable()
export class TurnEnding {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly messages: MessageRepository,
    private readonly turns: TurnRepository,
    private readonly systemMessages: SystemMessages,
    private readonly events: DomainEvents,
    private readonly metrics: TurnMetrics,
  ) {}

  /** Those of the buffers whose turn still needs a reply or its delivery. */
  listUnfinished(tx: Tx, answerIds: readonly string[]): Promise<string[]> {
    return this.turns.listUnfinished(tx, answerIds);
  }

  /** Counts a reply that was stored. */
  replied(outcome: TurnOutcome): void {
    this.metrics.ended(outcome);
  }

  onDead(tx: Tx, flush: DeadFlush): Promise<void> {
    const reason = `the answer could not be replied to (${flush.lastError ?? 'its worker crashed'})`;
    return this.giveUp(tx, flush, { state: 'failed', kind: 'dead', reason });
  }

  /** A dead answer was escalated already, so its expiry is skipped. */
  @DomainEventHandler('buffer.expired')
  async onExpired(tx: Tx, expired: PayloadOf<'buffer.expired'>): Promise<void> {
    const known = await this.turns.findByAnswer(tx, expired.answerId);
    if (known?.state === 'failed') return;
    const reason = 'the answer got no reply within INTERVIEW_BUFFER_TTL';
    await this.giveUp(tx, expired, { state: 'expired', kind: 'expired', reason });
  }

  private async giveUp(
    tx: Tx,
    flush: DeadFlush,
    end: { state: 'failed' | 'expired'; kind: 'dead' | 'expired'; reason: string },
  ): Promise<void> {
    const conversation = await this.conversations.lock(tx, flush.conversationId);
    if (conversation === undefined) return;
    const messages = await this.messages.listOfAnswers(tx, [flush.answerId], 0);
    const turn = {
      answerId: flush.answerId,
      conversationId: conversation.id,
      interviewStep: conversation.interviewStep,
      channel: messages.at(-1)?.channel ?? conversation.channel,
      messageCount: messages.length,
      replyMessageId: newId(),
    };
    const isOutage = OUTAGE.test(flush.lastError ?? '');
    const error = isOutage ? ENDED_BY_OUTAGE : (flush.lastError ?? 'crashed');
    await this.turns.giveUp(tx, turn, { state: end.state, error });
    tx.afterCommit(() => {
      this.metrics.ended(end.state);
    });
    await this.events.publish(tx, 'conversation.changed', { conversationId: conversation.id });
    await this.events.publish(tx, 'attention.needed', {
      kind: end.kind,
      subject: `job:${flush.answerId}`,
      conversationId: conversation.id,
      jobId: flush.answerId,
      reason: end.reason,
      under: OUTAGE_OF_MODEL.test(flush.lastError ?? '') ? 'model:unavailable' : null,
    });
    await this.notify(tx, conversation, flush.answerId, 'leftToPerson');
  }

  /** Once for each answer, whichever replica notices the outage first. */
  noticeOutage(tx: Tx, conversation: ConversationRow, answerId: string): Promise<boolean> {
    return this.notify(tx, conversation, answerId, 'outage');
  }

  private async notify(
    tx: Tx,
    { id, language }: ConversationRow,
    answerId: string,
    what: keyof typeof PREFIX,
  ): Promise<boolean> {
    const [last] = (await this.messages.listOfAnswers(tx, [answerId], 0)).slice(-1);
    // To the channel that the answer came from: the conversation may have moved to another one since.
    // An answer without a text has only voices without a transcript. VoiceSettling and VoiceDelays
    // notify about those, so here `web` means that the page shows the notice and nothing is sent.
    // `code` is only in the type: a candidate's message never has it.
    const channel = last === undefined || last.channel === 'code' ? 'web' : last.channel;
    return this.systemMessages.send(
      tx,
      { id, channel },
      {
        role: 'system',
        externalId: `${PREFIX[what]}:${answerId}`,
        text: textsOf(language)[what],
      },
    );
  }
}

/** How long past its quiet time an answer waits for the model before its candidate gets a notice. */
const NOTICE_AFTER_MS = 3000;
const MODEL_ADVICE = `Answers wait and are replied to when it responds; "${COMMAND} doctor" checks key, address and model.`;
const AWAY = `the model cannot be reached: answers wait; run ${COMMAND} doctor`;
const BACK = 'the model responds again';
const FALLBACK_ADVICE = `The first one is tried again and again; "${COMMAND} doctor" checks key, address and model of both.`;
const REPLACED = `the first model cannot be reached: the second one of OPENAI_FALLBACK_MODEL replies; run ${COMMAND} doctor`;
const FIRST_BACK = 'the first model responds again and replies';
const SWEEP_MS = 2000;
const BATCH = 200;
const LATE = { dueForMs: NOTICE_AFTER_MS, limit: BATCH };

/**
 * Notifies candidates of an outage. While the model cannot be reached, each candidate whose answer waits
 * gets one notice. Answers stay due and are replied to when the breaker closes.
 */
@Injectable()
export class OutageNotifier implements OnModuleInit {
  private readonly logger = new Logger('OutageNotifier');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly conversations: ConversationRepository,
    private readonly ending: TurnEnding,
    private readonly breakers: QueueBreakers,
    private readonly peers: PeerHealth,
    private readonly withoutReply: AnswerWithoutReplyRepository,
    private readonly models: InterviewModels,
  ) {}

  onModuleInit(): void {
    this.peers.register(
      'model',
      () => (this.breakers.isOpen('flush') ? 'the model cannot be reached' : null),
      MODEL_ADVICE,
    );
    this.peers.register('model', () => this.replacement(), FALLBACK_ADVICE);
    this.models.onReplaced((isReplaced) => {
      if (isReplaced) this.logger.warn(REPLACED);
      else this.logger.log(FIRST_BACK);
    });
    this.breakers.onChange(({ queue, from, to }) => {
      if (queue !== 'flush') return;
      // A probe that fails opens the breaker again, which is no news.
      if (from === 'closed' && to === 'open') this.logger.warn(AWAY);
      if (to === 'closed') this.logger.log(BACK);
    });
  }

  private replacement(): string | null {
    const { replaced } = this.models;
    if (replaced === null || this.breakers.isOpen('flush')) return null;
    return `the model ${replaced.model} cannot be reached, and ${replaced.by} of OPENAI_FALLBACK_MODEL replies`;
  }

  @Interval(SWEEP_MS)
  async sweep(): Promise<void> {
    try {
      if (this.breakers.isOpen('flush')) await this.notifyWaiting();
    } catch (error) {
      this.logger.warn(
        `outage notices could not be stored; the next sweep tries again: ${describeError(error)}`,
      );
    }
  }

  /** Returns how many candidates got a notice. */
  async notifyWaiting(): Promise<number> {
    return this.units.run('outage', async (uow) => {
      const waiting = await uow.commitOne('outage.find', (tx) =>
        this.withoutReply.listWaiting(tx, LATE),
      );
      let notified = 0;
      for (const answer of waiting) {
        if (await uow.commit('outage.notify', (tx) => this.notifyOne(tx, answer))) notified += 1;
      }
      return notified;
    });
  }

  /** Checks again under the lock, because the reply may have come meanwhile. */
  private async notifyOne(tx: Tx, { answerId, conversationId }: WaitingAnswer): Promise<boolean> {
    const conversation = await this.conversations.lock(tx, conversationId);
    const [waiting] = await this.withoutReply.listWaiting(tx, { ...LATE, answerId });
    if (conversation === undefined || waiting === undefined) return false;
    // What waits was written before the withdrawal, and gets no reply.
    if (conversation.status === 'withdrawn') return false;
    return this.ending.noticeOutage(tx, conversation, answerId);
  }
}

/**
 * `turn.delivered`, in the commit that sends the reply's last part: the turn is over and its
 * messages no longer wait. A failed delivery goes to a person.
 */
@Injectable()
export class TurnDelivery {
  constructor(
    private readonly turns: TurnRepository,
    private readonly buffer: BufferService,
    private readonly events: DomainEvents,
    private readonly reminders: Reminders,
  ) {}

  @DomainEventHandler('delivery.delivered')
  async onDelivered(
    tx: Tx,
    { turnId, conversationId }: PayloadOf<'delivery.delivered'>,
  ): Promise<void> {
    const answerId = await this.turns.end(tx, turnId);
    if (answerId === null) return;
    const takenUp = await this.turns.listTakenUp(tx, turnId);
    for (const id of takenUp) await this.buffer.clearBuffer(tx, { answerId: id });
    await this.buffer.clearBuffer(tx, { answerId, conversationId });
  }

  @DomainEventHandler('delivery.unconfirmed')
  async onUnconfirmed(tx: Tx, part: PayloadOf<'delivery.unconfirmed'>): Promise<void> {
    await this.events.publish(tx, 'attention.needed', {
      kind: 'unknown',
      subject: subjectOf(part),
      conversationId: part.conversationId,
      reason:
        'it is unknown whether the channel received a message to the candidate; replay sends it again',
    });
  }

  /** The turn stays `replied`, and its messages wait for a person; the next answer does not wait. */
  @DomainEventHandler('delivery.failed')
  async onFailed(tx: Tx, part: PayloadOf<'delivery.failed'>): Promise<void> {
    await this.events.publish(tx, 'attention.needed', {
      kind: 'dead',
      subject: subjectOf(part),
      conversationId: part.conversationId,
      reason: `a message to the candidate could not be delivered (${part.error})`,
    });
    await this.buffer.stopWaiting(tx, part);
  }

  @DomainEventHandler('delivery.blocked')
  async onBlocked(tx: Tx, of: PayloadOf<'delivery.blocked'>): Promise<void> {
    await this.events.publish(tx, 'attention.needed', {
      kind: 'blocked',
      subject: blockOf(of),
      conversationId: of.conversationId,
      reason: 'the candidate has blocked the channel, so no message reaches them there',
    });
    await this.reminders.end(tx, of.conversationId);
    await this.buffer.stopWaiting(tx, of);
  }

  @DomainEventHandler('delivery.unblocked')
  async onUnblocked(tx: Tx, of: PayloadOf<'delivery.unblocked'>): Promise<void> {
    await this.events.publish(tx, 'attention.settled', {
      subject: blockOf(of),
      resolution: 'the candidate has unblocked the channel',
    });
    await this.reminders.begin(tx, of.conversationId);
  }
}

/** The prefix of the subjects of items about a part of a delivery. */
export const DELIVERY_SUBJECT = 'delivery:';

function subjectOf({ deliveryId }: { deliveryId: string }): string {
  return `${DELIVERY_SUBJECT}${deliveryId}`;
}

/** Not the conversation's own subject, which another open item may have. */
function blockOf({ conversationId }: { conversationId: string }): string {
  return `block:${conversationId}`;
}
