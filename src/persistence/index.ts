export { checkServer } from './server-check';
export { ControlConnection } from './control-connection';
export { createDataSource } from './data-source';
export { countMissingMigrations, migrate } from './migrate';
export { NoticeConnection, type NoticeListener, noticeWithCommit } from './notice-connection';
export {
  AuditRepository,
  type ContentType,
  MetadataRepository,
  type ConversationRow,
  ConversationRepository,
  type ConversationOwner,
  type ConversationStatus,
  type FileLine,
  type MessagePage,
  MessagePageRepository,
  type MessageRow,
  MessageRepository,
  type MetadataRow,
  type PageSize,
} from './repositories';
export { PersistenceModule } from './persistence.module';
export { dumpSchema } from './schema-dump';
