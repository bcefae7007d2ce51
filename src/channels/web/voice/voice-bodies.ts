import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError, type UploadPace, readBytes } from '../../../common/http';

export const VOICE_ROUTE = '/api/v1/conversation/voice';
/** What browsers record, and what people have as files. */
export const VOICE_TYPES = ['audio/webm', 'audio/ogg', 'audio/mp4', 'audio/mpeg', 'audio/wav'];
/** How many times the limit is read before a connection is given up. */
const BEARABLE = 3;
/** Uploads of one session at a time: a person sends one voice message after another. */
const UPLOADS_PER_SESSION = 2;
/** What one process holds of unfinished uploads, however many there are. */
const HELD_BYTES = 160 * 1024 * 1024;
const BUSY_RETRY_S = 2;

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
 * The voice messages that are being uploaded to this process. They are bounded by what they hold in
 * memory, and for each session by their number: slow uploads hold little, and do not shut out others.
 */
export class VoiceUploads {
  private readonly bySession = new Map<string, number>();
  private heldBytes = 0;

  constructor(
    private readonly options: {
      readonly maxBytes: number;
      readonly pace: UploadPace;
      readonly heldBytes?: number;
    },
  ) {}

  /** The whole body of a request of this conversation's session. Throws ProblemError. */
  async read(request: FastifyRequest, conversationId: string): Promise<Buffer> {
    const { maxBytes, pace } = this.options;
    const open = this.bySession.get(conversationId) ?? 0;
    if (open >= UPLOADS_PER_SESSION) throw tooMany(429, 'too_many_uploads');
    this.bySession.set(conversationId, open + 1);
    let held = 0;
    const onKept = (bytes: number): ProblemError | null => {
      if (this.heldBytes + bytes > (this.options.heldBytes ?? HELD_BYTES)) {
        return tooMany(503, 'unavailable');
      }
      held += bytes;
      this.heldBytes += bytes;
      return null;
    };
    try {
      const droppedUpTo = BEARABLE * maxBytes;
      return await readBytes(request.raw, { maxBytes, droppedUpTo, pace, onKept });
    } finally {
      this.heldBytes -= held;
      const left = (this.bySession.get(conversationId) ?? 1) - 1;
      if (left > 0) this.bySession.set(conversationId, left);
      else this.bySession.delete(conversationId);
    }
  }
}

function tooMany(status: number, code: string): ProblemError {
  return new ProblemError(status, code, 'Too many uploads at once; try again.', {
    retryAfterS: BUSY_RETRY_S,
  });
}
