import { RefusedInputError } from '../../cli/failures';
import { type Result, printableLine } from '../../cli/output';
import { VacancyRepository } from '../../vacancies';
import { CalibrationRepository } from '../calibration.repository';
import { CsvError, type CsvRow, readCsv } from '../csv';
import { signed } from '../fairness';
import type { BankAnswer } from '../fairness-edits';
import { FairnessRun, type RubricFairness } from '../fairness-run';
import { ScoringRepository } from '../scoring.repository';
import { type CategoryRates, SELECTED, selectionRates } from '../selection-rates';
import { isLoopback, textOfFile } from './calibrate';
import { withScoring } from './with-scoring';

/** Rates pairs of answers that deserve the same mark, and stores by rubric whether they get it. */
export function runFairness(options: {
  readonly vacancy: string;
  readonly answers?: string;
}): Promise<Result> {
  return withScoring(async (cli) => {
    const { baseUrl } = cli.settings.llm;
    const vacancy = await cli.commit('fairness.open', (tx) =>
      cli.get(VacancyRepository).getBySlug(tx, options.vacancy),
    );
    const { questions } = vacancy.plan;
    const own = await ownAnswers(
      options.answers,
      questions.map(({ id }) => id),
    );
    const run = cli.get(FairnessRun);
    const results = await run.run(questions, own, new AbortController().signal);
    const [scores, records] = [cli.get(ScoringRepository), cli.get(CalibrationRepository)];
    await cli.commit('fairness.keep', async (tx) => {
      for (const { rubric, version, figures, shortcomings } of results) {
        await scores.keepRubric(tx, vacancy.id, rubric);
        await records.keepFairness(tx, version, { isPassed: shortcomings.length === 0, figures });
      }
    });
    return resultOf(run.modelName, results, isLoopback(baseUrl));
  });
}

function resultOf(model: string, results: readonly RubricFairness[], isLocal: boolean): Result {
  const isPassed = results.every(({ shortcomings }) => shortcomings.length === 0);
  const note =
    'The model server is on this machine. If it serves a hand-written model, this run proves the tool only and says nothing about a real model.';
  return {
    document: {
      model,
      isLocalServer: isLocal,
      isPassed,
      rubrics: results.map(({ rubric, version, figures, shortcomings }) => ({
        questionId: rubric.questionId,
        version,
        ...figures,
        shortcomings,
      })),
    },
    lines: [
      `Model: ${printableLine(model)}`,
      ...(isLocal ? [note] : []),
      ...(results.length === 0 ? ['No question of this vacancy is scored.'] : []),
      ...results.flatMap(linesOf),
    ],
    exitCode: isPassed ? 0 : 1,
  };
}

function linesOf({ rubric, version, figures, shortcomings }: RubricFairness): string[] {
  const short = version.rubricHash.slice(0, 12);
  return [
    '',
    `${rubric.questionId}, rubric ${short}: ${shortcomings.length === 0 ? 'passed' : 'did not pass'}`,
    ...figures.kinds.map(({ criterion, kind, pairs, meanShift, flips }) => {
      const shift = meanShift === null ? 'unknown' : signed(meanShift);
      return `  ${printableLine(criterion)}, ${kind}: pairs ${String(pairs)}, mean shift ${shift}, flips ${String(flips)} (${((100 * flips) / pairs).toFixed(1)} %)`;
    }),
    ...shortcomings.map((each) => `  ${printableLine(each)}.`),
  ];
}

/** Answers that a team wrote for its own questions: a CSV file with `question,language,answer`. */
async function ownAnswers(
  file: string | undefined,
  questionIds: readonly string[],
): Promise<BankAnswer[]> {
  if (file === undefined) return [];
  return inFile(file, await textOfFile(file), ['question', 'language', 'answer'], (rows) =>
    rows.map(({ line, cells: { question = '', language = '', answer = '' } }) => {
      const at = `line ${String(line)}`;
      if (!questionIds.includes(question)) {
        throw new CsvError(`${at}: the vacancy has no question "${question}"`);
      }
      if (language !== 'ru' && language !== 'en') {
        throw new CsvError(`${at}: expected the language ru or en, found "${language}"`);
      }
      if (answer === '') throw new CsvError(`${at}: the answer is empty`);
      return { questionId: question, language, text: answer };
    }),
  );
}

/** Selection rates by group, from self-declared data that is read and never stored. */
export async function selectionTable(file: string): Promise<Result> {
  const categories = inFile(file, await textOfFile(file), [SELECTED], selectionRates);
  return {
    document: { categories },
    lines: [...categories.flatMap(tableOf), 'The file was read and nothing of it was stored.'],
  };
}

function tableOf({ category, groups, unknown }: CategoryRates): string[] {
  const width = Math.max(5, ...groups.map(({ group }) => printableLine(group).length));
  return [
    `${printableLine(category)} (not declared: ${String(unknown)})`,
    `  ${'group'.padEnd(width)}  people  selected  rate    impact ratio`,
    ...groups.map(({ group, people, selected, rate, isSmall, impactRatio }) => {
      const ratio = isSmall ? 'under 2 % of all' : (impactRatio?.toFixed(2) ?? 'unknown');
      return [
        `  ${printableLine(group).padEnd(width)}`,
        String(people).padStart(6),
        String(selected).padStart(8),
        `${(100 * rate).toFixed(1)} %`.padStart(7),
        ratio,
      ].join('  ');
    }),
    '',
  ];
}

function inFile<T>(
  file: string,
  text: string,
  columns: readonly string[],
  read: (rows: readonly CsvRow[]) => T,
): T {
  try {
    return read(readCsv(text, columns));
  } catch (error) {
    if (error instanceof CsvError) throw new RefusedInputError(`${file}: ${error.message}`);
    throw error;
  }
}
