export { AuditEvents } from './audit-events';
export { ConversationMetadataRows, type MetadataRow } from './conversation-metadata-rows';
export {
  type ConversationOwner,
  type ConversationRow,
  Conversations,
  type ConversationStatus,
} from './conversations';
export { type MessagePage, MessagePages, type PageSize } from './message-pages';
export type { ContentType, FileLine, MessageRow } from './message-row';
export { Messages } from './messages';
