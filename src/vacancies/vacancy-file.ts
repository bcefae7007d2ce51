import { type FileHandle, open } from 'node:fs/promises';
import { LineCounter, type Document, isMap, isNode, isPair, parseDocument } from 'yaml';
import type { z } from 'zod';
import { VacancyFileError, VacancyFileUnreadableError, type VacancyProblem } from './errors';
import type { VacancyDraft } from './plan';
import { draftOf, vacancySchema } from './vacancy-schema';

/**
 * A vacancy written as YAML. It never stores anything: it answers a draft that is whole and right,
 * or throws one error with every problem and its line.
 */
const MAX_FILE_BYTES = 256 * 1024;

type Path = readonly PropertyKey[];

/** Throws VacancyFileUnreadableError, VacancyFileError. */
export async function readVacancyFile(file: string): Promise<VacancyDraft> {
  return parseVacancy(await readText(file), file);
}

/** Throws VacancyFileError; `file` only names the source in it. */
export function parseVacancy(source: string, file: string): VacancyDraft {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
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
  return draftOf(read.data);
}

/** An alias that multiplies itself is the one thing that is found only when values are made. */
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
    return { line: lineAt(path), path: pathText(path), reason: 'is not a known key' };
  });
}

/** Found beside the schema, which stops at the first level that is wrong. */
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

/** Where the key of `path` stands, or, when it is missing, whatever it is missing from. */
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
  return typeof value === 'string' ? value : undefined;
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
  if (bytes.length > MAX_FILE_BYTES) {
    throw new VacancyFileUnreadableError(`${file}: expected at most 256 kB`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new VacancyFileUnreadableError(`${file}: expected UTF-8 text`, { cause });
  }
}

/** At most one byte more than allowed, so that a huge file costs nothing. */
async function readBytes(file: string): Promise<Buffer> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, 'r');
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
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
