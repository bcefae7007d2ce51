import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/**
 * The metrics of one application. A name is written without the prefix: this class adds it. Each
 * application has its own registry, so that two applications in one test stay apart.
 */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();

  counter<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return new Counter({
      name: PREFIX + name,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
    });
  }

  /** `collect` sets the value at each scrape. */
  gauge<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    collect?: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L> {
    return new Gauge({
      name: PREFIX + name,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      ...(collect === undefined
        ? {}
        : {
            collect(this: Gauge<L>): void | Promise<void> {
              return collect(this);
            },
          }),
    });
  }

  /** Durations in seconds unless `buckets` says otherwise. */
  histogram<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    buckets: readonly number[] = SECONDS,
  ): Histogram<L> {
    return new Histogram({
      name: PREFIX + name,
      help,
      labelNames: [...labelNames],
      buckets: [...buckets],
      registers: [this.registry],
    });
  }

  /** Adds Node's own metrics (`process_*`, `nodejs_*`): event loop lag, memory, GC. Once per process. */
  addRuntimeMetrics(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /** All metrics in Prometheus text format, with their content type. */
  async exposition(): Promise<{ contentType: string; body: string }> {
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Prometheus asks for one word of the application before each name; Node's own metrics have theirs. */
const PREFIX = 'colloquy_';

/** Gauges that read the same thing share the reading that runs: one query for each scrape. */
export function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= read().finally(() => {
      running = null;
    });
    return running;
  };
}
