import type { Mountable } from '@copilotkit/aimock';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson } from './scripted-endpoint';

/** The endpoint of the model server that lists its models, and shows one by its name. */
export class ModelsEndpoint implements Mountable {
  /** Null: the server has no such endpoint. */
  known: readonly string[] | null = [];
  /** The list is cut: it says that more follow. */
  hasMore = false;
  /** The only key that is taken; null: any. */
  key: string | null = null;

  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const [, id] = /\/models\/([^?]+)/.exec(request.url ?? '') ?? [];
    const model = id === undefined ? null : decodeURIComponent(id);
    this.respond(request.headers.authorization ?? '', model, response);
    return Promise.resolve(true);
  }

  private respond(authorization: string, model: string | null, response: ServerResponse): void {
    const { key, known } = this;
    if (key !== null && authorization !== `Bearer ${key}`) {
      const error = { code: 'invalid_api_key', message: `Incorrect API key: ${authorization}` };
      sendJson(response, 401, { error });
    } else if (known === null || (model !== null && !known.includes(model))) {
      sendJson(response, 404, { error: { code: 'not_found', message: 'Not found' } });
    } else if (model === null) {
      const data = known.map((name) => ({ id: name, object: 'model' }));
      sendJson(response, 200, { object: 'list', data, has_more: this.hasMore });
    } else {
      sendJson(response, 200, { id: model, object: 'model' });
    }
  }
}
