import { Injectable, Logger } from '@nestjs/common';
import type { Tx, UnitOfWork } from '../../common/uow';
import type { Claim } from '../../jobs';
import { LlmLedgerRepository, LlmMetrics, ModelClient, type SettledAttempt } from '../../llm';
import { buildInterviewRequest, type InterviewPrompt } from '../prompts/interview-request';
import type { StoredPrompt } from '../prompts/turn-prompt';
import { type ModelOutput, ReplyRequestRepository } from './reply-request.repository';
import type { OpenedTurn } from './turn-opening';

/** A prompt, and the same prompt as it is stored. */
export interface AskedPrompt {
  readonly prompt: InterviewPrompt;
  readonly stored: StoredPrompt;
}

/** How a request ended, and what the model wrote until then. */
export interface EndedAttempt extends SettledAttempt {
  readonly output: ModelOutput;
}

/** Requests that failed on one answer before the interview goes on without the model. */
const MAX_FAILED_REQUESTS = 3;
/** The same for failures of any other kind, below the number that makes the job dead. */
const MAX_FAILED_CLAIMS = 4;

/** The requests of turns to the model, as the ledger and the metrics show them. */
@Injectable()
export class ModelAttempts {
  private readonly logger = new Logger('ModelAttempts');

  constructor(
    private readonly ledger: LlmLedgerRepository,
    private readonly metrics: LlmMetrics,
    private readonly model: ModelClient,
    private readonly requests: ReplyRequestRepository,
  ) {}

  /** Stores the turn's next request, which is about to be sent. Returns the attempt's id. */
  async open(
    tx: Tx,
    { id: turnId, flushId, epoch }: Pick<OpenedTurn, 'id' | 'flushId' | 'epoch'>,
    { prompt, stored }: AskedPrompt,
  ): Promise<string> {
    const { model } = this.model;
    const round = prompt.searches.length + 1;
    const { attemptId } = await this.ledger.open(tx, {
      flushId,
      purpose: 'interview',
      n: 1,
      epoch,
      round,
      model,
    });
    const request = buildInterviewRequest(prompt);
    await this.requests.add(tx, { attemptId, turnId, model, request, input: stored });
    return attemptId;
  }

  /** Stores the outcome in the commit of its effect; `count` belongs after that commit. */
  async settle(tx: Tx, { speaker }: OpenedTurn, attempt: EndedAttempt): Promise<void> {
    if (speaker.kind === 'model') await this.store(tx, speaker.attemptId, attempt);
  }

  /**
   * Stores and counts the outcome in a commit of its own, without the job's fence, because the ledger
   * is a log. It does not decide about the turn, so a failure to store it is only logged.
   */
  async settleAlone(uow: UnitOfWork, turn: OpenedTurn, attempt: EndedAttempt): Promise<void> {
    if (turn.speaker.kind !== 'model') return;
    const { attemptId } = turn.speaker;
    this.count(attempt);
    try {
      await uow.commit('llm.settle', (tx) => this.store(tx, attemptId, attempt));
    } catch {
      this.logger.warn(`the outcome of attempt ${attemptId} could not be stored`);
    }
  }

  count(attempt: SettledAttempt): void {
    this.metrics.attempted('interview', attempt);
  }

  /** Whether the model has failed on this answer for good, so the interview goes on without it. */
  async areUsedUp(tx: Tx, { flushId, claim }: { flushId: string; claim: Claim }): Promise<boolean> {
    if (claim.failures === 0) return false;
    if (claim.failures >= MAX_FAILED_CLAIMS) return true;
    const { count, isHopeless } = await this.ledger.failuresOf(tx, flushId);
    return isHopeless || count >= MAX_FAILED_REQUESTS;
  }

  private async store(tx: Tx, attemptId: string, attempt: EndedAttempt): Promise<void> {
    await this.ledger.settle(tx, attemptId, attempt);
    await this.requests.setOutput(tx, attemptId, attempt.output);
  }
}
