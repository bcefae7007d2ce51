import { Injectable } from '@nestjs/common';
import { Settings } from '../common/config';
import { ColloquyError } from '../common/errors';
import { DomainEvents, DomainEventHandler, type PayloadOf } from '../common/events';
import { newId } from '../common/ids';
import { Semaphore, type Tx } from '../common/uow';
import { ConversationRepository, type ConversationRow } from '../interview';
import {
  type Claim,
  type DeadJob,
  DebounceRepository,
  JobHandler,
  type JobFlow,
  type JobHandlerClass,
  Jobs,
  callUnderLease,
} from '../jobs';
import {
  type Choice,
  Completions,
  ModelAbortedError,
  ModelFailure,
  type ModelRequest,
  ModelUnavailableError,
} from '../llm';
import { type InterviewPlan, type Question, rubricOf } from '../vacancies';
import { HiringDecisionRepository } from './hiring-decision.repository';
import { type LateRequest, lateRequest } from './late-words';
import { judgementOf } from './person-ratings';
import { contextOf } from './rating-context';
import { reportDeadJob, reportCard } from './score-attention';
import { ScoreLimits } from './score-limits';
import { LATE_PROMPT, PROMPTS, promptHash } from './score-prompts';
import { type ScoreRequest, type WantedRequest, hasAsked, isOf, requestsOf } from './score-request';
import {
  type CriterionReading,
  type FactReading,
  UNUSABLE_OUTCOMES,
  dropped,
} from './sample-reader';
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
import { sideBySide } from './side-by-side';
import { ledgerKey } from './stored-scores';
import { type AnswersByQuestion, ScoringRepository, type StoredSample } from './scoring.repository';

declare module '../jobs' {
  interface QueueNames {
    score: ScoreWorker;
  }
}

export const SCORE_QUEUE = 'score';

