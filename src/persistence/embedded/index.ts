export { findRunningEmbeddedPostgres } from './running';
export {
  launchEmbeddedPostgres,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from './start-embedded-postgres';
