import type { z } from 'zod';
import { readLogo } from './brand';
import {
  type Language,
  type Question,
  type Translations,
  type Vacancy,
  type VacancyDraft,
  VacancyFileError,
  VacancyFileUnreadableError,
  type VacancyProblem,
} from './vacancy';
import { sha256 } from '../common/ids';
import { UNKNOWN_KEY, draftOf, vacancySchema } from './vacancy-schema';
import { yamlExcess } from './yaml-bounds';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { LineCounter, type Document, isMap, isNode, isPair, parseDocument, stringify } from 'yaml';

/**
 * A vacancy written as YAML: read, checked, and returned as a complete draft. Nothing is stored. All
 * problems are thrown in one error, each with its line.
 */

export const MAX_VACANCY_BYTES = 256 * 1024;

type Path = readonly PropertyKey[];

/** Reads the file and the logo that it names. Throws VacancyFileUnreadableError, VacancyFileError. */
export async function readVacancyFile(file: string): Promise<VacancyDraft> {
  const { draft, lineAt } = parseVacancyText(await readText(file), file);
  if (draft.logo === undefined) return draft;
  const logoFile = await readLogo(path.dirname(file), draft.logo);
  if (typeof logoFile !== 'string') return { ...draft, logoFile };
  const problem = { line: lineAt(['logo']), path: 'logo', reason: `${draft.logo}: ${logoFile}` };
  throw new VacancyFileError(file, [problem]);
}

/**
 * Reads no other file. `file` is only the name of the source in the messages. Throws
 * VacancyFileError.
 */
export function parseVacancy(source: string, file: string): VacancyDraft {
  return parseVacancyText(source, file).draft;
}

interface ParsedVacancy {
  readonly draft: VacancyDraft;
  /** The line of the key at this path, or of its nearest parent that is there. */
  readonly lineAt: (path: Path) => number;
}

/** As `parseVacancy`, with the lines of what was read. JSON is read as the YAML that it is. */
export function parseVacancyText(source: string, file: string): ParsedVacancy {
  assertBounded(source, file);
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, stringKeys: true } as const;
  const document = parseDocument(source, options);
  if (document.errors.length > 0) {
    throw new VacancyFileError(
      file,
      document.errors.map(({ pos, message }) => ({
        line: lines.linePos(pos[0]).line,
        path: '',
        reason: firstLine(message),
      })),
    );
  }
  const raw: unknown = valueOf(document, file);
  const read = vacancySchema.safeParse(raw);
  const lineAt = (path: Path): number => lines.linePos(offsetOf(document, path)).line;
  const problems = [
    ...(read.success ? [] : read.error.issues.flatMap((issue) => problemsOf(issue, lineAt))),
    ...repeatedIds(raw, lineAt),
  ];
  if (!read.success || problems.length > 0) {
    throw new VacancyFileError(
      file,
      problems.sort((a, b) => a.line - b.line),
    );
  }
  return { draft: draftOf(read.data), lineAt };
}

/** Throws VacancyFileError. */
function assertBounded(source: string, file: string): void {
  const excess = yamlExcess(source);
  if (excess === null) return;
  const line = source.slice(0, excess.offset).split('\n').length;
  throw new VacancyFileError(file, [{ line, path: '', reason: excess.reason }]);
}

/** A vacancy as a file that `parseVacancy` reads to the same draft. */
export function vacancyYaml(draft: VacancyDraft): string {
  return stringify(vacancyAsFile(draft), {
    lineWidth: 100,
    blockQuote: 'literal',
    keepUndefined: false,
  });
}

/** A stored vacancy as its file. */
export interface StoredFile {
  /** Changes whenever the file does, or the content of its logo. */
  readonly version: string;
  readonly json: object;
  readonly yaml: string;
}

/** `documents`: the names of what the room `knowledge` has stored of it. */
export function storedFile(vacancy: Vacancy, documents: readonly string[]): StoredFile {
  const { brand, ...described } = vacancy;
  const draft = {
    ...described,
    ...(brand.accent === undefined ? {} : { accent: brand.accent }),
    ...(brand.logo === undefined ? {} : { logo: brand.logo.name }),
    knowledge: documents,
  };
  const yaml = vacancyYaml(draft);
  const version = sha256(`${brand.logo?.hash ?? ''}\n${yaml}`).slice(0, 32);
  return { version, json: vacancyAsFile(draft), yaml };
}

