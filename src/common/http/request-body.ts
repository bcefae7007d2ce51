import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock';
import { sha256 } from '../ids';
import { ProblemError, InvalidBodyError } from './problem';
// Not from its index, which loads fastify: a command loads this file too.
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { type ArgumentMetadata, SetMetadata } from '@nestjs/common';
import { createZodValidationPipe } from 'nestjs-zod';
import type { z } from 'zod';

/** The lowest rate at which a body may arrive, measured over whole windows. */
export interface UploadPace {
  readonly clock: Clock;
  readonly minBytesPerSecond: number;
}

export interface BodyBounds {
  readonly maxBytes: number;
  /**
   * A longer body is read and dropped up to here, so that a client which is still sending gets the
   * response; `maxBytes` when absent.
   */
  readonly droppedUpTo?: number;
  readonly pace: UploadPace;
  /** Called with the size of each part before it is kept; returns an error to refuse the body. */
  readonly onKept?: (bytes: number) => Error | null;
}

/** How long a body may arrive too slowly before the request is refused. */
const WINDOW_MS = 5000;
/** A reason of our own. Without one, Node makes an error with its stack for every request. */
const SETTLED = 'the body has ended';

/**
 * Reads the whole body of a request. Throws ProblemError when it is too long, arrives too slowly, or
 * when the client leaves. The caller closes the connection of a request that is refused here, because
 * the rest of its body would be read as the next request.
 */
export function readBytes(raw: IncomingMessage, bounds: BodyBounds): Promise<Buffer> {
  const { maxBytes, droppedUpTo = maxBytes } = bounds;
  const announced = Number(raw.headers['content-length'] ?? 0);
  if (announced > droppedUpTo) return Promise.reject(tooLarge());
  if (raw.destroyed && !raw.readableEnded) return Promise.reject(gone());
  return new Promise((resolve, reject) => {
    const settled = new AbortController();
    const parts: Buffer[] = [];
    let length = 0;
    const settle = (error: Error | null): void => {
      if (settled.signal.aborted) return;
      settled.abort(SETTLED);
      raw.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      // A late reset of the connection has no other listener, and must not end the process.
      if (error !== null) raw.pause().on('error', () => undefined);
      if (error === null) resolve(Buffer.concat(parts, length));
      else reject(error);
    };
    const onData = (part: Buffer): void => {
      length += part.length;
      if (length > droppedUpTo) {
        settle(tooLarge());
        return;
      }
      if (length > maxBytes || announced > maxBytes) {
        parts.length = 0;
        return;
      }
      const refusal = bounds.onKept?.(part.length) ?? null;
      if (refusal === null) parts.push(part);
      else settle(refusal);
    };
    const onEnd = (): void => {
      settle(length > maxBytes ? tooLarge() : null);
    };
    const onGone = (): void => {
      settle(gone());
    };
    raw.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
    // Most bodies have arrived already.
    if (raw.complete) return;
    const received = (): number => length;
    void watchPace(bounds.pace, received, settled.signal).then((isTooSlow) => {
      if (isTooSlow) settle(tooSlow());
    });
  });
}

/** Resolves with true when a window brought too little, with false when the body has ended. */
async function watchPace(
  { clock, minBytesPerSecond }: UploadPace,
  received: () => number,
  settled: AbortSignal,
): Promise<boolean> {
  const wanted = (minBytesPerSecond * WINDOW_MS) / 1000;
  for (let before = received(); ; before = received()) {
    await clock.sleep(WINDOW_MS, settled);
    if (settled.aborted) return false;
    if (received() - before < wanted) return true;
  }
}

function tooLarge(): ProblemError {
  return new ProblemError(413, 'body_too_large', 'The body is too large.');
}

function tooSlow(): ProblemError {
  return new ProblemError(408, 'request_timeout', 'The request took too long to arrive.');
}

/** The client has left; the code keeps this apart from the server's own errors. */
function gone(): ProblemError {
  return new ProblemError(400, 'request_gone', 'The client closed the connection.');
}

/** Deeper than any chat client sends; parsing costs more with each level. */
export const MAX_JSON_DEPTH = 64;
/** Arrays, objects and their members; the longest chat history that is taken has fewer. */
export const MAX_JSON_VALUES = 200_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
/** `[` and `{` differ from each other, and `]` and `}`, in this bit alone. */
const BRACKET_BIT = 0x20;
const OPENING = 0x5b | BRACKET_BIT;
const CLOSING = 0x5d | BRACKET_BIT;

/**
 * Refuses JSON that is nested too deeply or holds too many values, in one pass before it is parsed.
 * The parser decides later whether it is JSON. Throws ProblemError.
 */
