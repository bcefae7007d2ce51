import { Injectable, Logger } from '@nestjs/common';
import { type DeadFlush, type Flush, FlushAdmission, FlushHandler } from '../../buffer';
import { Clock } from '../../common/clock';
import { EventBus } from '../../common/events';
import type { Tx, UnitOfWork } from '../../common/uow';
import {
  LlmLedgerRepository,
  LlmMetrics,
  ModelFailure,
  type SettledAttempt,
  outcomeOf,
} from '../../llm';
import { LiveReplies, type LiveReply, type LiveReplyOrigin } from '../../streams';
import { JobHandler, LeaseLostError, type JobFlow } from '../../jobs';
import { TurnRepository } from './turn.repository';
import { type Opened, type OpenedTurn, TurnOpening } from './turn-opening';
import { ReplyGeneration } from './reply-generation';
import { StopRequests } from './stop-requests';
import { SearchRound, type WantedSearch } from './search-round';
import { type FinishedReply, TurnClosing } from './turn-closing';
import { TurnEnding } from './turn-ending';
import { TurnMetrics, type TurnOutcome } from '../interview.metrics';

/** Failures of one answer of its own before a person is asked. */
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
})
export class TurnWorker extends FlushHandler {
  private readonly logger = new Logger('TurnWorker');

  constructor(
    admission: FlushAdmission,
    private readonly turns: TurnRepository,
    private readonly opening: TurnOpening,
    private readonly generation: ReplyGeneration,
    private readonly rounds: SearchRound,
    private readonly closing: TurnClosing,
    private readonly ending: TurnEnding,
    private readonly live: LiveReplies,
    private readonly running: StopRequests,
    private readonly ledger: LlmLedgerRepository,
    private readonly metrics: TurnMetrics,
    private readonly modelMetrics: LlmMetrics,
    private readonly events: EventBus,
    private readonly clock: Clock,
  ) {
    super(admission);
  }

  override stillNeeded(tx: Tx, bufferIds: readonly string[]): Promise<string[]> {
    return this.turns.listUnfinishedBuffers(tx, bufferIds);
  }

  protected override async flush(flush: Flush, flow: JobFlow): Promise<void> {
    try {
      const opened = await flow.uow.commit('turn.open', async (tx) => {
        const { conversationId } = flush;
        await this.events.publish(tx, 'conversation.changed', { conversationId });
        return this.opening.open(tx, flush);
      });
      if (opened.kind !== 'settled') await this.reply(flow.uow, flush, flow, opened);
    } finally {
      this.live.committed(flush.conversationId);
    }
  }

  protected override onDeadFlush(tx: Tx, flush: DeadFlush): Promise<void> {
    return this.ending.onDead(tx, flush);
  }

  private async reply(
    uow: UnitOfWork,
    flush: Flush,
    flow: JobFlow,
    opened: Exclude<Opened, { kind: 'settled' }>,
  ): Promise<void> {
    const live = this.live.begin(originOf(opened.turn), { ...flush.claim, flow });
    live.addParts(...opened.turn.parts);
    if (opened.kind === 'stopped') live.append(opened.text);
    try {
      const { turn, decision, isPartial, attempt } =
        opened.kind === 'stopped'
          ? { turn: opened.turn, ...STOPPED, attempt: null }
          : await this.generate({ uow, flush, flow, reply: live }, opened.turn);
      const isLast = decision?.endsAs != null && turn.agent !== 'closer';
      if (isLast) live.addParts({ type: 'agent', agent: 'closer' });
      const reply = { text: live.text, decision, isPartial, attempt };
      try {
        live.close(await this.closing.close(uow, flush, flow, turn, reply));
      } catch (error) {
        if (attempt !== null) await this.settleAttempt(uow, turn, attempt);
        throw error;
      }
      if (attempt !== null) this.modelMetrics.attempted('interview', attempt);
      this.metrics.ended(outcomeOfTurn(turn, reply));
    } finally {
      live.breakOff();
    }
  }

  /** Request by request, until there is a reply: what a request asks for is searched first. */
  private async generate(at: Work, opened: OpenedTurn): Promise<Written> {
    const { flow } = at;
    const running = this.running.start(opened);
    const signal = AbortSignal.any([flow.signal, running.stopped]);
    let turn = opened;
    try {
      for (;;) {
        const made = await this.request(at, turn, signal, running.stopped);
        if (made.kind !== 'search') return { turn, ...made };
        turn = await this.searched(at, turn, made, signal);
      }
    } catch (error) {
      if (isStop(error, running.stopped, flow)) return { turn, ...STOPPED, attempt: null };
      throw error;
    } finally {
      running.end();
    }
  }

