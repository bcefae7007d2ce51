export { DocumentFileError } from './errors';
export { type DocumentsOutcome, KnowledgeRepository } from './knowledge-documents';
export { type KnowledgeLanguage, type VacancyDocument, readDocuments } from './vacancy-document';
