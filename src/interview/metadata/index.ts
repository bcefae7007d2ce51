export type { IdentifiedBy, MetadataUpdates } from './conversation-metadata';
export { ConversationMetadataStore, type MetadataUpdater } from './conversation-metadata-store';
export { InvalidMetadataError } from './errors';
