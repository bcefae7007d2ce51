export {
  DocumentFileError,
  type DocumentsOutcome,
  KnowledgeRepository,
  type VacancyDocument,
  readDocuments,
} from './documents';
export { KnowledgeModule } from './knowledge.module';
export { ChoosingModel, Embedder } from './ports';
export { KnowledgeSearch, type Passage } from './search';
