import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { ProblemError } from '../../../common/http';

export const VOICE_ROUTE = '/api/v1/conversation/voice';
/** What browsers record, and what people have as files. */
export const VOICE_TYPES = ['audio/webm', 'audio/ogg', 'audio/mp4', 'audio/mpeg', 'audio/wav'];

/**
 * Audio, on the one route that takes it. The body stays a stream: nothing of it is read before the
 * session is known.
 */
export function acceptVoices(server: FastifyInstance): void {
  server.addContentTypeParser(VOICE_TYPES, (request: FastifyRequest, body, done) => {
    if (request.routeOptions.url === VOICE_ROUTE) done(null, body);
    else done(new ProblemError(415, 'unsupported_media_type', 'Send JSON.'));
  });
}

/** The whole body, which may not be longer than that. Throws ProblemError. */
export async function readVoice(request: FastifyRequest, maxBytes: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) throw tooLarge();
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request.body as Readable) {
    const bytes = part as Buffer;
    length += bytes.length;
    if (length > maxBytes) throw tooLarge();
    parts.push(bytes);
  }
  return Buffer.concat(parts, length);
}

function tooLarge(): ProblemError {
  return new ProblemError(413, 'body_too_large', 'The voice message is too large.');
}
