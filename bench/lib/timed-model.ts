import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ModelClient, type ModelChunk } from '../../src/llm';
import { momentText } from './moments';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Replaces the application's model client: the text of each piece is the time at which it was due. So
 * the bench measures the application alone, without a model server.
 */
export function useTimedModel(
  app: NestFastifyApplication,
  { deltas, everyMs }: { readonly deltas: number; readonly everyMs: number },
): void {
  async function* stream(_request: unknown, signal: AbortSignal): AsyncGenerator<ModelChunk> {
    yield { type: 'text', text: '{"verdict":"answered","text":"' };
    const startedMs = performance.now();
    for (let n = 0; n < deltas; n += 1) {
      const dueMs = startedMs + n * everyMs;
      await sleep(dueMs - performance.now());
      signal.throwIfAborted();
      yield { type: 'text', text: momentText(dueMs) };
    }
    yield { type: 'text', text: 'end."}' };
  }
  Object.assign(app.get(ModelClient, { strict: false }), { stream });
}
