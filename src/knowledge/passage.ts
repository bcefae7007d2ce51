import type { KnowledgeLanguage } from './document-files';

/** A piece of a vacancy's documents, with its place in them. */
export interface Passage {
  readonly id: string;
  /** The document's name: its path from the vacancy's folder. */
  readonly document: string;
  readonly language: KnowledgeLanguage;
  /** Outermost first; empty before a document's first heading. */
  readonly headings: readonly string[];
  readonly text: string;
}

export function passageOf({ headings, ...row }: PassageRow): Passage {
  return { ...row, headings: headings === '' ? [] : headings.split('\n') };
}

export interface PassageRow {
  readonly id: string;
  readonly document: string;
  readonly language: KnowledgeLanguage;
  readonly headings: string;
  readonly text: string;
}

export interface SearchResult {
  /** At most ten, best first. Empty: nothing has a word of the question. */
  readonly passages: readonly Passage[];
  /** How they were found. */
  readonly order: 'vectors' | 'full_text';
}

/** The most passages of a search result: the interviewer reads all of them in its next request. */
export const MAX_RESULTS = 10;
/** Columns of knowledge_passage `p` and knowledge_document `d`. */
export const PASSAGE_COLUMNS = 'p.id, d.name as document, p.language, p.headings, p.text';
