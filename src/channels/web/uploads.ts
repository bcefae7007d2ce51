import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { type ProblemCode, ProblemError, type UploadPace, readBytes } from '../../common/http';
import { FILE_ENDINGS } from '../../interview';

/** Types that browsers record and that people have as audio files. */
export const VOICE_TYPES = ['audio/webm', 'audio/ogg', 'audio/mp4', 'audio/mpeg', 'audio/wav'];
/** Declared types of files; the content decides. Browsers send the last one for unknown types. */
export const FILE_BODY_TYPES = [...Object.keys(FILE_ENDINGS), 'application/octet-stream'];

const TYPES_BY_ROUTE: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/conversation/voice': VOICE_TYPES,
  '/api/v1/conversation/files': FILE_BODY_TYPES,
};

/** Up to so many times the limit is read and dropped before the connection is closed. */
const DROPPED_LIMITS = 3;
/** Uploads of one session at a time. A person sends one after another. */
const UPLOADS_PER_SESSION = 2;
/** Memory for all unfinished uploads of the process. */
const HELD_BYTES = 160 * 1024 * 1024;
const BUSY_RETRY_S = 2;

/**
 * Accepts bodies that are not JSON, each type only on its route. The body stays a stream: it is read
 * only after the session is known.
 */
export function acceptUploads(server: FastifyInstance): void {
  // Otherwise an unread rest would be taken for the beginning of the connection's next request.
  server.addHook('onSend', (request, reply, _payload, done) => {
    const isUpload = (request.routeOptions.url ?? '') in TYPES_BY_ROUTE;
    if (isUpload && !request.raw.complete) void reply.header('connection', 'close');
    done();
  });
  for (const type of new Set(Object.values(TYPES_BY_ROUTE).flat())) {
    server.addContentTypeParser(type, (request: FastifyRequest, body, done) => {
      const types = TYPES_BY_ROUTE[request.routeOptions.url ?? ''] ?? [];
      if (types.includes(type)) done(null, body);
      else done(new ProblemError(415, 'unsupported_media_type', 'Send JSON.'));
    });
  }
}

/**
 * Uploads under way in this process, bounded by the memory that they hold and, for each session, by
 * their number. Slow uploads hold little memory, so they do not block others.
 */
export class Uploads {
  private readonly bySession = new Map<string, number>();
  private heldBytes = 0;

  constructor(
    private readonly bounds: { readonly pace: UploadPace; readonly heldBytes?: number },
  ) {}

  /** Reads the whole body of a request of this conversation's session. Throws ProblemError. */
  async read(
    request: FastifyRequest,
    { conversationId, maxBytes }: { readonly conversationId: string; readonly maxBytes: number },
  ): Promise<Buffer> {
    const { pace } = this.bounds;
    const open = this.bySession.get(conversationId) ?? 0;
    if (open >= UPLOADS_PER_SESSION) throw tooMany(429, 'too_many_uploads');
    this.bySession.set(conversationId, open + 1);
    let held = 0;
    const onKept = (bytes: number): ProblemError | null => {
      if (this.heldBytes + bytes > (this.bounds.heldBytes ?? HELD_BYTES))
        return tooMany(503, 'unavailable');
      held += bytes;
      this.heldBytes += bytes;
      return null;
    };
    try {
      const droppedUpTo = DROPPED_LIMITS * maxBytes;
      return await readBytes(request.raw, { maxBytes, droppedUpTo, pace, onKept });
    } finally {
      this.heldBytes -= held;
      const left = (this.bySession.get(conversationId) ?? 1) - 1;
      if (left > 0) this.bySession.set(conversationId, left);
      else this.bySession.delete(conversationId);
    }
  }
}

/** Throws ProblemError for a body of another type. */
export function assertUpload(request: FastifyRequest, types: readonly string[]): void {
  if (request.body instanceof Readable) return;
  throw new ProblemError(415, 'unsupported_media_type', `Send one of: ${types.join(', ')}.`);
}

function tooMany(status: number, code: ProblemCode): ProblemError {
  return new ProblemError(status, code, 'Too many uploads at once; try again.', {
    retryAfterS: BUSY_RETRY_S,
  });
}
