export { checkServer } from './check-server';
export { ControlConnection } from './control-connection';
export { createDataSource } from './data-source';
export { countMissingMigrations, migrate } from './migrate';
export { NoticeConnection, type NoticeListener, noticeWithCommit } from './notice-connection';
export {
  AuditEvents,
  type ContentType,
  ConversationMetadataRows,
  type ConversationRow,
  Conversations,
  type ConversationOwner,
  type ConversationStatus,
  type FileLine,
  type MessagePage,
  MessagePages,
  type MessageRow,
  Messages,
  type MetadataRow,
  type PageSize,
} from './repositories';
export { PersistenceModule } from './persistence.module';
export { schemaText } from './schema-text';
