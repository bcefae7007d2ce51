import { Injectable } from '@nestjs/common';
import { ColloquyError } from '../common/errors';
import { DomainEvents, DomainEventHandler, type PayloadOf } from '../common/events';
import { newId } from '../common/ids';
import type { Tx } from '../common/uow';
import { ConversationRepository, type ConversationRow } from '../interview';
import {
  type Claim,
  type DeadJob,
  JobHandler,
  type JobFlow,
  type JobHandlerClass,
  Jobs,
  callUnderLease,
} from '../jobs';
import { Completions, ModelAbortedError, ModelFailure, ModelUnavailableError } from '../llm';
import { type InterviewPlan, type Question, rubricOf } from '../vacancies';
import { HiringDecisionRepository } from './hiring-decision.repository';
import type { HeardWords } from './heard-words';
import {
  PROMPTS,
  type ScoreItem,
  type ScoreRequest,
  hasRead,
  heardIn,
  inputHashesOf,
  itemsOf,
  promptHash,
  requestOf,
} from './score-request';
import { reportDeadJob, reportCard } from './score-attention';
import { type CriterionReading, type FactReading, dropped } from './sample-reader';
import {
  SAMPLES,
  type Scorecard,
  type ScoredQuestion,
  criterionResult,
  factResult,
  overallOf,
  unanswered,
} from './scorecard';
import { lockScorable } from './scorable';
import { ledgerKey } from './stored-scores';
import { type AnswersByQuestion, ScoringRepository, type StoredSample } from './scoring.repository';

declare module '../jobs' {
  interface QueueNames {
    score: ScoreWorker;
  }
}

export const SCORE_QUEUE = 'score';

/**
 * The queue `score`, a job for each finished interview and each addition to one:
 *
 *   score.open (commit) ─> for each criterion and fact, three times: the model ─> score.sample (commit)
 *      │                                                                             └─> score.close (commit)
 *      └── an objection, no consent, no such interview, a person's decision, or the same answers as in
 *          the last run: the job is done, nothing is stored
 *
 * The model server is the queue's peer. A crash repeats at most one request: each sample is stored
 * in a commit of its own, and another claim goes on after it. Each request is recorded in a commit that
 * checks again whether it may be sent.
 */
