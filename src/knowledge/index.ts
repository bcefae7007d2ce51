export {
  DocumentFileError,
  documentFrom,
  MAX_DOCUMENT_BYTES,
  MAX_PASSAGES,
  type VacancyDocument,
  readDocuments,
} from './document-files';
export { answerDocumentName, withAnswer } from './answer-document';
export { FullTextRepository } from './full-text.repository';
export { type DocumentsOutcome, KnowledgeRepository } from './knowledge.repository';
export { KnowledgeModule } from './knowledge.module';
export { Embedder } from './models';
export { type KnowledgeQuestion, KnowledgeSearch } from './knowledge-search.service';
export { type Passage } from './passage';

declare module '../common/uow' {
  interface LabelAreas {
    knowledge: 'knowledge';
  }
}
