import path from 'node:path';
import {
  DocumentFileError,
  type DocumentsOutcome,
  KnowledgeRepository,
  type VacancyDocument,
  readDocuments,
} from '../knowledge';
import {
  type StoredFile,
  type Vacancy,
  type VacancyDraft,
  VacancyFileError,
  VacancyFileUnreadableError,
  VacancyRepository,
  VacancyVersionRepository,
  minutesOf,
  readVacancyFile,
  storedFile,
} from '../vacancies';
import { COMMAND } from '../common/command-name';
import type { Tx } from '../common/uow';
import { InvitationLinks } from '../invitations';
import { AuditRepository } from '../privacy';
import { type CliContext, COMMAND_LINE, withCli } from './cli-context';
import { RefusedInputError } from './failures';
import { type Result, printable, printableLine, timeText } from './output';

interface ReadVacancy {
  readonly draft: VacancyDraft;
  readonly documents: readonly VacancyDocument[];
}

/** Imports all files with their documents, or none of them when one is wrong. */
export async function importVacancies(files: readonly string[]): Promise<Result> {
  const read = await readAll(files);
  return withCli((cli) =>
    cli.commit('vacancy.import', async (tx) => {
      const links = await cli.get(InvitationLinks).of(tx);
      const lines: string[] = [];
      const imported = [];
      for (const { draft, documents } of read) {
        const before = await cli.get(VacancyRepository).lockBySlug(tx, draft.slug);
        if (before !== null) await keepVersion(cli, tx, before, null);
        const { vacancy, outcome } = await cli.get(VacancyRepository).upsert(tx, draft);
        const stored = await cli.get(KnowledgeRepository).replace(tx, vacancy.id, documents);
        await keepVersion(cli, tx, vacancy, COMMAND_LINE);
        const openLink = links.webLink(vacancy.openToken);
        imported.push({ outcome, ...summaryOf(vacancy), openLink, documents: stored });
        lines.push(`${outcome} ${vacancy.slug}: ${headingOf(vacancy)}`, `  open link  ${openLink}`);
        if (vacancy.closedAt !== null) lines.push(`  ${sinceOf(vacancy.closedAt)}`);
        lines.push(...documentLines(stored));
      }
      return { document: { vacancies: imported }, lines };
    }),
  );
}

/** `by` null: of before versions were kept. */
async function keepVersion(
  cli: CliContext,
  tx: Tx,
  vacancy: Vacancy,
  by: string | null,
): Promise<void> {
  const { version, yaml } = await fileOf(cli, tx, vacancy);
  await cli.get(VacancyVersionRepository).keep(tx, vacancy.id, { version, yaml, by });
}

async function fileOf(cli: CliContext, tx: Tx, vacancy: Vacancy): Promise<StoredFile> {
  return storedFile(vacancy, await cli.get(KnowledgeRepository).listNamesInFile(tx, vacancy.id));
}

async function readAll(files: readonly string[]): Promise<ReadVacancy[]> {
  const results = await Promise.allSettled(files.map(readOne));
  const read = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const problems = results.flatMap((one) =>
    one.status === 'rejected' ? [problemOf(one.reason)] : [],
  );
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
  const folder = path.dirname(file);
  return { draft, documents: await readDocuments(folder, draft.knowledge ?? [], draft.language) };
}

function problemOf(error: unknown): string {
  const isExpected =
    error instanceof VacancyFileError ||
    error instanceof VacancyFileUnreadableError ||
    error instanceof DocumentFileError;
  if (isExpected) return error.message;
  throw error;
}

/** No line for a vacancy that has no documents and had none. */
function documentLines({ stored, unchanged, removed, passages }: DocumentsOutcome): string[] {
  const counts = Object.entries({ stored, unchanged, removed }).filter(([, count]) => count > 0);
  if (counts.length === 0) return [];
  const text = counts.map(([what, count]) => `${String(count)} ${what}`).join(', ');
  return [`  documents  ${text}; ${String(passages)} passages`];
}

/** Lists every vacancy with its open link. */
export function listVacancies(): Promise<Result> {
  return withCli((cli) =>
    cli.commit('vacancy.list', async (tx) => {
      const links = await cli.get(InvitationLinks).of(tx);
      const vacancies = await cli.get(VacancyRepository).list(tx);
      const listed = vacancies.map((vacancy) => ({
        ...summaryOf(vacancy),
        openLink: links.webLink(vacancy.openToken),
      }));
      const lines = vacancies.map((vacancy) => {
        const since = vacancy.closedAt === null ? '' : `, ${sinceOf(vacancy.closedAt)}`;
        return `${vacancy.slug}  ${headingOf(vacancy)}${since}`;
      });
      return {
        document: { vacancies: listed },
        lines: lines.length === 0 ? ['There are no vacancies yet.'] : lines,
      };
    }),
  );
}