/** What `vacancyYaml` writes, as a value: `JSON.stringify` of it is such a file too. */
export function vacancyAsFile({ plan, knowledge = [], ...vacancy }: VacancyDraft): object {
  const { slug, language, title, company, owner, logo, accent, notices } = vacancy;
  const {
    questions,
    translations,
    replyWithinDays: days,
    minutes,
    reminders,
    timeZone,
    receipt,
  } = plan;
  const replyWithin =
    days === undefined ? undefined : `${String(days)} business day${days === 1 ? '' : 's'}`;
  const documents = knowledge.length === 0 ? undefined : [...knowledge];
  const rules = { minutes, replyWithin, reminders, timeZone, receipt, notices };
  const head = { slug, language, title, company, logo, accent, owner, ...rules };
  return {
    ...head,
    greeting: fileText(plan.greeting, translations?.greeting, language),
    closing: fileText(plan.closing, translations?.closing, language),
    knowledge: documents,
    questions: questions.map((question) => fileQuestion(question, language)),
  };
}

/** A question as a file has it: translations beside its text, criteria in place of their text. */
function fileQuestion(question: Question, language: Language): object {
  const { text, translations, criteria, isScored, rubric, ...rest } = question;
  const scored = isScored === false ? { scored: false } : {};
  const texts = fileText(text, translations, language);
  return { ...rest, text: texts, rubric: criteria ?? rubric, ...scored };
}

/** A text as a file has it: alone, or beside its translations. */
function fileText(
  text: string,
  translations: Translations | undefined,
  language: Language,
): string | object {
  return translations === undefined ? text : { [language]: text, ...translations };
}

/** Only expanding the aliases shows an alias bomb; the parser has found every other error. */
function valueOf(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 50 });
  } catch (error) {
    const reason = error instanceof Error ? firstLine(error.message) : 'cannot be read as YAML';
    throw new VacancyFileError(file, [{ line: 1, path: '', reason }]);
  }
}

function problemsOf(issue: z.core.$ZodIssue, lineAt: (path: Path) => number): VacancyProblem[] {
  if (issue.code !== 'unrecognized_keys') {
    const path = issue.path;
    return [{ line: lineAt(path), path: pathText(path), reason: issue.message }];
  }
  return issue.keys.map((key) => {
    const path = [...issue.path, key];
    return { line: lineAt(path), path: pathText(path), reason: UNKNOWN_KEY };
  });
}

/** Checked apart from the schema, which stops at the first level that is wrong. */
function repeatedIds(raw: unknown, lineAt: (path: Path) => number): VacancyProblem[] {
  const questions = at(raw, 'questions');
  if (!Array.isArray(questions)) return [];
  const ids = questions.map((question: unknown) => at(question, 'id'));
  return ids.flatMap((id, index) => {
    if (typeof id !== 'string' || ids.indexOf(id) === index) return [];
    const path = ['questions', index, 'id'];
    const reason = `expected an id of its own; questions[${String(ids.indexOf(id))}] has it`;
    return [{ line: lineAt(path), path: pathText(path), reason }];
  });
}

function at(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** The offset of the key at `path`, or of its nearest existing parent when the key is missing. */
function offsetOf(document: Document, path: Path): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent: unknown = document.getIn(path.slice(0, length - 1), true);
    const key = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isPair(item) && keyText(item.key) === key);
      if (pair !== undefined && isNode(pair.key)) return pair.key.range?.[0] ?? 0;
      continue;
    }
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

function keyText(key: unknown): string | undefined {
  const value: unknown = isNode(key) ? key.toJSON() : key;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function pathText(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${String(key)}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}

async function readText(file: string): Promise<string> {
  const bytes = await readBytes(file);
  if (bytes.length > MAX_VACANCY_BYTES) {
    throw new VacancyFileUnreadableError(
      `${file}: expected at most ${String(MAX_VACANCY_BYTES / 1024)} kB`,
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new VacancyFileUnreadableError(`${file}: expected UTF-8 text`, { cause });
  }
}

/** Reads at most one byte more than allowed, so that a huge file is not read. */
async function readBytes(file: string): Promise<Buffer> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, 'r');
    const buffer = Buffer.alloc(MAX_VACANCY_BYTES + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.subarray(0, bytesRead);
  } catch (cause) {
    throw new VacancyFileUnreadableError(`${file}: ${reasonOf(cause)}`, { cause });
  } finally {
    await handle?.close();
  }
}

function reasonOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'is a folder, not a file';
  return 'cannot be read';
}
