import { Injectable } from '@nestjs/common';
import { ColloquyError } from '../common/errors';
import type { Label, Tx } from '../common/uow';
import { ConversationRepository, type ConversationRow } from '../interview';
import { Completions } from '../llm';
import { type InterviewPlan, rubricHash, rubricOf } from '../vacancies';
import { UNUSABLE_OUTCOMES, dropped } from './sample-reader';
import { type NotScorable, lockScorable } from './scorable';
import { type RatingContext, contextOf } from './rating-context';
import { itemsOf, requestOf } from './score-request';
import {
  type AnswersByQuestion,
  type ScoreRun,
  ScoringRepository,
  type StoredSample,
} from './scoring.repository';
import { ledgerKey } from './stored-scores';

/**
 * Asks a model again what a scoring asked, and compares. It stores nothing but the ledger's rows, and each of
 * them only while a model may still rate the interview.
 */
@Injectable()
export class ScoreReplay {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly scores: ScoringRepository,
    private readonly model: Completions,
  ) {}

  /** One request for each stored sample, in order. Throws ScoreUnknownError, ScoreObjectedError and ScoreReplayAbortedError. */
  async replay(
    commit: <T>(label: Label, work: (tx: Tx) => Promise<T>) => Promise<T>,
    {
      runId,
      note,
    }: {
      readonly runId: string;
      /** Called with the conversation, in a commit before the first request. */
      readonly note: (tx: Tx, conversationId: string) => Promise<void>;
    },
    signal: AbortSignal,
  ): Promise<ReplayedSample[]> {
    const opened = await commit('replay.open', async (tx) => {
      const found = await this.open(tx, runId);
      await note(tx, found.run.conversationId);
      return found;
    });
    const replayed: ReplayedSample[] = [];
    for (const sample of opened.samples) {
      const one = await this.again(opened, sample, signal);
      if (one !== null) replayed.push(one);
    }
    await commit('replay.close', (tx) => this.replayable(tx, opened.run));
    return replayed;
  }

  private async open(tx: Tx, runId: string): Promise<OpenedRun> {
    const run = await this.scores.findRun(tx, runId);
    if (run === null) throw unknown(runId);
    const { id, plan } = await this.replayable(tx, run);
    const said = await this.scores.said(tx, id);
    return {
      run,
      samples: await this.scores.samples(tx, runId),
      plan,
      answers: said.answers,
      context: contextOf(plan, said, await this.scores.spoken(tx, id)),
    };
  }

  /** Checked before each request, because the candidate may object, leave or be erased in between. */
  private async replayable(tx: Tx, run: ScoreRun): Promise<ConversationRow> {
    const found = await lockScorable(tx, this.conversations, run.conversationId);
    if (typeof found !== 'string') return found;
    if (found === 'gone') throw unknown(run.id);
    throw new ScoreObjectedError(
      `${REFUSALS[found]}, so the answers are not sent to a model again.`,
    );
  }

  /** Null: the question is not in the plan. */
  private async again(
    { run, plan, answers, context }: OpenedRun,
    sample: StoredSample,
    signal: AbortSignal,
  ): Promise<ReplayedSample | null> {
    const question = plan.questions.find(({ id }) => id === sample.questionId);
    if (question === undefined) return null;
    const rubric = rubricOf(question);
    const item = itemsOf(rubric).find(
      (one) => one.kind === sample.kind && one.name === sample.item,
    );
    if (item === undefined) return null;
    const { request, origin, read } = requestOf(item, answers.get(question.id) ?? [], context);
    const subject = ledgerKey(run.conversationId);
    const admit = async (tx: Tx): Promise<void> => {
      await this.replayable(tx, run);
    };
    const result = await this.model.complete({ subject, admit, ...request }, signal);
    if (!result.ok && !UNUSABLE_OUTCOMES.has(result.reason)) {
      throw new ScoreReplayAbortedError(
        `The model server did not complete a request (${result.reason}), so nothing is compared. Run the command again.`,
      );
    }
    const reading = result.ok ? read(result.value.text) : dropped('failed');
    const changed: ChangedInput[] = [
      ...(sample.model === this.model.model ? [] : ['model' as const]),
      ...(sample.promptHash === origin.promptHash ? [] : ['prompt' as const]),
      ...(JSON.stringify(sample.input.map(({ sha256 }) => sha256)) ===
      JSON.stringify(origin.input.map(({ sha256 }) => sha256))
        ? []
        : ['answer' as const]),
      ...(sample.rubricHash === rubricHash(rubric) ? [] : ['rubric' as const]),
    ];
    const { questionId, kind, item: name, n } = sample;
    const marks = [sample.reading, reading].map((one) => ('mark' in one ? one.mark : null));
    const [before = null, after = null] = marks;
    return {
      questionId,
      kind,
      item: name,
      n,
      changed,
      before: sample.reading.kind,
      after: reading.kind,
      markDifference: before === null || after === null ? null : after - before,
    };
  }
}

export interface ReplayedSample {
  readonly questionId: string;
  readonly kind: StoredSample['kind'];
  readonly item: string;
  readonly n: number;
  readonly changed: readonly ChangedInput[];
  readonly before: string;
  readonly after: string;
  /** After minus before; null unless both samples have a mark. No mark itself: scores are hidden. */
  readonly markDifference: number | null;
}

/** What is not as it was: then a difference may have another cause than chance. */
export type ChangedInput = 'model' | 'prompt' | 'answer' | 'rubric';

interface OpenedRun {
  readonly run: ScoreRun;
  readonly samples: readonly StoredSample[];
  readonly plan: InterviewPlan;
  readonly answers: AnswersByQuestion;
  readonly context: RatingContext;
}

/** The candidate objected to automated processing or left, so no model may read the answers again. */
export class ScoreObjectedError extends ColloquyError {
  readonly code = 'score_objected';
  readonly retryable = false;
}

/** The model rated nothing, so there is nothing to compare. */
export class ScoreReplayAbortedError extends ColloquyError {
  readonly code = 'score_replay_aborted';
  readonly retryable = true;
}

const REFUSALS: Readonly<Record<Exclude<NotScorable, 'gone'>, string>> = {
  objection: 'The candidate objected to a rating',
  consent: 'The candidate has withdrawn, or did not agree to a rating',
  unfinished: 'The interview is not finished any more',
};

function unknown(runId: string): ScoreUnknownError {
  return new ScoreUnknownError(`There is no scoring ${runId}.`);
}

/** No scoring has this id. */
export class ScoreUnknownError extends ColloquyError {
  readonly code = 'score_unknown';
  readonly retryable = false;
}