@Injectable()
@JobHandler(SCORE_QUEUE, { concurrency: 2, maxFailures: 3 })
export class ScoreWorker implements JobHandlerClass {
  constructor(
    private readonly jobs: Jobs,
    private readonly conversations: ConversationRepository,
    private readonly scores: ScoringRepository,
    private readonly decisions: HiringDecisionRepository,
    private readonly model: Completions,
    private readonly events: DomainEvents,
  ) {}

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    const opened = await flow.uow.commit('score.open', (tx) => this.open(tx, claim));
    if (opened === null) return;
    const samples = [...opened.stored];
    for (const { item, n, sample } of this.missing(opened)) {
      const stored = await this.askUnlessEnded(claim, flow, { item, n, request: sample, opened });
      if (stored === null) break;
      await flow.uow.commitUntilStored('score.sample', flow.signal, async (tx) => {
        await this.jobs.fence(tx, claim);
        await this.scores.addSample(tx, opened.runId, stored);
      });
      samples.push(stored);
    }
    await flow.uow.commitUntilStored('score.close', flow.signal, (tx) =>
      this.close(tx, claim, opened, cardOf(opened, samples)),
    );
  }

  /** The answers stay unscored, and a person reads them. */
  async onDead(tx: Tx, { key, jobId }: DeadJob): Promise<void> {
    const running = (await this.scores.runsOf(tx, [key])).find(({ state }) => state === 'running');
    if (running !== undefined) await this.scores.endRun(tx, running.id, null);
    await reportDeadJob(this.events, tx, { key, jobId });
  }

  private async open(tx: Tx, claim: Claim): Promise<OpenedRun | null> {
    const conversation = await this.scorable(tx, claim.key);
    await this.jobs.fence(tx, claim);
    if (conversation === null) {
      await this.jobs.complete(tx, claim);
      return null;
    }
    const plan = conversation.plan;
    const answers = await this.scores.answers(tx, conversation.id);
    if (await this.needsNoRun(tx, conversation, answers)) {
      await this.jobs.complete(tx, claim);
      return null;
    }
    const runId = await this.openRun(tx, conversation, answers);
    const rubricHashes = new Map<string, string>();
    for (const question of plan.questions) {
      const hash = await this.scores.keepRubric(tx, conversation.vacancyId, rubricOf(question));
      rubricHashes.set(question.id, hash);
    }
    for (const prompt of Object.values(PROMPTS)) await this.scores.keepPrompt(tx, prompt);
    return {
      runId,
      plan,
      rubricHashes,
      answers,
      heard: heardIn(plan, await this.scores.spoken(tx, conversation.id)),
      stored: await this.scores.samples(tx, runId),
    };
  }

  /**
   * The run of an earlier claim goes on, unless an answer, the model or a prompt has changed since: then
   * it ends as failed, so that no score comes from two texts or from two versions.
   */
  private async openRun(
    tx: Tx,
    { id, plan }: ConversationRow,
    answers: AnswersByQuestion,
  ): Promise<string> {
    const earlier = await this.scores.openRun(tx, newId(), id);
    const stored = await this.scores.samples(tx, earlier.id);
    const wanted = inputHashesOf(plan, answers);
    const isWanted = ({ kind, model, promptHash: hash, inputHash }: StoredSample): boolean =>
      model === this.model.model && hash === promptHash(PROMPTS[kind]) && wanted.has(inputHash);
    if (stored.every(isWanted)) return earlier.id;
    await this.scores.endRun(tx, earlier.id, null);
    return (await this.scores.openRun(tx, newId(), id)).id;
  }

  /**
   * A person has decided already, or the last run has read exactly these answers. A run with failed
   * requests does not count: the model server may work again. A run that has begun always goes on.
   */
  private async needsNoRun(
    tx: Tx,
    { id, plan }: ConversationRow,
    answers: AnswersByQuestion,
  ): Promise<boolean> {
    const last = (await this.scores.runsOf(tx, [id])).at(-1);
    if (last?.state === 'running') return false;
    if (await this.decisions.isDecided(tx, id)) return true;
    if (last === undefined || last.state === 'failed') return false;
    const samples = await this.scores.samples(tx, last.id);
    if (samples.some(({ outcome }) => outcome !== 'ok')) return false;
    const asked = new Set(samples.map(({ inputHash }) => inputHash));
    return hasRead(asked, { plan: plan, answers });
  }

  /** Null: no model may rate it (`NotScorable` says why). */
  private async scorable(tx: Tx, id: string): Promise<ConversationRow | null> {
    const found = await lockScorable(tx, this.conversations, id);
    return typeof found === 'string' ? null : found;
  }

  /** Null: while the samples were asked for, the candidate objected or left, so the run ends without a card. */
  private async askUnlessEnded(
    claim: Claim,
    flow: JobFlow,
    wanted: WantedSample,
  ): Promise<StoredSample | null> {
    try {
      return await this.ask(claim, flow, wanted);
    } catch (error) {
      if (error instanceof NoLongerScorableError) return null;
      throw error;
    }
  }

  /** Before each request: an erasure, an objection or a withdrawal may have come since the last one. */
  private async admit(tx: Tx, claim: Claim): Promise<void> {
    const conversation = await this.scorable(tx, claim.key);
    await this.jobs.fence(tx, claim);
    if (conversation === null) throw new NoLongerScorableError('no model may rate it any more');
  }

  /** The requests that no earlier claim has made, in the order of the plan. */
  private missing({ plan, answers, heard, stored }: OpenedRun) {
    const known = new Set(stored.map(keyOf));
    return plan.questions.flatMap((question) => {
      const messages = answers.get(question.id) ?? [];
      if (messages.length === 0) return [];
      return itemsOf(rubricOf(question)).flatMap((item) => {
        const sample = requestOf(item, messages, heard);
        return Array.from({ length: SAMPLES }, (_, index) => ({
          item,
          n: index + 1,
          sample,
        })).filter(
          ({ n }) =>
            !known.has(keyOf({ questionId: question.id, kind: item.kind, item: item.name, n })),
        );
      });
    });
  }

  private async ask(claim: Claim, flow: JobFlow, wanted: WantedSample): Promise<StoredSample> {
    const { item, n, request, opened } = wanted;
    const completed = await callUnderLease(flow, () => this.complete(claim, flow.signal, request), {
      isResponse: (error) => error instanceof ModelFailure,
    });
    return {
      questionId: item.rubric.questionId,
      kind: item.kind,
      item: item.name,
      n,
      rubricHash: opened.rubricHashes.get(item.rubric.questionId) ?? '',
      model: this.model.model,
      ...request.origin,
      ...completed,
    };
  }

  /** Throws what makes the job due again; a completion that cannot be used is a dropped sample. */
  private async complete(
    claim: Claim,
    signal: AbortSignal,
    { request, read }: ScoreRequest,
  ): Promise<Pick<StoredSample, 'outcome' | 'output' | 'reading'>> {
    const admit = (tx: Tx): Promise<void> => this.admit(tx, claim);
    const result = await this.model.complete(
      { subject: ledgerKey(claim.key), admit, ...request },
      signal,
    );
    if (result.ok) {
      const output = result.value.text;
      return { outcome: 'ok', output, reading: read(output) };
    }
    switch (result.reason) {
      case 'unavailable':
        throw new ModelUnavailableError('the model server is unavailable', {
          retryAfterMs: result.retryAfterMs,
          mayConcernJobOnly: result.mayConcernJobOnly === true,
        });
      case 'ok':
      case 'stopped':
      case 'aborted':
      case 'error':
        throw new ModelAbortedError('the request for a score was aborted');
      case 'cut':
      case 'stalled':
      case 'bad_request':
        throw new ModelFailure(result.reason);
      case 'empty':
      case 'refused':
      case 'content_filter':
      case 'length':
      case 'malformed':
        return { outcome: result.reason, output: null, reading: dropped('failed') };
    }
  }

  /** An objection that came in between wins: then nothing of the run stays stored. */
  private async close(tx: Tx, claim: Claim, opened: OpenedRun, card: Scorecard): Promise<void> {
    const isAllowed = (await this.scorable(tx, claim.key)) !== null;
    await this.jobs.fence(tx, claim);
    if (isAllowed) await this.scores.endRun(tx, opened.runId, card);
    else await this.scores.deleteRun(tx, opened.runId);
    if (isAllowed) await reportCard(this.events, tx, claim.key, card);
    await this.jobs.complete(tx, claim);
  }
}

