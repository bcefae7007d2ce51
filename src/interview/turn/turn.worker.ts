import { Injectable } from '@nestjs/common';
import { type DeadFlush, type Flush, FlushAdmission, FlushHandler } from '../../buffer';
import {
  AttentionNotReplayableError,
  DomainEventHandler,
  type PayloadOf,
  DomainEvents,
} from '../../common/events';
import { noteIds } from '../../common/tracing';
import type { Tx, UnitOfWork } from '../../common/uow';
import { DeliveryService, type ResumeOutcome } from '../../delivery';
import { DebounceRepository, Jobs, JobHandler, type JobFlow } from '../../jobs';
import { InterviewModels, type TakenServer } from '../../llm';
import { LiveReplies, type LiveReplyOrigin } from '../../streams';
import { AnswerWithoutReplyRepository, type LaterAnswer } from '../answer-status.repository';
import { ConversationRepository } from '../conversation.repository';
import type { TurnOutcome } from '../interview.metrics';
import { ReplyRequests, STOPPED } from './reply-generation';
import { type FinishedReply, TurnClosing } from './turn-closing';
import { DELIVERY_SUBJECT, TurnEnding } from './turn-ending';
import { type OpeningResult, type OpenedTurn, TurnOpening } from './turn-opening';

/** Failures of one answer before it goes to a person. */
const MAX_FAILURES = 5;

/**
 * One answer becomes one reply:
 *
 *   turn.open (commit) ─> generate, no connection held ─> turn.close (commit) ─> readers see the end
 *                           │ ▲
 *                           └─┴─ search of the documents, turn.tool (commit), at most twice
 *
 * Each arrow survives a crash: before turn.close another claim starts the next epoch and keeps the
 * searches that were committed, after it the stored reply is read. A candidate who leaves does not
 * stop it; only their Stop does.
 */
@Injectable()
@JobHandler('flush', {
  concurrency: (settings) => settings.jobs.flushConcurrency,
  maxFailures: MAX_FAILURES,
  drain: 'flows',
  continuesTrace: true,
})
export class TurnWorker extends FlushHandler {
  constructor(
    admission: FlushAdmission,
    private readonly opening: TurnOpening,
    private readonly requests: ReplyRequests,
    private readonly closing: TurnClosing,
    private readonly ending: TurnEnding,
    private readonly live: LiveReplies,
    private readonly events: DomainEvents,
    private readonly models: InterviewModels,
  ) {
    super(admission);
  }

  override stillNeeded(tx: Tx, answerIds: readonly string[]): Promise<string[]> {
    return this.ending.listUnfinished(tx, answerIds);
  }

  protected override async flush(flush: Flush, flow: JobFlow): Promise<void> {
    const server = this.models.take(flush.answerId);
    try {
      await this.flushWith(server, flush, flow);
    } finally {
      this.models.release(server);
    }
  }

  private async flushWith(server: TakenServer, flush: Flush, flow: JobFlow): Promise<void> {
    noteIds({ conversation: flush.conversationId });
    const opened = await flow.uow.commit('turn.open', async (tx) => {
      const { conversationId } = flush;
      await this.events.publish(tx, 'conversation.changed', { conversationId });
      return this.opening.open(tx, flush, server);
    });
    if (opened.kind === 'settled') return;
    noteIds({ turn: opened.turn.id });
    await this.reply(flow.uow, flush, flow, opened);
  }

  protected override onDeadFlush(tx: Tx, flush: DeadFlush): Promise<void> {
    return this.ending.onDead(tx, flush);
  }

  private async reply(
    uow: UnitOfWork,
    flush: Flush,
    flow: JobFlow,
    opened: Exclude<OpeningResult, { kind: 'settled' }>,
  ): Promise<void> {
    const live = this.live.begin(originOf(opened.turn), { ...flush.claim, flow });
    live.addParts(...opened.turn.parts);
    if (opened.kind === 'stopped') live.append(opened.text);
    try {
      const { turn, ...ended } =
        opened.kind === 'stopped'
          ? { turn: opened.turn, ...STOPPED }
          : await this.requests.run({ uow, flush, flow, reply: live }, opened.turn);
      const isLast = ended.decision?.endsAs != null && turn.agent !== 'closer';
      if (isLast) live.addParts({ type: 'agent', agent: 'closer' });
      const reply = { text: live.text, ...ended };
      live.close(await this.closing.close(uow, flush, flow, turn, reply));
      this.ending.replied(outcomeOfTurn(turn, reply));
    } finally {
      live.breakOff();
    }
  }
}

function originOf(turn: OpenedTurn): LiveReplyOrigin {
  const { conversationId, id: turnId, answerIds, replyMessageId: messageId, epoch } = turn;
  return { conversationId, turnId, answerIds, messageId, epoch };
}

function outcomeOfTurn(turn: OpenedTurn, { decision }: FinishedReply): TurnOutcome {
  if (decision === null) return 'stopped';
  if (turn.speaker.kind === 'code') return 'code';
  return turn.context.isUnanalysed === true ? 'unanalysed' : 'replied';
}

