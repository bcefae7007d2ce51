import { constants, createBrotliDecompress, createUnzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { isRefusedUrl } from '../config';
import { outgoingClient, REDIRECTS, refusedAddress, refusedRedirect } from './outgoing';

/**
 * `outgoingFetch` for a response that is read piece by piece, with the same rules for addresses and redirects.
 * No web stream lies beneath it: its pieces come from the parser of the connection, which costs a third of a
 * piece of `fetch`. `body` is a text. Throws AddressRefusedError, RedirectRefusedError, the errors of a
 * connection, and the reason of the signal.
 */
export async function outgoingStream(
  target: string,
  { method = 'GET', headers, body, signal }: StreamRequest = {},
): Promise<StreamedResponse> {
  const url = new URL(target);
  if (isRefusedUrl(url)) throw refusedAddress();
  const { dispatcher } = await outgoingClient();
  const sent = new Headers(headers);
  // A compressed stream arrives in blocks.
  if (!sent.has('accept-encoding')) sent.set('accept-encoding', 'identity');
  return new Promise((resolve, reject) => {
    const exchange = new Exchange(resolve, reject, signal ?? null);
    if (exchange.isOver) return;
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: sent,
        body: body ?? null,
      },
      exchange,
    );
  });
}

export interface StreamRequest {
  readonly method?: string;
  readonly headers?: RequestInit['headers'];
  readonly body?: string | null;
  /** Ends the request, and the response while it is read. */
  readonly signal?: AbortSignal | null;
}

/** A response whose body is read once: in pieces or as a text. */
export class StreamedResponse {
  constructor(
    readonly status: number,
    readonly headers: ReadonlyMap<string, string>,
    readonly pieces: IncomingPieces,
  ) {}

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** Throws when it is longer than any response that is read as a whole. */
  async text(): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const piece of this.pieces) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > MOST_TEXT) throw new Error('the response is too long to be read');
    }
    return text + decoder.decode();
  }
}

/** UTF-16 units. */
const MOST_TEXT = 16 * 1024 * 1024;

/** Bytes that wait for their reader; with more the connection is not read. */
const MOST_WAITING = 65_536;

/**
 * The pieces of a body as they arrive, for one reader. Leaving the loop ends the request. A broken connection
 * is an error after the pieces that came before it.
 */
export class IncomingPieces implements AsyncIterableIterator<Uint8Array> {
  private readonly waiting: Uint8Array[] = [];
  private bytes = 0;
  private isOver = false;
  private failure: Error | null = null;
  private reader: {
    resolve(result: IteratorResult<Uint8Array>): void;
    reject(error: Error): void;
  } | null = null;

  constructor(private readonly source: { pause(): void; resume(): void; leave(): void }) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const value = this.waiting.shift();
    if (value !== undefined) {
      this.bytes -= value.length;
      if (this.bytes < MOST_WAITING) this.source.resume();
      return Promise.resolve({ done: false, value });
    }
    if (this.failure !== null) {
      const error = this.failure;
      this.failure = null;
      return Promise.reject(error);
    }
    if (this.isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.reader = { resolve, reject };
    });
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.waiting.length = 0;
    this.end();
    this.source.leave();
    return Promise.resolve({ done: true, value: undefined });
  }

  push(value: Uint8Array): void {
    const { reader } = this;
    if (this.isOver) return;
    if (reader !== null) {
      this.reader = null;
      reader.resolve({ done: false, value });
      return;
    }
    this.waiting.push(value);
    this.bytes += value.length;
    if (this.bytes >= MOST_WAITING) this.source.pause();
  }

  end(failure: Error | null = null): void {
    if (this.isOver) return;
    this.isOver = true;
    const { reader } = this;
    this.reader = null;
    if (reader === null) this.failure = failure;
    else if (failure === null) reader.resolve({ done: true, value: undefined });
    else reader.reject(failure);
  }
}

/** One request and its response, from the calls of undici. */
class Exchange implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | null = null;
  private pieces: IncomingPieces | null = null;
  private decoder: ReturnType<typeof decoderOf> = null;
  /** Why it was ended here. */
  private reason: Error | null = null;

  constructor(
    private readonly resolve: (response: StreamedResponse) => void,
    private readonly reject: (error: unknown) => void,
    private readonly signal: AbortSignal | null,
  ) {
    if (signal?.aborted === true) this.onAbort();
    else signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  /** It ended before it was sent. */
  get isOver(): boolean {
    return this.reason !== null;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.reason !== null) controller.abort(this.reason);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // A sign of life before the response.
    if (status < 200) return;
    if (REDIRECTS.has(status)) {
      this.leave(refusedRedirect());
      return;
    }
    const named = new Map(
      Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
    );
    const decoder = decoderOf(named.get('content-encoding') ?? '');
    const source = decoder ?? controller;
    const pieces = new IncomingPieces({
      pause: () => {
        source.pause();
      },
      resume: () => {
        source.resume();
      },
      leave: () => {
        this.leave(new Error('the reader has left'));
      },
    });
    this.pieces = pieces;
    this.decoder = decoder;
    decoder
      ?.on('data', (piece: Uint8Array) => {
        pieces.push(piece);
      })
      .on('drain', () => {
        controller.resume();
      })
      .on('end', () => {
        this.end(null);
      })
      .on('error', (error) => {
        this.leave(error);
      });
    this.resolve(new StreamedResponse(status, named, pieces));
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Uint8Array): void {
    if (this.decoder === null) this.pieces?.push(piece);
    else if (!this.decoder.write(piece)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.decoder === null) this.end(null);
    else this.decoder.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.decoder?.destroy();
    this.end(this.reason ?? error);
  }

  private readonly onAbort = (): void => {
    this.leave(this.signal?.reason as Error);
  };

  private leave(reason: Error): void {
    this.reason ??= reason;
    this.end(reason);
    this.decoder?.destroy();
    this.controller?.abort(reason);
  }

  private end(failure: Error | null): void {
    this.signal?.removeEventListener('abort', this.onAbort);
    if (failure !== null) this.reject(failure);
    this.pieces?.end(failure);
  }
}

/** As `fetch` reads it: all that has come is passed on, also of a body that lacks its end. */
const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

/** For servers that compress although they were asked not to. Null: it is not compressed. */
function decoderOf(encoding: string) {
  if (/^(x-)?gzip$|^deflate$/i.test(encoding)) return createUnzip(ZLIB);
  return /^br$/i.test(encoding) ? createBrotliDecompress(BROTLI) : null;
}
