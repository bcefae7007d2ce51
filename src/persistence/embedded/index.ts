export { findRunningEmbeddedPostgres } from './running';
export { startEmbeddedPostgres, type EmbeddedPostgres } from './start-embedded-postgres';
