export type { IdentifiedBy, MetadataUpdates } from './conversation-metadata';
export { MetadataService, type MetadataUpdater } from './conversation-metadata-store';
export { InvalidMetadataError } from './errors';
