import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { ColloquyError } from '../common/errors';
import { newId } from '../common/ids';
import { Completions } from '../llm';
import { type Rubric, rubricOf, type Question } from '../vacancies';
import { versionOf } from './calibration';
import type { ScoreVersion } from './calibration.repository';
import { normalised } from './evidence';
import { FAIRNESS_BANK } from './fairness-bank';
import { type BankAnswer, pairsOf } from './fairness-edits';
import { type FairnessFigures, type MarkedPair, fairnessFigures, unfairness } from './fairness';
import { type CriterionReading, UNUSABLE_OUTCOMES, dropped } from './sample-reader';
import { type ScoreItem, itemsOf, requestOf } from './score-request';
import { type CriterionResult, SAMPLES, criterionResult, markOf } from './scorecard';

/**
 * Rates pairs of answers as an interview's answers are rated: the same requests, three samples, the
 * median. Each text is rated once by each criterion, however many pairs it is in.
 */
@Injectable()
export class FairnessRun {
  constructor(
    private readonly model: Completions,
    private readonly clock: Clock,
  ) {}

  get modelName(): string {
    return this.model.model;
  }

  /** Throws FairnessAbortedError when no request is running any more. A question without criteria is left out. */
  async run(
    questions: readonly Question[],
    own: readonly BankAnswer[],
    signal: AbortSignal,
  ): Promise<RubricFairness[]> {
    const results: RubricFairness[] = [];
    for (const rubric of questions.map(rubricOf)) {
      if (rubric.criteria.length === 0) continue;
      const fitting = own.filter(({ questionId }) => questionId === rubric.questionId);
      const figures = await this.figuresOf(
        rubric,
        fitting.length > 0 ? fitting : FAIRNESS_BANK,
        signal,
      );
      results.push({
        rubric,
        version: versionOf(rubric, this.model.model),
        figures,
        shortcomings: unfairness(figures),
      });
    }
    return results;
  }

  private async figuresOf(
    rubric: Rubric,
    answers: readonly BankAnswer[],
    signal: AbortSignal,
  ): Promise<FairnessFigures> {
    const pairs = answers.flatMap(pairsOf);
    const texts = [...new Set(pairs.flatMap(({ from, to }) => [from, to]))];
    // The text of the edits other than names and endings is compared with.
    const unedited = new Set(pairs.filter(({ kind }) => kind === 'hedged').map(({ from }) => from));
    const marked: MarkedPair[] = [];
    let supported = 0;
    for (const item of itemsOf(rubric)) {
      if (item.kind === 'fact') continue;
      const results = await this.resultsOf(item, texts, signal);
      const markIn = (text: string) => {
        const result = results.get(text);
        return result === undefined ? null : markOf(result);
      };
      supported += [...unedited].filter((text) => results.get(text)?.kind === 'supported').length;
      for (const { kind, from, to } of pairs) {
        marked.push({ criterion: item.name, kind, from: markIn(from), to: markIn(to) });
      }
    }
    return fairnessFigures(marked, {
      supported,
      unedited: unedited.size * rubric.criteria.length,
    });
  }

  private async resultsOf(
    item: ScoreItem,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, CriterionResult>> {
    const results = new Map<string, CriterionResult>();
    const waiting = [...texts];
    // After one failure nothing is stored, so the other workers send no further requests.
    const own = new AbortController();
    const either = AbortSignal.any([signal, own.signal]);
    const work = async (): Promise<void> => {
      for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
        const readings: CriterionReading[] = [];
        while (readings.length < SAMPLES) {
          readings.push(...(await this.ask(item, text, SAMPLES - readings.length, either)));
        }
        results.set(text, criterionResult(readings).result);
      }
    };
    const endingAll = (error: unknown): void => {
      own.abort(error);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, () => work().catch(endingAll)));
    // Throws the first failure.
    own.signal.throwIfAborted();
    return results;
  }

  /** At least one reading; as many as the server gave completions, up to `choices`. */
  private async ask(
    item: ScoreItem,
    text: string,
    choices: number,
    signal: AbortSignal,
  ): Promise<CriterionReading[]> {
    // The same id for every text, so that two requests differ by the text alone.
    const { request, read } = requestOf(item, [{ id: 'answer-1', text: normalised(text) }]);
    for (let attempt = 1; ; attempt += 1) {
      const subject = `fairness:${newId()}`;
      const result = await this.model.complete({ subject, ...request, choices }, signal);
      if (result.ok) {
        return result.value.choices.flatMap((choice) => {
          if (choice.ok) return [read(choice.text) as CriterionReading];
          return UNUSABLE_OUTCOMES.has(choice.reason) ? [dropped('failed')] : [];
        });
      }
      if (UNUSABLE_OUTCOMES.has(result.reason)) return [dropped('failed')];
      if (!TRANSIENT.has(result.reason) || attempt === ATTEMPTS) {
        throw new FairnessAbortedError(
          `The model server did not complete a request (${result.reason}), so nothing is stored. Run the command again.`,
        );
      }
      await this.clock.sleep(result.retryAfterMs ?? PAUSE_MS * attempt, signal);
    }
  }
}

/** Requests at the same time. */
const AT_ONCE = 4;
const ATTEMPTS = 4;
const PAUSE_MS = 2000;
/** Failures that another request may not have. */
const TRANSIENT: ReadonlySet<string> = new Set(['unavailable', 'cut', 'stalled']);

export interface RubricFairness {
  readonly rubric: Rubric;
  readonly version: ScoreVersion;
  readonly figures: FairnessFigures;
  /** Why the rubric does not pass; empty: it passes. */
  readonly shortcomings: readonly string[];
}

/** The model server did not respond, so there are no figures and nothing is stored. */
export class FairnessAbortedError extends ColloquyError {
  readonly code = 'fairness_aborted';
  readonly retryable = true;
}
