import { createHash } from 'node:crypto';
import path from 'node:path';
import { type Chunk, chunksOf } from './chunks';
import { readDocumentText } from './document-text';
import { DocumentFileError, type DocumentProblem } from './errors';

export type KnowledgeLanguage = 'ru' | 'en';

/** A document as it will be stored. */
export interface VacancyDocument {
  /** Its path from the vacancy's folder: what it is called. */
  readonly name: string;
  readonly language: KnowledgeLanguage;
  readonly chunks: readonly Chunk[];
  /** Of everything above: equal hashes, equal rows. */
  readonly contentHash: string;
}

/** More are compared in the process for each question. */
const MAX_PASSAGES = 1000;
const NAMED_LANGUAGE = /\.(ru|en)\.[a-z]+$/i;

/**
 * Reads a vacancy's documents. `names` are paths from `folder`. A name like `stack.en.md` says the
 * document's language; without it the vacancy's holds. Throws DocumentFileError with every problem.
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
  // Of the chunks, not of the text: another way of cutting is a change too.
  const contentHash = createHash('sha256')
    .update(JSON.stringify([language, chunks]))
    .digest('hex');
  return { name, language, chunks, contentHash };
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
