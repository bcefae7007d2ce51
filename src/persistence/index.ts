export { checkServer } from './check-server';
export { ControlConnection } from './control-connection';
export { createDataSource } from './data-source';
export { countMissingMigrations, migrate } from './migrate';
export {
  type ConversationRow,
  Conversations,
  type ConversationStatus,
  type MessageRow,
  Messages,
} from './repositories';
export { PersistenceModule } from './persistence.module';
export { schemaText } from './schema-text';
