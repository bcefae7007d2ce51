import type { Passage } from './passage';

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
