export { Reranker } from './reranker';
