import { ColloquyError } from '../common/errors';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { sha256 } from '../common/ids';
import { type Chunk, chunksOf } from './document-chunks';

/** One problem of a document. */
export interface DocumentProblem {
  readonly file: string;
  /** Null: the file as a whole. */
  readonly line: number | null;
  readonly reason: string;
}

/** The documents of a vacancy cannot be used. The message lists every problem, one a line. */
export class DocumentFileError extends ColloquyError {
  readonly code = 'document_file_invalid';
  readonly retryable = false;

  constructor(readonly problems: readonly DocumentProblem[]) {
    super(problems.map(lineOf).join('\n'), { fields: { problems: problems.length } });
  }
}

function lineOf({ file, line, reason }: DocumentProblem): string {
  return line === null ? `${file}: ${reason}` : `${file}:${String(line)}: ${reason}`;
}

export const MAX_DOCUMENT_BYTES = 128 * 1024;

const NEWLINE = 0x0a;

/**
 * Reads one document of the folder as UTF-8 text, normalized to NFC and line feeds, so that equal
 * words have equal bytes. Throws DocumentFileError.
 */
export async function readDocumentText(folder: string, name: string): Promise<string> {
  const file = path.join(folder, name);
  return textFrom(await readBytes(await placeOf(folder, file), file), file);
}

/** The text of a document, normalized. `file` names it in errors. Throws DocumentFileError. */
function textFrom(bytes: Buffer, file: string): string {
  if (bytes.length > MAX_DOCUMENT_BYTES) {
    throw refusal(file, null, `expected at most ${String(MAX_DOCUMENT_BYTES / 1024)} kB`);
  }
  const text = decode(bytes, file);
  const nul = text.indexOf('\0');
  if (nul !== -1) throw refusal(file, lineAt(text, nul), 'expected text without NUL');
  if (text.trim() === '') throw refusal(file, null, 'expected some text');
  return text.replace(/\r\n?/g, '\n').normalize('NFC');
}

/** The file's real path. A link must not lead out of the folder. */
async function placeOf(folder: string, file: string): Promise<string> {
  try {
    const [root, place] = await Promise.all([realpath(folder), realpath(file)]);
    const inside = path.relative(root, place);
    const isOutside = inside.startsWith('..') || path.isAbsolute(inside);
    if (isOutside) throw refusal(file, null, "expected a file inside the vacancy's folder");
    return place;
  } catch (error) {
    throw error instanceof DocumentFileError ? error : refusal(file, null, reasonOf(error));
  }
}

/** Reads at most one byte more than allowed, also of a huge file. */
async function readBytes(place: string, file: string): Promise<Buffer> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(place, 'r');
    const buffer = Buffer.alloc(MAX_DOCUMENT_BYTES + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw refusal(file, null, reasonOf(error));
  } finally {
    await handle?.close();
  }
}

function decode(bytes: Buffer, file: string): string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    return decoder.decode(bytes);
  } catch {
    throw refusal(file, brokenLine(bytes), 'expected UTF-8 text');
  }
}

/**
 * The first line that is not UTF-8. The byte of a line feed is part of no other UTF-8 character, so
 * lines can be decoded one by one.
 */
function brokenLine(bytes: Buffer): number {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let start = 0;
  for (let line = 1; ; line += 1) {
    const end = bytes.indexOf(NEWLINE, start);
    try {
      decoder.decode(bytes.subarray(start, end === -1 ? bytes.length : end));
    } catch {
      return line;
    }
    if (end === -1) return line;
    start = end + 1;
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function refusal(file: string, line: number | null, reason: string): DocumentFileError {
  return new DocumentFileError([{ file, line, reason }]);
}

function reasonOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EISDIR') return 'is a folder, not a file';
  return 'cannot be read';
}

export type KnowledgeLanguage = 'ru' | 'en';

/** A document as it will be stored. */
export interface VacancyDocument {
  /** Its path from the vacancy's folder. */
  readonly name: string;
  readonly language: KnowledgeLanguage;
  readonly chunks: readonly Chunk[];
  /** Of all fields above: equal hashes mean equal rows. */
  readonly contentHash: string;
}

/** A document that a program sends, by its content. Throws DocumentFileError. */
export function documentFrom(
  bytes: Buffer,
  { name, language }: { readonly name: string; readonly language: KnowledgeLanguage },
): VacancyDocument {
  return documentOf({ name, language, text: textFrom(bytes, name) });
}

/** A bound, because each question is compared with all passages of a vacancy in this process. */
export const MAX_PASSAGES = 1000;
const NAMED_LANGUAGE = /\.(ru|en)\.[a-z]+$/i;

/**
 * Reads a vacancy's documents. `names` are paths from `folder`. A name like `stack.en.md` gives the
 * document's language; otherwise it is the vacancy's. Throws DocumentFileError with every problem.
 */
export async function readDocuments(
  folder: string,
  names: readonly string[],
  language: KnowledgeLanguage,
): Promise<VacancyDocument[]> {
  const results = await Promise.allSettled(
    names.map(async (name) =>
      documentOf({ name, language, text: await readDocumentText(folder, name) }),
    ),
  );
  const problems = results.flatMap((r) => (r.status === 'rejected' ? problemsOf(r.reason) : []));
  const documents = results.flatMap((r) => (r.status === 'fulfilled' ? [r.value] : []));
  const passages = documents.reduce((sum, { chunks }) => sum + chunks.length, 0);
  if (passages > MAX_PASSAGES) problems.push(tooMany(folder, documents, passages));
  if (problems.length > 0) throw new DocumentFileError(problems);
  return documents;
}

/** A document from its text; pure. */
export function documentOf(source: {
  readonly name: string;
  readonly language: KnowledgeLanguage;
  readonly text: string;
}): VacancyDocument {
  const { name, text } = source;
  const named = NAMED_LANGUAGE.exec(name)?.[1]?.toLowerCase();
  const language = named === 'ru' || named === 'en' ? named : source.language;
  const chunks = chunksOf(text, name.toLowerCase().endsWith('.md') ? 'markdown' : 'text');
  return documentOfChunks({ name, language, chunks });
}

export function documentOfChunks(
  of: Pick<VacancyDocument, 'name' | 'language' | 'chunks'>,
): VacancyDocument {
  // Of the chunks, because another way of cutting changes the rows too.
  return { ...of, contentHash: sha256(JSON.stringify([of.language, of.chunks])) };
}

function problemsOf(error: unknown): readonly DocumentProblem[] {
  if (error instanceof DocumentFileError) return error.problems;
  throw error;
}

function tooMany(
  folder: string,
  documents: readonly VacancyDocument[],
  passages: number,
): DocumentProblem {
  const [largest] = [...documents].sort((a, b) => b.chunks.length - a.chunks.length);
  const file = path.join(folder, largest?.name ?? '');
  const reason = `expected documents of at most ${String(MAX_PASSAGES)} passages together, found ${String(passages)}, most of them here`;
  return { file, line: null, reason };
}
