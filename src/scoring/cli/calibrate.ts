import { open, rm } from 'node:fs/promises';
import { COMMAND_LINE } from '../../cli/cli-context';
import { RefusedInputError } from '../../cli/failures';
import { bytesOfFile, errorCodeOf } from '../../cli/files';
import { textOf } from '../../cli/option-values';
import { type Result, printableLine } from '../../cli/output';
import { csvText } from '../../common/csv';
import { AuditRepository } from '../../privacy';
import { VacancyRepository } from '../../vacancies';
import { Calibration, RATING_COLUMNS, type RubricFigures, refusals } from '../calibration';
import { withScoring } from './with-scoring';

export const MAX_RATER = 120;
const MEGABYTE = 1024 * 1024;
const MAX_FILE_BYTES = 32 * MEGABYTE;
/** Filling in the column rating, and quotes of a spreadsheet, make a file a little larger. */
const ROOM_FOR_RATINGS = 0.95;

/** Writes the answers for people to rate: no names, no scores. An existing file is never replaced. */
export function exportAnswers(options: {
  readonly vacancy: string;
  readonly out: string;
}): Promise<Result> {
  const { vacancy: slug, out } = options;
  return withScoring(async (cli) => {
    const audit = cli.get(AuditRepository);
    const file = await open(out, 'wx', 0o600).catch((error: unknown) => {
      throw new RefusedInputError(`${out}: cannot be written (${errorCodeOf(error)})`);
    });
    try {
      const rows = await cli.commit('calibrate.export', async (tx) => {
        const vacancy = await cli.get(VacancyRepository).getBySlug(tx, slug);
        const found = await cli.get(Calibration).rowsToRate(tx, vacancy);
        for (const subjectId of found.conversationIds) {
          await audit.note(tx, { actor: COMMAND_LINE, action: 'transcript.read', subjectId });
        }
        return found.rows;
      });
      const text = csvText([RATING_COLUMNS, ...rows]);
      await file.writeFile(text);
      return {
        document: { file: out, rows: rows.length },
        lines: [
          `Written: ${out}, answers to rate: ${String(rows.length)}. Give a copy to each person who rates.`,
          'The file holds what candidates wrote, and an erasure does not reach it: delete it after the import.',
          ...importLimitOf(Buffer.byteLength(text)),
        ],
      };
    } catch (error) {
      await rm(out);
      throw error;
    } finally {
      await file.close();
    }
  });
}

/** What to do with an exported file of so many bytes before its import; empty: nothing. */
export function importLimitOf(bytes: number): string[] {
  if (bytes <= MAX_FILE_BYTES * ROOM_FOR_RATINGS) return [];
  return [
    `The file has ${String(Math.ceil(bytes / MEGABYTE))} MB, and an import reads at most 32 MB: before the import, delete the columns question, criterion, rubric and answer. Only id and rating are read.`,
  ];
}

/** Stores the ratings of one person, all of them or none. */
export async function importRatings(
  file: string,
  options: { readonly rater: string },
): Promise<Result> {
  const rater = textOf('--rater', options.rater, MAX_RATER);
  const text = await textOfFile(file);
  return withScoring(async (cli) => {
    const { stored } = await cli.commit('calibrate.import', (tx) =>
      cli.get(Calibration).importRatings(tx, rater, text),
    );
    return {
      document: { rater, stored },
      lines: [`Stored: ${String(stored)} ratings of ${printableLine(rater)}.`],
    };
  });
}

/** Prints how far people agree with each other, and the model with them. */
export function calibrationReport({
  vacancy: slug,
}: {
  readonly vacancy: string;
}): Promise<Result> {
  return withScoring(async (cli) => {
    const { model } = cli.settings.llm;
    const figures = await cli.commit('calibrate.report', async (tx) => {
      const vacancy = await cli.get(VacancyRepository).getBySlug(tx, slug);
      return cli.get(Calibration).figures(tx, vacancy, model);
    });
    return resultOf(model, figures);
  });
}

/** Certifies each rubric whose figures allow it; the others stay in shadow, and the result says why. */
export function certify(options: {
  readonly vacancy: string;
  readonly localModel?: true;
}): Promise<Result> {
  return withScoring(async (cli) => {
    const { model, baseUrl } = cli.settings.llm;
    if (isLoopback(baseUrl) && options.localModel !== true) {
      throw new RefusedInputError(
        `OPENAI_BASE_URL is on this machine (${new URL(baseUrl).host}), where tests serve hand-written models. Add --local-model if a real model is served there.`,
      );
    }
    const figures = await cli.commit('calibrate.certify', async (tx) => {
      const vacancy = await cli.get(VacancyRepository).getBySlug(tx, options.vacancy);
      return cli.get(Calibration).certify(tx, vacancy, model);
    });
    const isRefused = figures.some((rubric) => refusals(rubric).length > 0);
    return { ...resultOf(model, figures), exitCode: isRefused ? 1 : 0 };
  });
}

/** Whether the server is on this machine: then it may be one that only pretends to be a model. */
export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function resultOf(model: string, figures: readonly RubricFigures[]): Result {
  return {
    document: {
      model,
      rubrics: figures.map((rubric) => ({ ...rubric, refusals: refusals(rubric) })),
    },
    lines:
      figures.length === 0
        ? ['No question of this vacancy is scored.']
        : [`Model: ${printableLine(model)}`, ...figures.flatMap(linesOf)],
  };
}

function linesOf(rubric: RubricFigures): string[] {
  const { questionId, version, isCertified, criteria } = rubric;
  const short = version.rubricHash.slice(0, 12);
  const reasons = refusals(rubric);
  return [
    '',
    `${questionId}, rubric ${short}: ${isCertified ? 'certified' : 'in shadow'}`,
    ...criteria.map(({ criterion, agreement }) => {
      const { counted, answers, raters, withoutModel } = agreement;
      return [
        `  ${printableLine(criterion)}: person to person ${figure(agreement.personToPerson)}`,
        `model to person ${figure(agreement.modelToPerson)}`,
        `mean difference ${figure(agreement.meanDifference)}`,
        `answers ${String(counted)} of ${String(answers)} rated, raters ${String(raters)}, without a mark of the model ${String(withoutModel)}`,
      ].join(', ');
    }),
    ...reasons.map((reason) => `  Not certifiable: ${printableLine(reason)}.`),
  ];
}

function figure(value: number | null): string {
  return value === null ? 'unknown' : value.toFixed(2);
}

/** The text of a file in UTF-8. Throws RefusedInputError. */
export async function textOfFile(file: string): Promise<string> {
  const bytes = await bytesOfFile(file);
  if (bytes.length > MAX_FILE_BYTES) throw new RefusedInputError(`${file}: larger than 32 MB`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new RefusedInputError(`${file}: is not UTF-8; save it as "CSV UTF-8"`);
  }
}
