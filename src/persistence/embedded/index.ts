export {
  findRunningEmbeddedPostgres,
  hasEmbeddedPostgres,
  launchEmbeddedPostgres,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from './embedded-postgres';
export { DiskFullError, diskOutcome } from './disk-space';
export { homesOf } from './place';
