import type { FastifyInstance } from 'fastify';
import { UnreadBody, type UploadPace } from '../../common/http';

/**
 * Bodies are JSON and nothing else: what a form of another site can send is refused (415). The body
 * stays unread until the guards have let its request through.
 */
export function acceptOnlyJson(server: FastifyInstance, pace: UploadPace): void {
  const parser = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', (request, _payload, done) => {
    const parse = (text: string): unknown => {
      let parsed: unknown;
      void parser(request, text, (error, value) => {
        if (error !== null) throw error;
        parsed = value;
      });
      return parsed;
    };
    done(null, new UnreadBody(request, { pace, parse }));
  });
  server.addHook('onSend', (request, reply, _payload, done) => {
    if (request.body instanceof UnreadBody && request.body.leavesTooMuch) {
      void reply.header('connection', 'close');
    }
    done();
  });
}
