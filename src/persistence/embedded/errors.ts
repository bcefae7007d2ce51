import { ColloquyError } from '../../common/errors';

/** Another Colloquy runs on the same data folder: stop it, or use a database server. */
export class EmbeddedPostgresInUseError extends ColloquyError {
  readonly code = 'EMBEDDED_POSTGRES_IN_USE';
  readonly retryable = false;

  constructor(dataDir: string) {
    super(
      `Another Colloquy is using the embedded PostgreSQL in ${dataDir}: stop it, or set DATABASE_URL to a PostgreSQL server.`,
      { fields: { dataDir } },
    );
  }
}

/** The embedded PostgreSQL cannot run here; the message says why in words for an operator. */
export class EmbeddedPostgresError extends ColloquyError {
  readonly code = 'EMBEDDED_POSTGRES_UNAVAILABLE';
  readonly retryable = false;

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(
      `The embedded PostgreSQL cannot run: ${reason}. Setting DATABASE_URL to a PostgreSQL server avoids it.`,
      options,
    );
  }
}
