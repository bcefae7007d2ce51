import { LLMock, type Mountable } from '@copilotkit/aimock';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Requests, bodyOf } from '../http-fake/requests';
import { EmbeddingEndpoint } from './embedding-endpoint';
import { ModelsEndpoint } from './models-endpoint';
import { type ModelReply, choiceLines, replyWith, sendRaw } from './model-replies';
import { type ReplyData, replyDataOf } from './reply-data';
import { TranscriptionEndpoint } from './transcription-endpoint';

export { type ModelReply, replyWith } from './model-replies';

/** One request as the server got it. */
export interface ReceivedRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: {
    readonly model?: string;
    readonly stream?: boolean;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly n?: number;
    readonly max_tokens?: number;
    readonly max_completion_tokens?: number;
    readonly stream_options?: object;
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
    readonly response_format?: { readonly type: string; readonly [key: string]: unknown };
  };
  /** Resolves when the client has disconnected or the reply is complete. */
  readonly closed: Promise<void>;
}

/**
 * A model server on 127.0.0.1 with the chat completions protocol over real HTTP: aimock sends whole
 * replies, a few handlers of our own send what it cannot. Replies are taken from a queue; when it is
 * empty, the reply is `otherwise`.
 *
 * It listens by aimock's own server and not by a Listener, because aimock has no handler that another
 * server could call. aimock's `stop` waits for idle connections and nothing public closes them, so
 * `goDown` closes them through the private `serverInstance`.
 */
export class ModelServer {
  /** The other endpoints of the server. */
  readonly embeddings = new EmbeddingEndpoint();
  readonly transcriptions = new TranscriptionEndpoint();
  readonly models = new ModelsEndpoint();
  private readonly queue: ModelReply[] = [];
  private readonly received = new Requests<ReceivedRequest>();
  private readonly holds: (() => void)[] = [];
  private mock: LLMock | null = null;
  private port = 0;

  private constructor(private otherwise: ModelReply) {}

  static async start(
    otherwise: ModelReply = replyWith('answered', 'Thanks.'),
  ): Promise<ModelServer> {
    const server = new ModelServer(otherwise);
    await server.comeUp();
    return server;
  }

  /** For OPENAI_BASE_URL; the same while the server is down. */
  get baseUrl(): string {
    return `http://127.0.0.1:${String(this.port)}/v1`;
  }

  /** All requests so far, oldest first. */
  get requests(): readonly ReceivedRequest[] {
    return this.received.all;
  }

  /** The last prompt with these words in it, as JSON; empty if there is none. */
  promptWith(words: string): string {
    const prompts = this.received.all.map(({ body }) => JSON.stringify(body.messages));
    return prompts.findLast((prompt) => prompt.includes(words)) ?? '';
  }

  /** The data of that request, as a model reads them. */
  dataWith(words: string): ReplyData {
    const bodies = this.received.all.map(({ body }) => body.messages.at(-1)?.content);
    return replyDataOf(bodies.findLast((content) => content?.includes(words)));
  }

  /** Scripts the next replies, in order. */
  next(...replies: readonly ModelReply[]): void {
    this.queue.push(...replies);
  }

  /** The reply while nothing is scripted. */
  always(reply: ModelReply): void {
    this.otherwise = reply;
  }

  /** Continues the replies that are held now, or `count` of them, oldest first. */
  release(count = Infinity): void {
    for (const release of this.holds.splice(0, count)) release();
  }

  /** Resolves with the n-th request (from 1) when it has come in. */
  request(n: number): Promise<ReceivedRequest> {
    return this.received.nth(n);
  }

  /** Breaks all connections and refuses new ones. */
  async goDown(): Promise<void> {
    const { mock } = this;
    if (mock === null) return;
    this.mock = null;
    const { server } = Reflect.get<object, string>(mock, 'serverInstance') as { server: Server };
    const stopped = mock.stop();
    // Also idle connections, because stopping waits for them.
    server.closeAllConnections();
    await stopped;
  }

  /** Listens again at the same address. */
  async comeUp(): Promise<void> {
    const mock = new LLMock({
      port: this.port,
      host: '127.0.0.1',
      strict: true,
      journalMaxEntries: 1,
    });
    mock.mount('/v1/chat/completions', this.mountable(mock));
    mock.mount('/v1/embeddings', this.embeddings);
    mock.mount('/v1/audio/transcriptions', this.transcriptions);
    mock.mount('/v1/models', this.models);
    await mock.start();
    this.mock = mock;
    this.port = mock.port;
  }

  async close(): Promise<void> {
    this.release();
    this.transcriptions.release();
    this.embeddings.release();
    await this.goDown();
  }

  /** Receives every request first and passes on to aimock those that it does not respond to itself. */
  private mountable(mock: LLMock): Mountable {
    return {
      handleRequest: async (request, response) => {
        const reply = this.queue.shift() ?? this.otherwise;
        if (reply.kind === 'completion') {
          this.prepareAimock(mock, request, response, reply);
          return false;
        }
        const body = JSON.parse(String(await bodyOf(request))) as ReceivedRequest['body'];
        this.note(request, response, body);
        if (reply.kind === 'choices') {
          const lines = choiceLines(reply, body);
          await sendRaw(response, { kind: 'lines', lines }, Promise.resolve());
          return true;
        }
        const released = new Promise<void>((resolve) => this.holds.push(resolve));
        await sendRaw(response, reply, released);
        return true;
      },
    };
  }

  /** aimock selects its fixture by a header that only this request has. */
  private prepareAimock(
    mock: LLMock,
    request: IncomingMessage,
    response: ServerResponse,
    reply: Extract<ModelReply, { kind: 'completion' }>,
  ): void {
    const context = `request-${String(this.received.all.length)}-${String(Math.random())}`;
    request.headers['x-aimock-context'] = context;
    const { content, finishReason = 'stop', chunkSize = 7, chunkDelayMs = 0 } = reply;
    mock.on(
      { context },
      (body) => {
        const received = body as unknown as ReceivedRequest['body'];
        this.note(request, response, received);
        const text = typeof content === 'function' ? content(received) : content;
        return { content: text, finishReason };
      },
      { chunkSize, latency: chunkDelayMs },
    );
  }

  private note(
    { headers }: IncomingMessage,
    response: ServerResponse,
    body: ReceivedRequest['body'],
  ): void {
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    this.received.add({ headers, body, closed });
  }
}
