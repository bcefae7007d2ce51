import { z } from 'zod';
import { isStorable } from '../common/text';
import {
  type VacancyDraft,
  VacancyFileError,
  VacancyFileUnreadableError,
  type VacancyProblem,
} from './vacancy';
import { type FileHandle, open } from 'node:fs/promises';
import { LineCounter, type Document, isMap, isNode, isPair, parseDocument, stringify } from 'yaml';

/**
 * A vacancy written as YAML: read, checked, and returned as a complete draft. Nothing is stored. All
 * problems are thrown in one error, each with its line. A message says what was expected; it is shown
 * after the key's path: `questions[3].text: expected 1 to 600 characters`.
 */

function text(max: number) {
  const expected = `expected 1 to ${String(max)} characters`;
  return z
    .string({ error: missingOr('expected text') })
    .trim()
    .min(1, expected)
    .max(max, expected)
    .refine(isStorable, 'expected text without NUL or broken characters');
}

function missingOr(expected: string): (issue: { input?: unknown }) => string {
  return ({ input }) => (input === undefined ? 'is missing' : expected);
}

function pattern(expression: RegExp, expected: string) {
  return z.string({ error: missingOr(expected) }).regex(expression, expected);
}

const NAME_PARTS = /^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const TRUE_OR_FALSE = 'expected true or false';
const A_MAPPING = missingOr('expected a mapping of keys to values');

const question = z
  .strictObject(
    {
      id: pattern(NAME_PARTS, 'expected 1 to 64 of a-z, 0-9 and single hyphens'),
      text: text(600),
      kind: z.enum(['open', 'knockout'], { error: 'expected open or knockout' }).default('open'),
      mustAsk: z.boolean({ error: TRUE_OR_FALSE }).default(false),
      rubric: text(2000),
      followUp: text(600).optional(),
    },
    { error: A_MAPPING },
  )
  .refine(({ kind, mustAsk }) => kind !== 'knockout' || mustAsk, {
    path: ['mustAsk'],
    message: 'expected true, because a knockout question is always asked',
  });

const owner = z.strictObject(
  {
    name: text(120),
    notionUserId: pattern(UUID, 'expected the UUID of a Notion user').optional(),
  },
  { error: A_MAPPING },
);

const MAX_DOCUMENTS = 20;
const HOW_MANY_DOCUMENTS = `expected at most ${String(MAX_DOCUMENTS)} documents`;
/** Inside the file's folder: no part may be empty, `.` or `..`. */
const DOCUMENT_PATH = /^(?=.{1,200}$)(?!\/)(?!.*(^|\/)\.{0,2}(\/|$))[^\\:*?"<>|\p{C}]+\.(md|txt)$/u;

const documents = z
  .array(
    pattern(
      DOCUMENT_PATH,
      "expected the path of a .md or .txt file inside this file's folder, like docs/team.en.md",
    ),
    { error: 'expected a list of files' },
  )
  .max(MAX_DOCUMENTS, HOW_MANY_DOCUMENTS)
  .superRefine((names, context) => {
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) === index) continue;
      context.addIssue({ code: 'custom', path: [index], message: 'expected each file once' });
    }
  });

const HOW_MANY = 'expected 1 to 30 questions';

const vacancySchema = z.strictObject(
  {
    slug: pattern(NAME_PARTS, 'expected 1 to 64 of a-z, 0-9 and single hyphens'),
    language: z.enum(['ru', 'en'], { error: missingOr('expected ru or en') }),
    title: text(160),
    company: text(160),
    owner,
    greeting: text(2000),
    closing: text(2000),
    questions: z
      .array(question, { error: missingOr('expected a list of questions') })
      .min(1, HOW_MANY)
      .max(30, HOW_MANY),
    knowledge: documents.optional(),
  },
  { error: A_MAPPING },
);

function draftOf(read: z.infer<typeof vacancySchema>): VacancyDraft {
  const {
    slug,
    language,
    title,
    company,
    owner: of,
    greeting,
    closing,
    questions,
    knowledge,
  } = read;
  return {
    slug,
    language,
    title,
    company,
    owner: {
      name: of.name,
      ...(of.notionUserId === undefined ? {} : { notionUserId: of.notionUserId }),
    },
    plan: {
      greeting,
      closing,
      questions: questions.map(({ followUp, ...rest }) =>
        followUp === undefined ? rest : { ...rest, followUp },
      ),
    },
    ...(knowledge === undefined ? {} : { knowledge }),
  };
}

const MAX_FILE_BYTES = 256 * 1024;

type Path = readonly PropertyKey[];

/** Throws VacancyFileUnreadableError, VacancyFileError. */
export async function readVacancyFile(file: string): Promise<VacancyDraft> {
  return parseVacancy(await readText(file), file);
}

/** Throws VacancyFileError. `file` is only the name of the source in its messages. */
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

/** A vacancy as a file that `parseVacancy` reads to the same draft. */
export function vacancyYaml({ plan, knowledge = [], ...vacancy }: VacancyDraft): string {
  const { slug, language, title, company, owner: of } = vacancy;
  const { greeting, closing, questions } = plan;
  const documents = knowledge.length === 0 ? {} : { knowledge: [...knowledge] };
  return stringify(
    { slug, language, title, company, owner: of, greeting, closing, questions, ...documents },
    { lineWidth: 100, blockQuote: 'literal' },
  );
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

/** Reads at most one byte more than allowed, so that a huge file is not read. */
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
