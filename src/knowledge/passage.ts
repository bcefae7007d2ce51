import type { KnowledgeLanguage } from './document-files';

/** A piece of a vacancy's documents, with where it stands in them. */
export interface Passage {
  readonly id: string;
  /** The document's name: its path from the vacancy's folder. */
  readonly document: string;
  readonly language: KnowledgeLanguage;
  /** Outermost first; empty before a document's first heading. */
  readonly headings: readonly string[];
  readonly text: string;
}

export interface PassageRow {
  readonly id: string;
  readonly document: string;
  readonly language: KnowledgeLanguage;
  readonly headings: string;
  readonly text: string;
}

/** Of knowledge_passage `p` and knowledge_document `d`. */
export const PASSAGE_COLUMNS = 'p.id, d.name as document, p.language, p.headings, p.text';

export function passageOf({ headings, ...row }: PassageRow): Passage {
  return { ...row, headings: headings === '' ? [] : headings.split('\n') };
}

/** How candidates were found. */
export type FirstOrder = 'vectors' | 'full_text';

export interface SearchResult {
  /** At most five, best first. Empty: nothing answers the question, which is a person's then. */
  readonly passages: readonly Passage[];
  /**
   * Who ordered them. `reranked`: the model chose. `asked_for`: it failed after it had asked to
   * read these, which stand first. Otherwise the search's own order.
   */
  readonly order: 'reranked' | 'asked_for' | FirstOrder;
}

export const MAX_PASSAGES = 5;
