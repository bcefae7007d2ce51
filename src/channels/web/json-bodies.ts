import type { FastifyInstance } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { ProblemError, wantsRawBody } from '../../common/http';

/**
 * Bodies are JSON and nothing else: what a form of another site can send is refused (415). An empty
 * body is no body, whatever its content type says: many clients always say JSON. Routes that want it
 * raw read it themselves.
 */
export function acceptOnlyJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    if (bytes.length === 0 || wantsRawBody(request)) {
      done(null, bytes.length === 0 ? undefined : bytes);
      return;
    }
    if (!isUtf8(bytes)) {
      done(notJson());
      return;
    }
    void parse(request, bytes.toString('utf8'), (error, value) => {
      if (error === null) done(null, value);
      else done(notJson());
    });
  });
}

function notJson(): ProblemError {
  return new ProblemError(400, 'malformed_json', 'The body is not JSON.');
}
