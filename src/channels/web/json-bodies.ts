import type { FastifyInstance } from 'fastify';
import { ProblemError } from '../../common/http';

/**
 * Bodies are JSON and nothing else: what a form of another site can send is refused (415). An empty
 * body is no body, whatever its content type says: many clients always say JSON.
 */
export function acceptOnlyJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') {
      done(null, undefined);
      return;
    }
    void parse(request, body as string, (error, value) => {
      if (error === null) done(null, value);
      else done(new ProblemError(400, 'malformed_json', 'The body is not JSON.'));
    });
  });
}
