export { EmbeddedPostgresError, EmbeddedPostgresInUseError } from './errors';
export {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './start-embedded-postgres';
