import { parseArgs } from 'node:util';
import {
  type VacancyDraft,
  VacancyFileError,
  VacancyFileUnreadableError,
  candidateLink,
  readVacancyFile,
} from '../hiring';
import { type CliContext, withCliContext } from './cli-context';
import { RefusedInputError, UsageError, runCommand } from './command';

const USAGE = 'npm run vacancy:import -- FILE...';

/** `npm run vacancy:import`: all files, or none when one of them is wrong. */
async function main(): Promise<void> {
  const { positionals: files } = parseArgs({ allowPositionals: true, strict: true });
  if (files.length === 0) throw new UsageError('Name at least one vacancy file.');
  const drafts = await readAll(files);
  await withCliContext((cli) => importAll(cli, drafts));
}

async function readAll(files: readonly string[]): Promise<VacancyDraft[]> {
  const results = await Promise.allSettled(files.map(readVacancyFile));
  const drafts = results.flatMap((r) => (r.status === 'fulfilled' ? [r.value] : []));
  const problems = results.flatMap((r) => (r.status === 'rejected' ? [problemOf(r.reason)] : []));
  if (problems.length > 0) throw new RefusedInputError(problems.join('\n'));
  const slugs = drafts.map(({ slug }) => slug);
  const repeated = slugs.find((slug, index) => slugs.indexOf(slug) !== index);
  if (repeated !== undefined) {
    throw new RefusedInputError(`Two of these files have the slug "${repeated}".`);
  }
  return drafts;
}

function problemOf(error: unknown): string {
  const isExpected =
    error instanceof VacancyFileError || error instanceof VacancyFileUnreadableError;
  if (isExpected) return error.message;
  throw error;
}

async function importAll(cli: CliContext, drafts: readonly VacancyDraft[]): Promise<void> {
  const results = await cli.commit('vacancy.import', async (tx) => {
    const imported = [];
    for (const draft of drafts) imported.push(await cli.vacancies.upsert(tx, draft));
    return imported;
  });
  for (const { vacancy, outcome } of results) {
    const questions = `${String(vacancy.plan.questions.length)} questions`;
    console.log(`${outcome} ${vacancy.slug}: ${vacancy.title}, ${vacancy.company}, ${questions}`);
    console.log(`  open link  ${candidateLink(cli.settings.http, vacancy.openToken)}`);
  }
}

void runCommand(USAGE, main);
