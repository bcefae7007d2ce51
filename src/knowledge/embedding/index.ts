export { EmbeddingSweep } from './embedding-sweep';
export { PassageEmbeddings } from './passage-embeddings';
export { cosine, vectorBytes } from './vector';
