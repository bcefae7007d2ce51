export { checkServer } from './server-check';
export { ControlConnection } from './control-connection';
export { createDataSource } from './data-source';
export { countMissingMigrations, migrate } from './migrate';
export { NoticeConnection, type NoticeListener, noticeWithCommit } from './notice-connection';
export { dumpSchema } from './schema-dump';
