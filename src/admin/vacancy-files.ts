import { Injectable } from '@nestjs/common';
import { type PlacedProblem, ProblemError } from '../common/http';
import type { Tx } from '../common/uow';
import { KnowledgeRepository } from '../knowledge';
import {
  type StoredFile,
  type Vacancy,
  type VacancyDraft,
  VacancyFileError,
  type VacancyProblem,
  VacancyRepository,
  VacancyVersionRepository,
  parseVacancyText,
  storedFile,
} from '../vacancies';

/** A vacancy's file as a program sent it: checked, and nothing of it stored. */
interface ReadFile {
  readonly draft: VacancyDraft;
  /** The line of a key, for problems that only the stored vacancy shows. */
  readonly lineAt: (path: readonly PropertyKey[]) => number;
}

/**
 * Reads the bytes of a vacancy's file, YAML or JSON, by exactly the checks of the import. Throws ProblemError
 * with everything that is wrong.
 */
export function readFile(bytes: Buffer | undefined, type: string): ReadFile {
  const source = textOf(bytes ?? Buffer.alloc(0));
  if (isJson(type)) assertJson(source);
  try {
    return parseVacancyText(source, 'vacancy');
  } catch (error) {
    if (!(error instanceof VacancyFileError)) throw error;
    throw refused(error.problems);
  }
}

function isJson(type: string): boolean {
  return /^application\/json\b/i.test(type);
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refused([{ line: 1, path: '', reason: 'expected UTF-8 text' }]);
  }
}

/** YAML that is called JSON is a mistake of the client, which a parser of YAML would hide. */
function assertJson(source: string): void {
  try {
    JSON.parse(source);
  } catch {
    throw new ProblemError(400, 'malformed_json', 'The body is not JSON.');
  }
}

function refused(problems: readonly VacancyProblem[]): ProblemError {
  const count = problems.length === 1 ? 'a mistake' : `${String(problems.length)} mistakes`;
  const placed = problems.map(({ line, path, reason }): PlacedProblem => {
    return { pointer: pointerOf(path), line, reason };
  });
  const options = { problems: placed };
  return new ProblemError(422, 'vacancy_file_invalid', `The vacancy has ${count}.`, options);
}

/** `questions[3].text` as `/questions/3/text`. */
function pointerOf(path: string): string {
  if (path === '') return '';
  const keys = path.replace(/\[(\d+)\]/g, '.$1').split('.');
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Vacancies as files that programs read, change and send back. */
@Injectable()
export class VacancyFiles {
  constructor(
    private readonly vacancies: VacancyRepository,
    private readonly knowledge: KnowledgeRepository,
    private readonly versions: VacancyVersionRepository,
  ) {}

  async of(tx: Tx, vacancy: Vacancy): Promise<StoredFile> {
    return storedFile(vacancy, await this.knowledge.listNamesInFile(tx, vacancy.id));
  }

  /**
   * Runs what changes the file of the vacancy, which the caller has locked, and keeps the version that it makes. `by`:
   * as the audit names them. The version before is kept too, where none was so far: of an example, or of before
   * versions were kept.
   */
  async change<T>(
    tx: Tx,
    of: { readonly vacancy: Vacancy; readonly by: string },
    run: () => Promise<T>,
  ): Promise<T> {
    const { vacancy, by } = of;
    await this.keep(tx, vacancy, null);
    const result = await run();
    await this.keep(tx, await this.vacancies.getBySlug(tx, vacancy.slug), by);
    return result;
  }

  /** Keeps the file of the vacancy, which the caller has locked or made, as a version. */
  async keep(tx: Tx, vacancy: Vacancy, by: string | null): Promise<void> {
    const { version, yaml } = await this.of(tx, vacancy);
    await this.versions.keep(tx, vacancy.id, { version, yaml, by });
  }

  /** Throws ProblemError when a vacancy has the slug. */
  async create(tx: Tx, read: ReadFile): Promise<Vacancy> {
    const { slug } = read.draft;
    if ((await this.vacancies.lockBySlug(tx, slug)) !== null) throw slugTaken();
    const missing = (read.draft.knowledge ?? []).map((name, n) => notUploaded(read, name, n));
    if (read.draft.logo !== undefined) missing.push(logoMissing(read));
    if (missing.length > 0) throw refused(missing);
    const { vacancy, outcome } = await this.vacancies.upsert(tx, read.draft);
    if (outcome !== 'created') throw slugTaken();
    return vacancy;
  }

  /**
   * Replaces the vacancy, which the caller has locked. Its logo and documents stay where the file names them. Throws
   * ProblemError when it names others.
   */
  async replace(tx: Tx, before: Vacancy, read: ReadFile): Promise<Vacancy> {
    const { draft } = read;
    const logo = await this.vacancies.logoOf(tx, before);
    const keepsLogo = logo !== null && logo.name === draft.logo;
    const names = draft.knowledge ?? [];
    const missing = await this.knowledge.keepOnly(tx, before.id, names);
    const problems = missing.map((name) => notUploaded(read, name, names.indexOf(name)));
    if (draft.logo !== undefined && !keepsLogo) problems.push(logoMissing(read));
    if (problems.length > 0) throw refused(problems);
    await this.vacancies.upsert(tx, { ...draft, ...(keepsLogo ? { logoFile: logo } : {}) });
    return this.vacancies.getBySlug(tx, before.slug);
  }
}

function slugTaken(): ProblemError {
  return new ProblemError(409, 'vacancy_exists', 'A vacancy has this slug.');
}

function notUploaded({ lineAt }: ReadFile, name: string, n: number): VacancyProblem {
  const reason = `${name}: no document of the vacancy has this name; upload it first`;
  return { line: lineAt(['knowledge', n]), path: `knowledge[${String(n)}]`, reason };
}

function logoMissing({ lineAt, draft }: ReadFile): VacancyProblem {
  const reason = `${draft.logo ?? ''}: not the logo of the vacancy; upload it first`;
  return { line: lineAt(['logo']), path: 'logo', reason };
}