/**
 * The queue `score`, a job for each finished interview, and one for what was added to it until it was quiet:
 *
 *   score.open (commit) ─> for each criterion and fact three samples: the model ─> score.sample (commit)
 *      │       ^                                                                      └─> score.close (commit)
 *      │       └── score.place (commit) <─ the model: to which questions do late messages belong?
 *      ├── an objection, no consent, no such interview, a person's decision, or the same answers as in
 *      │   the last run: the job is done, nothing is stored
 *      └── a limit is reached (ScoreLimits): the job is done, another one looks again later
 *
 * The model server is the queue's peer. Several samples come from one request where the server knows `n`;
 * requests run side by side. Samples of earlier runs that asked the same are copied, so that an addition
 * costs the requests of its question. A crash repeats the requests that were running: samples are stored in a
 * commit of their own, and another claim goes on after them. Each request is recorded in a commit that
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
    private readonly limits: ScoreLimits,
    private readonly model: Completions,
    private readonly events: DomainEvents,
    private readonly settings: Settings,
  ) {}

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    const opened = await this.openPlaced(claim, flow);
    if (opened === null) return;
    const samples = [...opened.stored];
    await unlessEnded(() => this.askAll(claim, flow, opened, samples));
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

  /** A run begins when it is known to which questions the late messages belong. */
  private async openPlaced(claim: Claim, flow: JobFlow): Promise<OpenedRun | null> {
    for (;;) {
      const opened = await flow.uow.commit('score.open', (tx) => this.open(tx, claim));
      if (opened?.kind !== 'late') return opened;
      await unlessEnded(() => this.place(claim, flow, opened));
    }
  }

  private async open(tx: Tx, claim: Claim): Promise<OpenedRun | OpenedLate | null> {
    const conversation = await this.scorable(tx, claim.key);
    await this.jobs.fence(tx, claim);
    if (conversation === null) {
      await this.jobs.complete(tx, claim);
      return null;
    }
    const { id, plan } = conversation;
    const said = await this.scores.said(tx, id);
    const { answers, unplaced } = said;
    const context = contextOf(plan, said, await this.scores.spoken(tx, id));
    const requests = requestsOf(plan, answers, context);
    if ((await this.needsNoRun(tx, id, requests)) || !(await this.mayBegin(tx, id))) {
      await this.jobs.complete(tx, claim);
      return null;
    }
    if (unplaced.length > 0) {
      await this.scores.keepPrompt(tx, LATE_PROMPT);
      const answered = [...answers.keys()];
      const messageIds = unplaced.map((message) => message.id);
      return { kind: 'late', answered, messageIds, late: lateRequest(plan, answered, unplaced) };
    }
    for (const messageId of said.thanks) {
      await this.scores.placeLate(tx, { messageId, questionIds: [] });
    }
    const runId = await this.openRun(tx, id, requests);
    const rubricHashes = new Map<string, string>();
    for (const question of plan.questions) {
      const hash = await this.scores.keepRubric(tx, conversation.vacancyId, rubricOf(question));
      rubricHashes.set(question.id, hash);
    }
    for (const prompt of Object.values(PROMPTS)) await this.scores.keepPrompt(tx, prompt);
    const stored = await this.scores.samples(tx, runId);
    return { kind: 'run', runId, plan, rubricHashes, answers, requests, stored };
  }

  /**
   * The run of an earlier claim goes on, unless an answer, the model or a prompt has changed since: then
   * it ends as failed, so that no score comes from two texts or from two versions. A new run takes over what
   * the newest earlier one asked in the same way.
   */
  private async openRun(
    tx: Tx,
    conversationId: string,
    requests: readonly WantedRequest[],
  ): Promise<string> {
    const isWanted = (sample: StoredSample): boolean =>
      sample.model === this.model.model &&
      sample.promptHash === promptHash(PROMPTS[sample.kind]) &&
      hasAsked(sample, requests);
    const going = await this.scores.openRun(tx, newId(), conversationId);
    if ((await this.scores.samples(tx, going.id)).every(isWanted)) {
      await this.takeOver(tx, going.id, conversationId, isWanted);
      return going.id;
    }
    await this.scores.endRun(tx, going.id, null);
    const { id } = await this.scores.openRun(tx, newId(), conversationId);
    await this.takeOver(tx, id, conversationId, isWanted);
    return id;
  }

  private async takeOver(
    tx: Tx,
    runId: string,
    conversationId: string,
    isWanted: (sample: StoredSample) => boolean,
  ): Promise<void> {
    const earlier = (await this.scores.runsOf(tx, [conversationId])).filter(
      ({ id }) => id !== runId,
    );
    for (const { id } of earlier.toReversed()) {
      const samples = (await this.scores.samples(tx, id)).filter(
        (sample) => sample.outcome === 'ok' && isWanted(sample),
      );
      if (samples.length === 0) continue;
      await this.scores.copySamples(tx, runId, { runId: id, samples });
      return;
    }
  }

  /**
   * A person has decided already, or the last run has read exactly these answers. A run with failed
   * requests does not count: the model server may work again. A run that has begun always goes on.
   */
  private async needsNoRun(
    tx: Tx,
    conversationId: string,
    requests: readonly WantedRequest[],
  ): Promise<boolean> {
    const last = (await this.scores.runsOf(tx, [conversationId])).at(-1);
    if (last?.state === 'running') return false;
    if (await this.decisions.isDecided(tx, conversationId)) return true;
    if (last === undefined || last.state === 'failed') return false;
    const samples = await this.scores.samples(tx, last.id);
    return (
      samples.every((sample) => sample.outcome === 'ok' && hasAsked(sample, requests)) &&
      requests.every((wanted) => samples.some((sample) => isOf(sample, wanted)))
    );
  }

  /** False: a limit is reached, and a job looks again when it may be reached no more. */
  private async mayBegin(tx: Tx, key: string): Promise<boolean> {
    const runs = await this.scores.runsOf(tx, [key]);
    if (runs.at(-1)?.state === 'running') return true;
    const waitMs = await this.limits.waitMs(tx, key, runs.length);
    if (waitMs === null) return true;
    await this.jobs.enqueue(tx, { queue: SCORE_QUEUE, key, dueInMs: waitMs });
    return false;
  }

  /** Null: no model may rate it (`NotScorable` says why). */
  private async scorable(tx: Tx, id: string): Promise<ConversationRow | null> {
    const found = await lockScorable(tx, this.conversations, id);
    return typeof found === 'string' ? null : found;
  }

  /** Before each request: an erasure, an objection or a withdrawal may have come since the last one. */
  private async admit(tx: Tx, claim: Claim): Promise<void> {
    const conversation = await this.scorable(tx, claim.key);
    await this.jobs.fence(tx, claim);
    if (conversation === null) throw new NoLongerScorableError('no model may rate it any more');
  }

  /** A message whose questions the model does not name belongs to each that has an answer. */
  private async place(claim: Claim, flow: JobFlow, opened: OpenedLate): Promise<void> {
    const { late, answered, messageIds } = opened;
    const completed = await this.complete(claim, flow, late.request);
    const [first] = typeof completed === 'string' ? [] : completed;
    const placed = first?.ok === true ? late.read(first.text) : null;
    await flow.uow.commitUntilStored('score.place', flow.signal, async (tx) => {
      // An erasure meanwhile has taken the messages away.
      if ((await this.scorable(tx, claim.key)) === null) return;
      await this.jobs.fence(tx, claim);
      for (const messageId of messageIds) {
        const questionIds = placed?.get(messageId) ?? answered;
        await this.scores.placeLate(tx, { messageId, questionIds });
      }
    });
  }

  /** Asks for the samples that are missing, and adds them to `samples`. */
  private async askAll(
    claim: Claim,
    flow: JobFlow,
    opened: OpenedRun,
    samples: StoredSample[],
  ): Promise<void> {
    const commits = new Semaphore(1);
    const ask = async (wanted: WantedSamples): Promise<WantedSamples[]> => {
      const asked = await this.ask(claim, flow, wanted, opened);
      await commits.within(() =>
        flow.uow.commitUntilStored('score.sample', flow.signal, async (tx) => {
          await this.jobs.fence(tx, claim);
          for (const sample of asked) await this.scores.addSample(tx, opened.runId, sample);
        }),
      );
      samples.push(...asked);
      return oneByOne({ ...wanted, ns: wanted.ns.slice(asked.length) });
    };
    const [first, ...others] = missing(opened);
    if (first === undefined) return;
    // The first request goes alone: what the client learns from it about the server holds for the others.
    const left = await ask(first);
    const waiting = [...left, ...(left.length > 0 ? others.flatMap(oneByOne) : others)];
    await sideBySide(this.settings.scoring.requestsAtOnce, waiting, async (wanted) => {
      waiting.unshift(...(await ask(wanted)));
    });
  }

  /** At least one of the samples; as many as the server gave completions. */
  private async ask(
    claim: Claim,
    flow: JobFlow,
    { wanted, ns }: WantedSamples,
    { rubricHashes }: OpenedRun,
  ): Promise<StoredSample[]> {
    const { item, request } = wanted;
    const completed = await this.complete(claim, flow, { ...request.request, choices: ns.length });
    const results =
      typeof completed === 'string'
        ? [unusable(completed)]
        : completed.flatMap((choice) => resultsOf(choice, request));
    const { questionId } = item.rubric;
    const rubricHash = rubricHashes.get(questionId) ?? '';
    const of = {
      questionId,
      kind: item.kind,
      item: item.name,
      rubricHash,
      model: this.model.model,
    };
    const parameters = { ...request.origin.parameters, choices: results.length };
    return ns.flatMap((n, index) => {
      const result = results[index];
      return result === undefined ? [] : [{ ...of, ...request.origin, ...result, parameters, n }];
    });
  }

  /** The completions, or why there is none that can be used. Throws what makes the job due again. */
  private async complete(
    claim: Claim,
    flow: JobFlow,
    request: ModelRequest,
  ): Promise<readonly Choice[] | string> {
    const admit = (tx: Tx): Promise<void> => this.admit(tx, claim);
    const subject = ledgerKey(claim.key);
    return callUnderLease(
      flow,
      async () => {
        const result = await this.model.complete({ subject, admit, ...request }, flow.signal);
        return result.ok ? result.value.choices : outcomeOf(result);
      },
      { isResponse: (error) => error instanceof ModelFailure },
    );
  }

  /** An objection that came in between wins: then nothing of the run stays stored. */
  private async close(tx: Tx, claim: Claim, opened: OpenedRun, card: Scorecard): Promise<void> {
    const isAllowed = (await this.scorable(tx, claim.key)) !== null;
    await this.jobs.fence(tx, claim);
    if (isAllowed) await this.scores.endRun(tx, opened.runId, card);
    else await this.scores.deleteRun(tx, opened.runId);
    if (isAllowed) await reportCard(this.events, tx, claim.key, card);
    await this.events.publish(tx, 'team.changed', judgementOf(claim.key, null));
    await this.jobs.complete(tx, claim);
  }
}

