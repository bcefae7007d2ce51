import { Injectable, Logger } from '@nestjs/common';
import { type DeadFlush, type Flush, FlushHandler } from '../../buffer';
import { Clock } from '../../common/clock';
import { type Tx, type UnitOfWork, UnitsOfWork } from '../../common/uow';
import { LlmLedger, ModelFailure, type SettledAttempt, outcomeOf } from '../../llm';
import { LiveReplies, type LiveReply, type LiveReplyOrigin } from '../../streams';
import { LeaseLostError, type TaskFlow } from '../../tasks';
import type { Opened, OpenedTurn } from './opened-turn';
import { ReplyGeneration } from './reply-generation';
import { RunningReplies } from './running-replies';
import { type FinishedReply, TurnClosing } from './turn-closing';
import { TurnEnding } from './turn-ending';
import { TurnMetrics, type TurnOutcome } from './turn-metrics';
import { TurnOpening } from './turn-opening';

/**
 * One answer becomes one reply:
 *
 *   turn.open (commit) ─> generate, no connection held ─> turn.close (commit) ─> readers see the end
 *
 * Each arrow survives a crash: before turn.close another claim starts the next epoch, after it the
 * stored reply is read. A candidate who leaves does not stop it; only their Stop does.
 */
@Injectable()
export class TurnFlow extends FlushHandler {
  private readonly logger = new Logger('TurnFlow');

  constructor(
    private readonly units: UnitsOfWork,
    private readonly opening: TurnOpening,
    private readonly generation: ReplyGeneration,
    private readonly closing: TurnClosing,
    private readonly ending: TurnEnding,
    private readonly live: LiveReplies,
    private readonly running: RunningReplies,
    private readonly ledger: LlmLedger,
    private readonly metrics: TurnMetrics,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async flush(flush: Flush, flow: TaskFlow): Promise<void> {
    try {
      await this.units.run('turn', async (uow) => {
        const opened = await uow.commit('turn.open', (tx) => this.opening.open(tx, flush));
        this.live.committed(flush.conversationId);
        if (opened.kind === 'settled') return;
        await this.reply(uow, flush, flow, opened);
      });
    } finally {
      this.live.committed(flush.conversationId);
    }
  }

  override onDead(tx: Tx, flush: DeadFlush): Promise<void> {
    return this.ending.onDead(tx, flush);
  }

  override onExpired(tx: Tx, flush: DeadFlush): Promise<void> {
    return this.ending.onExpired(tx, flush);
  }

  private async reply(
    uow: UnitOfWork,
    flush: Flush,
    flow: TaskFlow,
    opened: Exclude<Opened, { kind: 'settled' }>,
  ): Promise<void> {
    const { turn } = opened;
    const live = this.live.begin(originOf(turn), { ...flush.claim, flow });
    if (opened.kind === 'stopped') live.append(opened.text);
    try {
      const generated =
        opened.kind === 'stopped' ? STOPPED : await this.generate(uow, turn, live, flow);
      const { decision, isPartial } = generated;
      const reply = { text: live.text, decision, isPartial };
      try {
        live.close(await this.closing.close(uow, flush, flow, turn, reply));
        this.metrics.ended(outcomeOfTurn(turn, reply));
      } finally {
        await this.settleAttempt(uow, turn, generated.attempt);
      }
    } finally {
      live.breakOff();
    }
  }

  private async generate(
    uow: UnitOfWork,
    turn: OpenedTurn,
    live: LiveReply,
    flow: TaskFlow,
  ): Promise<Generated> {
    const running = this.running.start(turn);
    const startedMs = this.clock.monotonicMs();
    const latencyMs = (): number => Math.round(this.clock.monotonicMs() - startedMs);
    const sink = (delta: string): void => {
      flow.assertLease();
      live.append(delta);
    };
    try {
      flow.assertLease();
      const signal = AbortSignal.any([flow.signal, running.stopped]);
      const heard = (): void => {
        flow.peerAnswered();
      };
      const listener = { sink, heard };
      const { decision, usage } = await this.generation.generate(turn, listener, signal);
      const attempt = { outcome: 'ok', latencyMs: latencyMs(), ...usage } as const;
      return { decision, isPartial: false, attempt };
    } catch (error) {
      const isStopped = running.stopped.aborted && !flow.signal.aborted;
      if (isStopped && !(error instanceof LeaseLostError)) {
        return { ...STOPPED, attempt: { outcome: 'stopped', latencyMs: latencyMs() } };
      }
      if (error instanceof ModelFailure) flow.peerAnswered();
      await this.settleAttempt(uow, turn, {
        // Not an outcome of the model's: another worker goes on with this answer.
        outcome: error instanceof LeaseLostError ? 'aborted' : outcomeOf(error),
        latencyMs: latencyMs(),
        ...(error instanceof ModelFailure && error.isAdjusted ? { error: 'adjusted' } : {}),
      });
      throw error;
    } finally {
      running.end();
    }
  }

  /**
   * The ledger is a log: it is written without the task's fence, whatever became of the turn. It
   * must not decide about the turn either, so a failure to write it is only told.
   */
  private async settleAttempt(
    uow: UnitOfWork,
    turn: OpenedTurn,
    attempt: SettledAttempt | null,
  ): Promise<void> {
    const { speaker } = turn;
    if (speaker.kind !== 'model' || attempt === null) return;
    this.metrics.attempted(attempt);
    try {
      await uow.commit('llm.settle', (tx) => this.ledger.settle(tx, speaker.attemptId, attempt));
    } catch {
      this.logger.warn(`the outcome of attempt ${speaker.attemptId} could not be stored`);
    }
  }
}

function originOf(turn: OpenedTurn): LiveReplyOrigin {
  const { conversationId, id: turnId, bufferIds, replyMessageId: messageId, epoch } = turn;
  return { conversationId, turnId, bufferIds, messageId, epoch };
}

interface Generated extends Omit<FinishedReply, 'text'> {
  readonly attempt: SettledAttempt | null;
}

function outcomeOfTurn(turn: OpenedTurn, { decision }: FinishedReply): TurnOutcome {
  if (decision === null) return 'stopped';
  if (turn.speaker.kind === 'code') return 'code';
  return turn.context.isUnanalysed === true ? 'unanalysed' : 'answered';
}

const STOPPED: Generated = { decision: null, isPartial: true, attempt: null };
