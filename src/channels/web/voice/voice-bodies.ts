import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { ProblemError } from '../../../common/http';

export const VOICE_ROUTE = '/api/v1/conversation/voice';
/** What browsers record, and what people have as files. */
export const VOICE_TYPES = ['audio/webm', 'audio/ogg', 'audio/mp4', 'audio/mpeg', 'audio/wav'];
/** How many times the limit is read before a connection is given up. */
const BEARABLE = 3;

/**
 * Audio, on the one route that takes it. The body stays a stream: nothing of it is read before the
 * session is known.
 */
export function acceptVoices(server: FastifyInstance): void {
  // What is left unread would be taken for the beginning of the connection's next request.
  server.addHook('onSend', async (request, reply) => {
    const isLeft = request.routeOptions.url === VOICE_ROUTE && !request.raw.complete;
    if (isLeft) void reply.header('connection', 'close');
  });
  server.addContentTypeParser(VOICE_TYPES, (request: FastifyRequest, body, done) => {
    if (request.routeOptions.url === VOICE_ROUTE) done(null, body);
    else done(new ProblemError(415, 'unsupported_media_type', 'Send JSON.'));
  });
}

/**
 * The whole body, which may not be longer than that. Of a longer one the rest is read and dropped,
 * as far as is bearable: a client that still sends does not hear why it is refused. Throws
 * ProblemError.
 */
export async function readVoice(request: FastifyRequest, maxBytes: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  const parts: Buffer[] = [];
  let length = 0;
  if (announced > BEARABLE * maxBytes) throw tooLarge();
  for await (const part of (request.body as Readable).iterator({ destroyOnReturn: false })) {
    const bytes = part as Buffer;
    length += bytes.length;
    if (length <= maxBytes && announced <= maxBytes) parts.push(bytes);
    else parts.length = 0;
    if (length > BEARABLE * maxBytes) break;
  }
  if (length > maxBytes) throw tooLarge();
  return Buffer.concat(parts, length);
}

function tooLarge(): ProblemError {
  return new ProblemError(413, 'body_too_large', 'The voice message is too large.');
}