  /** One request to the speaker. A failed request is settled here, any other by the caller. */
  private async request(
    { uow, flow, reply }: Work,
    turn: OpenedTurn,
    signal: AbortSignal,
    stopped: AbortSignal,
  ): Promise<Requested> {
    const startedMs = this.clock.monotonicMs();
    const latencyMs = (): number => Math.round(this.clock.monotonicMs() - startedMs);
    const attemptOf = (attempt: SettledAttempt): SettledAttempt | null =>
      turn.speaker.kind === 'model' ? attempt : null;
    const sink = (delta: string): void => {
      flow.assertLease();
      reply.append(delta);
    };
    const heard = (): void => {
      flow.peerResponded();
    };
    try {
      flow.assertLease();
      const made = await this.generation.generate(turn, { sink, heard }, signal);
      const attempt = { outcome: 'ok', latencyMs: latencyMs(), ...made.usage } as const;
      if (made.kind === 'search') return { kind: 'search', queries: made.queries, attempt };
      const { decision } = made;
      return { kind: 'reply', decision, isPartial: false, attempt: attemptOf(attempt) };
    } catch (error) {
      if (isStop(error, stopped, flow)) {
        const attempt = attemptOf({ outcome: 'stopped', latencyMs: latencyMs() });
        return { kind: 'reply', ...STOPPED, attempt };
      }
      if (error instanceof ModelFailure) flow.peerResponded();
      await this.settleAttempt(uow, turn, {
        // Not an outcome of the model's: another worker goes on with this answer.
        outcome: error instanceof LeaseLostError ? 'aborted' : outcomeOf(error),
        latencyMs: latencyMs(),
        ...(error instanceof ModelFailure && error.isAdjusted ? { error: 'adjusted' } : {}),
      });
      throw error;
    }
  }

  private async searched(
    { uow, flush, flow, reply }: Work,
    turn: OpenedTurn,
    wanted: WantedSearch,
    signal: AbortSignal,
  ): Promise<OpenedTurn> {
    const { speaker } = turn;
    if (speaker.kind !== 'model') throw new Error('only a model wants a search');
    try {
      flow.assertLease();
      const next = await this.rounds.run({ uow, flush, turn, speaker, reply }, wanted, signal);
      this.modelMetrics.attempted('interview', wanted.attempt);
      return next;
    } catch (error) {
      await this.settleAttempt(uow, turn, wanted.attempt);
      throw error;
    }
  }

  /**
   * The ledger is a log: it is written without the job's fence, whatever became of the turn. It
   * must not decide about the turn either, so a failure to write it is only told.
   */
  private async settleAttempt(
    uow: UnitOfWork,
    turn: OpenedTurn,
    attempt: SettledAttempt,
  ): Promise<void> {
    const { speaker } = turn;
    if (speaker.kind !== 'model') return;
    this.modelMetrics.attempted('interview', attempt);
    try {
      await uow.commitOne('llm.settle', (tx) => this.ledger.settle(tx, speaker.attemptId, attempt));
    } catch {
      this.logger.warn(`the outcome of attempt ${speaker.attemptId} could not be stored`);
    }
  }
}

function originOf(turn: OpenedTurn): LiveReplyOrigin {
  const { conversationId, id: turnId, bufferIds, replyMessageId: messageId, epoch } = turn;
  return { conversationId, turnId, bufferIds, messageId, epoch };
}

/** What a turn is worked on with. */
interface Work {
  readonly uow: UnitOfWork;
  readonly flush: Flush;
  readonly flow: JobFlow;
  readonly reply: LiveReply;
}

/** Without its text, which is the live reply's. */
type Written = Omit<FinishedReply, 'text'> & { readonly turn: OpenedTurn };

type Requested =
  | ({ readonly kind: 'reply' } & Omit<FinishedReply, 'text'>)
  | ({ readonly kind: 'search' } & WantedSearch);

/** The candidate's Stop, and nothing worse, ended it. */
function isStop(error: unknown, stopped: AbortSignal, flow: JobFlow): boolean {
  return stopped.aborted && !flow.signal.aborted && !(error instanceof LeaseLostError);
}

function outcomeOfTurn(turn: OpenedTurn, { decision }: FinishedReply): TurnOutcome {
  if (decision === null) return 'stopped';
  if (turn.speaker.kind === 'code') return 'code';
  return turn.context.isUnanalysed === true ? 'unanalysed' : 'answered';
}

const STOPPED = { decision: null, isPartial: true } as const;