interface OpenedRun {
  readonly runId: string;
  readonly plan: InterviewPlan;
  readonly rubricHashes: ReadonlyMap<string, string>;
  readonly answers: AnswersByQuestion;
  readonly heard: HeardWords;
  /** Samples of an earlier claim, which are not asked for again. */
  readonly stored: readonly StoredSample[];
}

interface WantedSample {
  readonly item: ScoreItem;
  readonly n: number;
  readonly request: ScoreRequest;
  readonly opened: OpenedRun;
}

class NoLongerScorableError extends ColloquyError {
  readonly code = 'no_longer_scorable';
  readonly retryable = false;
}

function keyOf({
  questionId,
  kind,
  item,
  n,
}: Pick<StoredSample, 'questionId' | 'kind' | 'item' | 'n'>): string {
  return JSON.stringify([questionId, kind, item, n]);
}

/** The scorecard of these samples. Pure, so a replay computes the same from the same samples. */
export function cardOf(
  { plan, rubricHashes, answers }: Pick<OpenedRun, 'plan' | 'rubricHashes' | 'answers'>,
  samples: readonly StoredSample[],
): Scorecard {
  const questions = plan.questions.map((question) => {
    const hasAnswer = (answers.get(question.id) ?? []).length > 0;
    const rubricHash = rubricHashes.get(question.id) ?? '';
    return scoredQuestion(question, rubricHash, hasAnswer ? samples : null);
  });
  return { questions, overall: overallOf(questions) };
}

/** `samples` null: nothing was said to the question. */
function scoredQuestion(
  question: Question,
  rubricHash: string,
  samples: readonly StoredSample[] | null,
): ScoredQuestion {
  const rubric = rubricOf(question);
  const { id: questionId, mustAsk } = question;
  if (samples === null) return { questionId, rubricHash, mustAsk, ...unanswered(rubric) };
  const readings = (kind: 'criterion' | 'fact', name: string) =>
    samples
      .filter((one) => one.questionId === questionId && one.kind === kind && one.item === name)
      .map(({ reading }) => reading);
  return {
    questionId,
    rubricHash,
    mustAsk,
    criteria: rubric.criteria.map(({ name, weight }) => ({
      name,
      weight,
      ...criterionResult(readings('criterion', name) as CriterionReading[]),
    })),
    facts: rubric.facts.map(({ name }) => ({
      name,
      ...factResult(readings('fact', name) as FactReading[]),
    })),
  };
}

/** Enqueues the scoring of finished interviews. */
@Injectable()
export class ScoreRequests {
  constructor(private readonly jobs: Jobs) {}

  @DomainEventHandler('interview.finished')
  async onFinished(tx: Tx, { conversationId }: PayloadOf<'interview.finished'>): Promise<void> {
    await this.jobs.enqueue(tx, { queue: SCORE_QUEUE, key: conversationId, dueInMs: 0 });
  }
}
