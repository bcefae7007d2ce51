import type { ServerChunk } from './answer-check';
import { classifyServerError } from './classify';
import { ModelUnavailableError } from './errors';

interface WholeCompletion {
  readonly error?: unknown;
  readonly choices?: readonly {
    readonly message?: { readonly content?: unknown; readonly refusal?: unknown } | null;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: ServerChunk['usage'];
}

/**
 * The events of a response with status 200. That status promises little: OpenRouter answers some
 * errors with it as plain JSON, a server without streaming sends the whole completion, and a wrong
 * address serves a web page. `openai` would read all three as a stream without events.
 */
export async function* chunksOf(opened: {
  readonly data: AsyncIterable<ServerChunk>;
  readonly response: Response;
}): AsyncGenerator<ServerChunk, void> {
  const type = opened.response.headers.get('content-type') ?? '';
  if (type.includes('text/html')) {
    throw new ModelUnavailableError('a web page answers at the address of the model server', {
      mayConcernTaskOnly: true,
    });
  }
  if (!type.includes('json')) {
    yield* opened.data;
    return;
  }
  const body = (await opened.response.json()) as WholeCompletion;
  if (body.error !== undefined) throw classifyServerError({ body: body.error });
  yield {
    choices: (body.choices ?? []).map(({ message, finish_reason }) => ({
      delta: message ?? null,
      finish_reason: finish_reason ?? null,
    })),
    usage: body.usage ?? null,
  };
}
