export { ByVector } from './by-vector';
export { FullTextRepository } from './full-text';
export { KnowledgeSearch } from './knowledge-search';
export type { Passage } from './passage';
