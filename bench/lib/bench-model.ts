import type { ServerResponse } from 'node:http';
import { Listener } from '../../tools/http-fake/listener';
import { bodyOf } from '../../tools/http-fake/requests';

/** A model server that a bench starts; it responds as the bench says. */
export interface BenchModel {
  /** The value for OPENAI_BASE_URL. */
  readonly url: string;
  stop(): Promise<void>;
}

/** A model server in this process; `respond` is given the text of each request. */
export async function startModel(
  respond: (body: string, response: ServerResponse) => Promise<void>,
): Promise<BenchModel> {
  const listener = new Listener(async (request, response) => {
    await respond(String(await bodyOf(request)), response);
  });
  await listener.open();
  return { url: `${listener.url}/v1`, stop: () => listener.close() };
}
