import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { UnitOfWorkMetrics, sqlStateOf } from '../../src/common/uow';

const LOCK_NOT_AVAILABLE = '55P03';

/** What an application committed since it was last asked. */
export interface Commits {
  /** By label, how long each took, in ms. */
  durations: Record<string, number[]>;
  rolledBack: number;
  lockWaitsGivenUp: number;
  /** How long each waited for its connection, in ms. */
  poolWaits: number[];
}

const none = (): Commits => ({ durations: {}, rolledBack: 0, lockWaitsGivenUp: 0, poolWaits: [] });

/** Hears each commit's exact times beside the metrics, which keep only buckets of them. */
export function logCommits(app: NestFastifyApplication): () => Commits {
  const metrics = app.get(UnitOfWorkMetrics);
  let log = none();
  hear(metrics, 'connected', (waitMs) => log.poolWaits.push(waitMs));
  hear(metrics, 'committed', (label, ms) => (log.durations[label] ??= []).push(ms));
  hear(metrics, 'rolledBack', () => (log.rolledBack += 1));
  hear(metrics, 'tryFailed', (_label, error) => {
    if (sqlStateOf(error) === LOCK_NOT_AVAILABLE) log.lockWaitsGivenUp += 1;
  });
  return () => {
    const told = log;
    log = none();
    return told;
  };
}

type Heard = 'connected' | 'committed' | 'rolledBack' | 'tryFailed';

function hear<Name extends Heard>(
  metrics: UnitOfWorkMetrics,
  name: Name,
  listener: (...args: Parameters<UnitOfWorkMetrics[Name]>) => unknown,
): void {
  const told = metrics[name].bind(metrics) as (
    ...args: Parameters<UnitOfWorkMetrics[Name]>
  ) => void;
  const both = (...args: Parameters<UnitOfWorkMetrics[Name]>): void => {
    listener(...args);
    told(...args);
  };
  Object.assign(metrics, { [name]: both });
}