/** Ends without an error when the candidate objected or left meanwhile: the next commit sees it too. */
async function unlessEnded(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof NoLongerScorableError)) throw error;
  }
}

/** The outcome of a request after which its sample is dropped; throws for every other one. */
function outcomeOf(
  result: Exclude<Awaited<ReturnType<Completions['complete']>>, { ok: true }>,
): string {
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
      return result.reason;
  }
}

type SampleResult = Pick<StoredSample, 'outcome' | 'output' | 'reading'>;

/** None for a completion that broke off: its sample is asked for again. */
function resultsOf(choice: Choice, { read }: ScoreRequest): SampleResult[] {
  if (choice.ok) return [{ outcome: 'ok', output: choice.text, reading: read(choice.text) }];
  return UNUSABLE_OUTCOMES.has(choice.reason) ? [unusable(choice.reason)] : [];
}

function unusable(outcome: string): SampleResult {
  return { outcome, output: null, reading: dropped('failed') };
}

interface OpenedRun {
  readonly kind: 'run';
  readonly runId: string;
  readonly plan: InterviewPlan;
  readonly rubricHashes: ReadonlyMap<string, string>;
  readonly answers: AnswersByQuestion;
  readonly requests: readonly WantedRequest[];
  /** Samples of an earlier claim or run, which are not asked for again. */
  readonly stored: readonly StoredSample[];
}

