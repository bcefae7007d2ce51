import type { FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { readBytes, type UploadPace } from './body-bytes';
import { boundJson } from './json-bounds';
import { ProblemError } from './problem';
import { wantsRawBody } from './raw-body';

/** What a refused request may still bring before its connection is closed. */
const DISCARDED_BYTES = 256 * 1024;

/**
 * The JSON body of a request, not read yet. Guards run before anything of it is read or parsed;
 * the BodyPipe reads it for the handler that asks for it. Whoever has no session or secret costs
 * nothing but headers.
 */
export class UnreadBody {
  private isBegun = false;

  constructor(
    private readonly request: FastifyRequest,
    private readonly options: {
      readonly pace: UploadPace;
      /** Throws on anything that is not JSON. */
      readonly parse: (text: string) => unknown;
    },
  ) {}

  /**
   * The value; bytes where the route wants them raw; undefined for an empty body: many clients
   * always say JSON. Throws ProblemError. To be called once.
   */
  async read(): Promise<unknown> {
    this.isBegun = true;
    const bytes = await readBytes(this.request.raw, {
      maxBytes: this.request.routeOptions.bodyLimit,
      pace: this.options.pace,
    });
    if (bytes.length === 0) return undefined;
    if (wantsRawBody(this.request)) return bytes;
    if (!isUtf8(bytes)) throw notJson();
    boundJson(bytes);
    try {
      return this.options.parse(bytes.toString('utf8'));
    } catch {
      throw notJson();
    }
  }

  /** Whether a response now has to close the connection, as too much of the body is left. */
  get leavesTooMuch(): boolean {
    const { raw } = this.request;
    if (raw.complete) return false;
    const announced = Number(raw.headers['content-length'] ?? Infinity);
    return this.isBegun || announced > DISCARDED_BYTES;
  }
}

function notJson(): ProblemError {
  return new ProblemError(400, 'malformed_json', 'The body is not JSON.');
}
