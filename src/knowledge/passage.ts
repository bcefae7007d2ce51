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

/** How the passages were found, before reranking. */
export type FirstOrder = 'vectors' | 'full_text';

export interface SearchResult {
  /** At most five, best first. Empty: no passage covers the question, so a person has to reply. */
  readonly passages: readonly Passage[];
  /**
   * How they are ordered. `reranked`: the model chose. `asked_for`: it failed after it had read
   * some, which come first. Otherwise the search's own order.
   */
  readonly order: 'reranked' | 'asked_for' | FirstOrder;
}

/** The most passages of a search result. */
export const MAX_RESULTS = 5;
/** Columns of knowledge_passage `p` and knowledge_document `d`. */
export const PASSAGE_COLUMNS = 'p.id, d.name as document, p.language, p.headings, p.text';