/** Messages after the end that belong to no question yet. */
interface OpenedLate {
  readonly kind: 'late';
  readonly messageIds: readonly string[];
  /** The questions that have an answer. */
  readonly answered: readonly string[];
  readonly late: LateRequest;
}

interface WantedSamples {
  readonly wanted: WantedRequest;
  /** The numbers of the samples. */
  readonly ns: readonly number[];
}

function oneByOne({ wanted, ns }: WantedSamples): WantedSamples[] {
  return ns.map((n) => ({ wanted, ns: [n] }));
}

/** The samples that are not stored, by request, in the order of the plan. */
function missing({ requests, stored }: OpenedRun): WantedSamples[] {
  return requests.flatMap((wanted) => {
    const known = new Set(stored.filter((one) => isOf(one, wanted)).map(({ n }) => n));
    const ns = Array.from({ length: SAMPLES }, (_, index) => index + 1);
    const left = ns.filter((n) => !known.has(n));
    return left.length === 0 ? [] : [{ wanted, ns: left }];
  });
}

class NoLongerScorableError extends ColloquyError {
  readonly code = 'no_longer_scorable';
  readonly retryable = false;
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
      .toSorted((one, other) => one.n - other.n)
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

/**
 * Enqueues the scoring of finished interviews. The first one begins at once. What is added later is collected:
 * each addition starts the quiet time anew, up to a longest wait.
 */
@Injectable()
export class ScoreRequests {
  constructor(
    private readonly jobs: Jobs,
    private readonly timers: DebounceRepository,
    private readonly scores: ScoringRepository,
    private readonly settings: Settings,
  ) {}

  @DomainEventHandler('interview.finished')
  async onFinished(tx: Tx, { conversationId }: PayloadOf<'interview.finished'>): Promise<void> {
    const job = { queue: SCORE_QUEUE, key: conversationId } as const;
    if ((await this.scores.runsOf(tx, [conversationId])).length === 0) {
      await this.jobs.enqueue(tx, { ...job, dueInMs: 0 });
      return;
    }
    const windowMs = this.settings.scoring.additionsMs;
    const limits = { maxWaitMs: windowMs * MOST_WINDOWS, maxSize: NO_LIMIT, maxChars: NO_LIMIT };
    await this.timers.add(tx, job, { chars: 0, windowMs, limits });
  }
}

/** The longest wait, in quiet times. */
const MOST_WINDOWS = 6;
const NO_LIMIT = 1_000_000_000;
