import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ModelClient, type ModelChunk } from '../../src/llm';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Milliseconds that processes of one machine agree on. */
export function sharedNowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** A moment as it is written into a reply: a mark, then milliseconds with one decimal. */
const MOMENT = /@(\d+\.\d)/g;

/** The latest moment that a piece of a reply's text tells; undefined: it tells none. */
export function lastMoment(text: string): number | undefined {
  const last = [...text.matchAll(MOMENT)].at(-1);
  return last === undefined ? undefined : Number(last[1]);
}

/**
 * Puts a model into the application whose replies are made of the moments of their writing, so that
 * what is measured is the application and not a model server beside it.
 */
export function useTimedModel(
  app: NestFastifyApplication,
  { deltas, everyMs }: { readonly deltas: number; readonly everyMs: number },
): void {
  async function* stream(_request: unknown, signal: AbortSignal): AsyncGenerator<ModelChunk> {
    yield { type: 'text', text: '{"verdict":"answered","text":"' };
    const startedMs = performance.now();
    for (let n = 0; n < deltas; n += 1) {
      await sleep(startedMs + n * everyMs - performance.now());
      signal.throwIfAborted();
      yield { type: 'text', text: ` @${sharedNowMs().toFixed(1)} ` };
    }
    yield { type: 'text', text: 'end."}' };
  }
  Object.assign(app.get(ModelClient, { strict: false }), { stream });
}
