import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { UnitOfWorkMetrics, sqlStateOf } from '../../src/common/uow';

const LOCK_NOT_AVAILABLE = '55P03';

/** What an application committed since the last call. */
export interface Commits {
  /** By label, how long each took, in ms. */
  durations: Record<string, number[]>;
  rolledBack: number;
  lockWaitsGivenUp: number;
  /** How long each waited for its connection, in ms. */
  poolWaits: number[];
}

const none = (): Commits => ({ durations: {}, rolledBack: 0, lockWaitsGivenUp: 0, poolWaits: [] });

/** Records the exact times of each commit; the metrics store only histograms of them. */
export function logCommits(app: NestFastifyApplication): () => Commits {
  const metrics = app.get(UnitOfWorkMetrics);
  let log = none();
  listen(metrics, 'connected', (waitMs) => log.poolWaits.push(waitMs));
  listen(metrics, 'committed', (label, ms) => (log.durations[label] ??= []).push(ms));
  listen(metrics, 'rolledBack', () => (log.rolledBack += 1));
  listen(metrics, 'tryFailed', (_label, error) => {
    if (sqlStateOf(error) === LOCK_NOT_AVAILABLE) log.lockWaitsGivenUp += 1;
  });
  return () => {
    const taken = log;
    log = none();
    return taken;
  };
}

type Observed = 'connected' | 'committed' | 'rolledBack' | 'tryFailed';

function listen<Name extends Observed>(
  metrics: UnitOfWorkMetrics,
  name: Name,
  listener: (...args: Parameters<UnitOfWorkMetrics[Name]>) => unknown,
): void {
  const original = metrics[name].bind(metrics) as (
    ...args: Parameters<UnitOfWorkMetrics[Name]>
  ) => void;
  const both = (...args: Parameters<UnitOfWorkMetrics[Name]>): void => {
    listener(...args);
    original(...args);
  };
  Object.assign(metrics, { [name]: both });
}
