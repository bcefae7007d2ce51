export { ByVector } from './by-vector';
export { FullText } from './full-text';
export { KnowledgeSearch } from './knowledge-search';
export type { Passage } from './passage';
