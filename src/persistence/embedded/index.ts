export {
  findRunningEmbeddedPostgres,
  hasEmbeddedPostgres,
  launchEmbeddedPostgres,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from './embedded-postgres';
export { homesOf } from './place';