/** Shows one vacancy: its plan, its documents and its open link. */
export function showVacancy(slug: string): Promise<Result> {
  return withCli((cli) =>
    cli.commit('vacancy.show', async (tx) => {
      const vacancy = await cli.get(VacancyRepository).getBySlug(tx, slug);
      const documents = await cli.get(KnowledgeRepository).list(tx, vacancy.id);
      const openLink = (await cli.get(InvitationLinks).of(tx)).webLink(vacancy.openToken);
      const { owner, language, plan, brand } = vacancy;
      return {
        document: { ...summaryOf(vacancy), openLink, owner, brand, ...plan, documents },
        lines: [
          headingOf(vacancy),
          ...(vacancy.closedAt === null ? [] : [`  ${sinceOf(vacancy.closedAt)}`]),
          `  language   ${language}`,
          `  owner      ${printableLine(owner.name)}`,
          ...pageLines(vacancy),
          `  open link  ${openLink}`,
          ...documents.map(
            ({ name, passages }) => `  document   ${name}, ${String(passages)} passages`,
          ),
          ...plan.questions.map(
            ({ id, kind, text }) =>
              `  question   ${id}${kind === 'knockout' ? ' (knockout)' : ''}: ${printableLine(text)}`,
          ),
        ],
      };
    }),
  );
}

/** No new interview begins in a closed vacancy; those that have begun go on. */
export function closeVacancy(slug: string, isClosed: boolean): Promise<Result> {
  return withCli((cli) =>
    cli.commit('vacancy.close', async (tx) => {
      const { vacancy, hasChanged } = await cli
        .get(VacancyRepository)
        .setClosed(tx, slug, isClosed);
      const action = isClosed ? 'vacancy.close' : 'vacancy.reopen';
      const audited = { actor: COMMAND_LINE, action, subjectId: vacancy.id } as const;
      if (hasChanged) await cli.get(AuditRepository).note(tx, audited);
      return {
        document: { ...summaryOf(vacancy), hasChanged },
        lines: [headingOf(vacancy), ...closingLines(vacancy, hasChanged)],
      };
    }),
  );
}

function closingLines({ slug, closedAt }: Vacancy, hasChanged: boolean): string[] {
  if (closedAt === null) {
    const opened = hasChanged ? 'Open again' : 'It was not closed';
    return [`${opened}: its links and invitations begin interviews.`];
  }
  return [
    hasChanged
      ? 'Closed: no new interview begins.'
      : `Closed already, since ${timeText(closedAt)}.`,
    'Whoever has agreed before goes on. To open it again:',
    `  ${COMMAND} vacancy reopen ${slug}`,
  ];
}

/** A vacancy as the YAML file that imports to the same vacancy. */
export function exportVacancy(slug: string): Promise<Result> {
  return withCli((cli) =>
    cli.commit('vacancy.export', async (tx) => {
      const vacancy = await cli.get(VacancyRepository).getBySlug(tx, slug);
      const { yaml } = await fileOf(cli, tx, vacancy);
      // A file keeps every character; a terminal must not be controlled by them.
      const shown = process.stdout.isTTY ? printable(yaml) : yaml;
      return { document: { slug, yaml }, lines: [shown.trimEnd()] };
    }),
  );
}

/** What candidates are told and shown. */
function pageLines({ plan, brand }: Vacancy): string[] {
  const { replyWithinDays: days } = plan;
  const { logo, accent } = brand;
  return [
    `  duration   about ${String(minutesOf(plan))} minutes`,
    ...(days === undefined ? [] : [`  reply      within ${String(days)} business days`]),
    ...(logo === undefined ? [] : [`  logo       ${printableLine(logo.name)}`]),
    ...(accent === undefined ? [] : [`  accent     ${accent.light}, dark ${accent.dark}`]),
  ];
}

function summaryOf({ slug, title, company, language, plan, closedAt }: Vacancy) {
  return { slug, title, company, language, questions: plan.questions.length, closedAt };
}

function sinceOf(closedAt: Date): string {
  return `closed since ${timeText(closedAt)}`;
}

function headingOf({ title, company, plan }: Vacancy): string {
  return printableLine(`${title}, ${company}, ${String(plan.questions.length)} questions`);
}