/** An attention item that a person replays. */
type ReplayedItem = PayloadOf<'attention.replayed'>;

/**
 * Does again what a person asks for in the attention list.
 *
 * A message that may not have reached its candidate is sent again. An answer that ended without a reply:
 *
 * - No later answer: it is due again, with a new budget of tries.
 * - A later answer is being collected, or waits: that one is due and takes this one up, so that
 *   both get one reply, in their order.
 * - A later answer is being replied to or was: refused, because the order of the transcript would break.
 *
 * So this one's job never becomes due beside a later one. A claim whose statement has begun does not
 * see a replay that commits meanwhile, and would take the later one first.
 */
@Injectable()
export class TurnReplay {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly jobs: Jobs,
    private readonly deliveries: DeliveryService,
    private readonly withoutReply: AnswerWithoutReplyRepository,
    private readonly timers: DebounceRepository,
  ) {}

  /** A dead part of a reply has the subject of a delivery, a dead answer that of its job. */
  @DomainEventHandler('attention.replayed', { topic: 'dead' })
  onDead(tx: Tx, item: ReplayedItem): Promise<void> {
    const isPart = item.subject.startsWith(DELIVERY_SUBJECT);
    return isPart ? this.sendPart(tx, item) : this.replay(tx, item);
  }

  @DomainEventHandler('attention.replayed', { topic: 'expired' })
  onExpired(tx: Tx, item: ReplayedItem): Promise<void> {
    return this.replay(tx, item);
  }

  @DomainEventHandler('attention.replayed', { topic: 'unknown' })
  onUnknown(tx: Tx, item: ReplayedItem): Promise<void> {
    return this.sendPart(tx, item);
  }

  @DomainEventHandler('attention.replayed', { topic: 'blocked' })
  async onBlocked(tx: Tx, item: ReplayedItem): Promise<void> {
    const conversationId = await this.lockForSend(tx, item);
    assertResumed(await this.deliveries.resume(tx, conversationId));
  }

  /** A part of a message that is dead or may have arrived. */
  private async sendPart(tx: Tx, item: ReplayedItem): Promise<void> {
    await this.lockForSend(tx, item);
    const deliveryId = item.subject.slice(DELIVERY_SUBJECT.length);
    assertResumed(await this.deliveries.replay(tx, deliveryId));
  }

  private async lockForSend(tx: Tx, { conversationId }: ReplayedItem): Promise<string> {
    if (conversationId === null) throw notResendable('the attention item names no conversation');
    const conversation = await this.conversations.lock(tx, conversationId);
    if (conversation?.status === 'withdrawn') throw notResendable('the candidate has withdrawn');
    return conversationId;
  }

  private async replay(tx: Tx, item: ReplayedItem): Promise<void> {
    const { conversationId, jobId: answerId } = item;
    if (conversationId === null || answerId === null) {
      throw notReplayable('the attention item names no answer');
    }
    const conversation = await this.conversations.lock(tx, conversationId);
    if (conversation?.status === 'withdrawn') throw notReplayable('the candidate has withdrawn');
    await this.assertHasNoReply(tx, conversationId, answerId);
    const later = await this.withoutReply.lockLater(tx, conversationId, answerId);
    if (later?.state === 'running') throw notReplayable('a later answer is being replied to');
    if (later !== undefined) {
      await this.leaveTo(tx, later, answerId);
      return;
    }
    await this.withoutReply.reopen(tx, answerId);
    await this.jobs.replay(tx, answerId);
  }

  /** Neither this answer nor a later one has a reply. */
  private async assertHasNoReply(tx: Tx, conversationId: string, answerId: string): Promise<void> {
    const found = await this.withoutReply.findObstacles(tx, conversationId, answerId);
    if (found.isMerged) throw notReplayable('it is part of a later answer');
    if (found.isOvertaken) throw notReplayable('a later answer has been replied to');
  }

  /** Every answer that ended without a reply has a turn, which the later one takes up. */
  private async leaveTo(tx: Tx, later: LaterAnswer, answerId: string): Promise<void> {
    if (!(await this.withoutReply.leaveToNextTurn(tx, answerId))) {
      throw notReplayable('a later answer waits, and this one has no turn that it could take up');
    }
    await this.timers.makeDue(tx, { queue: 'flush', jobId: later.answerId });
  }
}

function assertResumed(resumed: ResumeOutcome): void {
  switch (resumed) {
    case 'resumed':
      return;
    case 'nothing_to_resume':
      throw notResendable('nothing of it is left to send');
    case 'passed':
      throw notResendable('a later reply was delivered');
  }
}

function notResendable(why: string): AttentionNotReplayableError {
  return new AttentionNotReplayableError(`this cannot be sent again: ${why}`);
}

function notReplayable(why: string): AttentionNotReplayableError {
  return new AttentionNotReplayableError(`this cannot be done again: ${why}`);
}
