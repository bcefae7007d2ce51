export { AuditRepository } from './audit-events';
export { MetadataRepository, type MetadataRow } from './conversation-metadata-rows';
export {
  type ConversationOwner,
  type ConversationRow,
  ConversationRepository,
  type ConversationStatus,
} from './conversations';
export { type MessagePage, MessagePageRepository, type PageSize } from './message-pages';
export type { ContentType, FileLine, MessageRow } from './message-row';
export { MessageRepository } from './messages';
