export { EmbeddedPostgresError, EmbeddedPostgresInUseError } from './errors';
export { findRunningEmbeddedPostgres } from './running';
export {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './start-embedded-postgres';
