export { checkServer, inspectServer, type ServerInspection } from './server-check';
export { ControlConnection } from './control-connection';
export { createDataSource } from './data-source';
export { type SchemaState, inspectSchema, migrate, readSchemaState } from './migrate';
export { NoticeConnection, type NoticeListener, noticeWithCommit } from './notice-connection';
export { dumpSchema } from './schema-dump';
