import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type VacancyDraft,
  VacancyFileError,
  VacancyFileUnreadableError,
  candidateLink,
  readVacancyFile,
} from '../vacancies';
import {
  DocumentFileError,
  type DocumentsOutcome,
  type VacancyDocument,
  readDocuments,
} from '../knowledge';
import { type CliContext, withCli } from './cli-context';
import { RefusedInputError, UsageError, runCommand } from './output';

const USAGE = 'npm run vacancy:import -- FILE...';

interface ReadVacancy {
  readonly draft: VacancyDraft;
  readonly documents: readonly VacancyDocument[];
}

/** `npm run vacancy:import`: all files with their documents, or none when one of them is wrong. */
async function main(): Promise<void> {
  const { positionals: files } = parseArgs({ allowPositionals: true, strict: true });
  if (files.length === 0) throw new UsageError('Name at least one vacancy file.');
  const read = await readAll(files);
  await withCli((cli) => importAll(cli, read));
}

async function readAll(files: readonly string[]): Promise<ReadVacancy[]> {
  const results = await Promise.allSettled(files.map(readOne));
  const read = results.flatMap((r) => (r.status === 'fulfilled' ? [r.value] : []));
  const problems = results.flatMap((r) => (r.status === 'rejected' ? [problemOf(r.reason)] : []));
  if (problems.length > 0) throw new RefusedInputError(problems.join('\n'));
  const slugs = read.map(({ draft }) => draft.slug);
  const repeated = slugs.find((slug, index) => slugs.indexOf(slug) !== index);
  if (repeated !== undefined) {
    throw new RefusedInputError(`Two of these files have the slug "${repeated}".`);
  }
  return read;
}

async function readOne(file: string): Promise<ReadVacancy> {
  const draft = await readVacancyFile(file);
  const documents = await readDocuments(dirname(file), draft.knowledge ?? [], draft.language);
  return { draft, documents };
}

function problemOf(error: unknown): string {
  const isExpected =
    error instanceof VacancyFileError ||
    error instanceof VacancyFileUnreadableError ||
    error instanceof DocumentFileError;
  if (isExpected) return error.message;
  throw error;
}

async function importAll(cli: CliContext, read: readonly ReadVacancy[]): Promise<void> {
  const results = await cli.commit('vacancy.import', async (tx) => {
    const imported = [];
    for (const { draft, documents } of read) {
      const { vacancy, outcome } = await cli.vacancies.upsert(tx, draft);
      const stored = await cli.documents.replace(tx, vacancy.id, documents);
      imported.push({ vacancy, outcome, stored });
    }
    return imported;
  });
  for (const { vacancy, outcome, stored } of results) {
    const questions = `${String(vacancy.plan.questions.length)} questions`;
    console.log(`${outcome} ${vacancy.slug}: ${vacancy.title}, ${vacancy.company}, ${questions}`);
    console.log(`  open link  ${candidateLink(cli.settings.http, vacancy.openToken)}`);
    const line = documentsLine(stored);
    if (line !== null) console.log(`  documents  ${line}`);
  }
}

/** Null for a vacancy that has none and had none. */
function documentsLine(outcome: DocumentsOutcome): string | null {
  const counts = { stored: outcome.stored, unchanged: outcome.unchanged, removed: outcome.removed };
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  if (parts.length === 0) return null;
  const text = parts.map(([what, count]) => `${String(count)} ${what}`).join(', ');
  return `${text}; ${String(outcome.passages)} passages`;
}

void runCommand(USAGE, main);
