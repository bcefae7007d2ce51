export { findRunningEmbeddedPostgres } from './embedded-postgres';
export {
  launchEmbeddedPostgres,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from './embedded-postgres';