export function boundJson(bytes: Uint8Array, maxValues = MAX_JSON_VALUES): void {
  let depth = 0;
  let values = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (isInString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === COMMA) values += 1;
    else if ((byte | BRACKET_BIT) === OPENING) {
      depth += 1;
      values += 1;
      if (depth > MAX_JSON_DEPTH) {
        throw new ProblemError(400, 'json_too_deep', 'The JSON is nested too deeply.');
      }
    } else if ((byte | BRACKET_BIT) === CLOSING) depth -= 1;
    if (values > maxValues) {
      throw new ProblemError(413, 'body_too_large', 'The JSON holds too many values.');
    }
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    rawBodyLimit?: number;
    /** What it takes; JSON where there are none. */
    rawBodyTypes?: readonly string[];
  }
}

/**
 * For a handler that takes the body as it is, such as one that is signed: it gets a Buffer of exactly the bytes
 * that came, JSON or not. More than `maxBytes` is a 413; an empty body is `undefined`. `types`: what it takes,
 * as a refusal says it; JSON where there are none.
 */
export function RawBody(limitBytes: number, types: readonly string[] = []): MethodDecorator {
  return SetMetadata(FASTIFY_ROUTE_CONFIG_METADATA, {
    rawBodyLimit: limitBytes,
    rawBodyTypes: types,
  });
}

/** Whether the route of a request takes its body as raw bytes. */
export function wantsRawBody(request: FastifyRequest): boolean {
  return request.routeOptions.config.rawBodyLimit !== undefined;
}

/** Call it before routes are registered. */
export function limitRawBodies(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    const limit = route.config?.rawBodyLimit;
    if (limit !== undefined) route.bodyLimit = limit;
  });
}

/** How much of a program's file that is too large is read and dropped, so that the program gets the response. */
const DROPPED_FILE_BYTES = 16 * 1024 * 1024;

/** How much of a refused body is read before its connection is closed. */
const DISCARDED_BYTES = 256 * 1024;

/**
 * The JSON body of a request, not read yet. Guards run before anything of it is read or parsed;
 * the BodyPipe reads it for the handler. A client without a session or a secret costs only its
 * headers.
 */
export class UnreadBody {
  private isBegun = false;
  private kept: { readonly value: unknown } | null = null;

  constructor(
    private readonly request: FastifyRequest,
    private readonly options: {
      readonly pace: UploadPace;
      /** Throws if it is not JSON. */
      readonly parse: (text: string) => unknown;
    },
  ) {}

  /**
   * The value; bytes where the route takes them raw; undefined for an empty body, because many
   * clients always declare JSON. Throws ProblemError. Call it once, or after `digest`.
   */
  async read(): Promise<unknown> {
    return this.kept === null ? this.valueOf(await this.bytes()) : this.kept.value;
  }

  /** Reads it before the handler does: SHA-256 of its bytes as hex. Throws ProblemError, as `read` does. */
  async digest(): Promise<string> {
    const bytes = await this.bytes();
    this.kept = { value: this.valueOf(bytes) };
    return sha256(bytes);
  }

  private bytes(): Promise<Buffer> {
    this.isBegun = true;
    const { bodyLimit, config } = this.request.routeOptions;
    const takesFiles = (config.rawBodyTypes ?? []).length > 0;
    return readBytes(this.request.raw, {
      maxBytes: bodyLimit,
      ...(takesFiles ? { droppedUpTo: DROPPED_FILE_BYTES } : {}),
      pace: this.options.pace,
    });
  }

  private valueOf(bytes: Buffer): unknown {
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

  /** Whether a response now has to close the connection, because too much of the body is left. */
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

const MAX_ISSUES = 20;

const SchemaPipe = createZodValidationPipe({
  createValidationException: (error: unknown) => {
    const issues = (error as z.ZodError).issues.slice(0, MAX_ISSUES);
    const fields = issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
    return new InvalidBodyError(fields.join('; '));
  },
});

/** A DTO class whose fields had other names before, each with its present name. */
interface RenamedFields {
  readonly formerNames?: Readonly<Record<string, string>>;
}

/** A field of a former name is refused, because the schema would leave it out in silence. */
function refuseFormerNames(given: unknown, { formerNames = {} }: RenamedFields): void {
  if (typeof given !== 'object' || given === null) return;
  const [renamed] = Object.entries(formerNames).filter(([former]) => Object.hasOwn(given, former));
  if (renamed === undefined) return;
  throw new ProblemError(400, 'field_renamed', `${renamed[0]} is now ${renamed[1]}.`);
}

/**
 * Reads the body after the guards have run. Bodies and queries are checked against their schema; a
 * refusal names fields, never values.
 */
export class BodyPipe extends SchemaPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const given = value instanceof UnreadBody ? await value.read() : value;
    refuseFormerNames(given, (metadata.metatype ?? {}) as RenamedFields);
    return super.transform(given, metadata) as unknown;
  }
}
