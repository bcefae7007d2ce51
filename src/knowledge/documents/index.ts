export { DocumentFileError } from './errors';
export { type DocumentsOutcome, KnowledgeDocuments } from './knowledge-documents';
export { type KnowledgeLanguage, type VacancyDocument, readDocuments } from './vacancy-document';
