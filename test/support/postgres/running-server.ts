/** Carries the server from the global setup to the teardown, which load modules separately. */
import type { EmbeddedPostgres } from '../../../src/persistence/embedded';

interface Running {
  readonly server: EmbeddedPostgres;
  readonly dataDir: string;
}

const holder = globalThis as { colloquyTestServer?: Running };

export function keepRunning(running: Running): void {
  holder.colloquyTestServer = running;
}

export function runningServer(): Running | undefined {
  return holder.colloquyTestServer;
}
