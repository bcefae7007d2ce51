import type { ServerResponse } from 'node:http';

/** What a behaviour of the model reads of a request. */
export interface RequestBody {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  /** How many completions are wanted. */
  readonly n?: number;
  readonly response_format?: { readonly type: string; readonly [key: string]: unknown };
}

/**
 * The response of the model server to one request. `content` is the model's text; for a structured reply
 * it is the JSON of `{verdict, text}`: see `replyWith`.
 */
export type ModelReply =
  /** A streamed response; finish reasons other than `stop` end it as a real server would. */
  | {
      readonly kind: 'completion';
      /** A function is given the body of the request. */
      readonly content: string | ((body: RequestBody) => string);
      readonly finishReason?: string;
      readonly chunkSize?: number;
      /** Pause before each chunk. */
      readonly chunkDelayMs?: number;
    }
  /**
   * As many completions as `n` asks for, one without it, in pieces that take turns. A completion that is null
   * is a refusal.
   */
  | {
      readonly kind: 'choices';
      readonly content: (body: RequestBody, n: number) => string | null;
      readonly chunkSize?: number;
    }
  /** An HTTP error. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly error?: object | string;
    }
  /** Takes the request and never responds. */
  | { readonly kind: 'silent' }
  /** Closes the connection before any header. */
  | { readonly kind: 'drop' }
  /** Streams `content`, then: breaks the connection, goes silent, or ends without a finish reason. */
  | { readonly kind: 'cut' | 'stall' | 'unfinished'; readonly content: string }
  /** Streams `content`, waits until `release`, then streams `rest` and completes. */
  | {
      readonly kind: 'hold';
      readonly content: string;
      readonly rest: string;
      /** `content` comes in pieces of this many UTF-16 units; whole without it. */
      readonly chunkSize?: number;
    }
  /** Completes the reply, then leaves the stream open, or breaks it. */
  | { readonly kind: 'left_open' | 'cut_at_end'; readonly content: string }
  /** Streams `content`, then an error event inside the 200, as OpenRouter does. */
  | { readonly kind: 'error_event'; readonly content: string; readonly error: object }
  | { readonly kind: 'refusal'; readonly refusal: string }
  /** Streams these lines as they are. */
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  /** Status 200 and a body that is no stream. */
  | { readonly kind: 'body'; readonly contentType: string; readonly body: string };

export type RawReply = Exclude<ModelReply, { kind: 'completion' | 'choices' }>;

/** A valid structured reply. */
export function replyWith(
  verdict: string,
  text: string,
  how: {
    readonly chunkSize?: number;
    readonly chunkDelayMs?: number;
    /** The sources that the model names. */
    readonly sources?: string;
  } = {},
): ModelReply {
  const { sources = '', ...pace } = how;
  return { kind: 'completion', content: JSON.stringify({ verdict, sources, text }), ...pace };
}

/** The stream of several completions: their pieces take turns, the last one ends first. */
export function choiceLines(
  { content, chunkSize = 40 }: Extract<ModelReply, { kind: 'choices' }>,
  body: RequestBody,
): string[] {
  const texts = Array.from({ length: body.n ?? 1 }, (_, n) => content(body, n + 1));
  const pieces = texts.map((text) =>
    text === null ? [{ refusal: 'No.' }] : piecesOf({ content: text, chunkSize }).map(contentOf),
  );
  const most = Math.max(...pieces.map(({ length }) => length));
  const rounds = Array.from({ length: most }, (_, at) =>
    pieces.flatMap((list, index) => list.slice(at, at + 1).map((piece) => chunk(piece, index))),
  );
  const ends = texts.map((_, index) => chunk({}, index, 'stop')).toReversed();
  return [...rounds.flat(), ...ends, DONE.trim()];
}

function contentOf(content: string): object {
  return { content };
}

/** Sends the replies that aimock cannot. `released` resolves when a held reply may continue. */
export async function sendRaw(
  response: ServerResponse,
  reply: RawReply,
  released: Promise<void>,
): Promise<void> {
  switch (reply.kind) {
    case 'silent':
      return;
    case 'drop':
      response.destroy();
      return;
    case 'status':
      sendStatus(response, reply);
      return;
    case 'body':
      response.writeHead(200, { 'content-type': reply.contentType }).end(reply.body);
      return;
    case 'lines':
      openStream(response);
      response.end(reply.lines.map((line) => `${line}\n\n`).join(''));
      return;
    case 'refusal':
      openStream(response);
      await write(response, event({ refusal: reply.refusal }), event({}, 'stop'), DONE);
      response.end();
      return;
    case 'cut':
    case 'stall':
    case 'unfinished':
    case 'hold':
    case 'left_open':
    case 'cut_at_end':
    case 'error_event':
      await sendInterrupted(response, reply, released);
  }
}

async function sendInterrupted(
  response: ServerResponse,
  reply: Extract<
    RawReply,
    { kind: 'cut' | 'stall' | 'unfinished' | 'hold' | 'left_open' | 'cut_at_end' | 'error_event' }
  >,
  released: Promise<void>,
): Promise<void> {
  openStream(response);
  await write(
    response,
    event({ role: 'assistant', content: '' }),
    ...piecesOf(reply).map((content) => event({ content })),
  );
  switch (reply.kind) {
    case 'stall':
      return;
    case 'cut':
      response.socket?.end();
      return;
    case 'unfinished':
      response.end();
      return;
    case 'left_open':
      await write(response, event({}, 'stop'), DONE);
      return;
    case 'cut_at_end':
      await write(response, event({}, 'stop'));
      response.socket?.end();
      return;
    case 'error_event':
      await write(response, `data: ${JSON.stringify({ error: reply.error, choices: [] })}\n\n`);
      response.end();
      return;
    case 'hold':
      await released;
      await write(response, event({ content: reply.rest }), event({}, 'stop'), DONE);
      response.end();
  }
}

function piecesOf(reply: { readonly content: string; readonly chunkSize?: number }): string[] {
  const { content, chunkSize = content.length } = reply;
  const count = Math.ceil(content.length / Math.max(chunkSize, 1));
  return Array.from({ length: count }, (_, n) => content.slice(n * chunkSize, (n + 1) * chunkSize));
}

function sendStatus(
  response: ServerResponse,
  { status, headers, error }: Extract<RawReply, { kind: 'status' }>,
): void {
  const type = typeof error === 'string' ? 'text/plain' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(
    typeof error === 'string' ? error : JSON.stringify(error === undefined ? {} : { error }),
  );
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(': OPENROUTER PROCESSING\n\n');
}

const DONE = 'data: [DONE]\n\n';

function event(delta: object, finishReason: string | null = null): string {
  return `${chunk(delta, 0, finishReason)}\n\n`;
}

function chunk(delta: object, index: number, finishReason: string | null = null): string {
  const choices = [{ index, delta, finish_reason: finishReason }];
  const sent = { id: 'raw', object: 'chat.completion.chunk', created: 0, model: 'raw', choices };
  return `data: ${JSON.stringify(sent)}`;
}

/** Resolves when the kernel has the bytes, so that a following event cannot arrive before them. */
async function write(response: ServerResponse, ...frames: readonly string[]): Promise<void> {
  for (const frame of frames) {
    await new Promise<void>((resolve) => {
      response.write(frame, () => {
        resolve();
      });
    });
  }
}
