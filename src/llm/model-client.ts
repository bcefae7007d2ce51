import type { ModelFailureKind } from './errors';
import type { LlmPurpose } from './llm-ledger.repository';
import type { ResponseFacts } from './model-span';
import type {
  Counted,
  RecordedRequest,
  RecordedRequests,
  RequestResult,
} from './recorded-requests';

/** The model that interviews. It is also Nest's injection token. */
export abstract class ModelClient {
  /** Its name, for the ledger. */
  abstract readonly model: string;

  /** The address of its server. */
  abstract readonly baseUrl: string;

  /** What its server was found not to do, as of the last whole completion. */
  get unsupported(): readonly UnsupportedFeature[] {
    return [];
  }

  /**
   * Sends exactly one HTTP request and never retries. Ends normally only after a whole completion (some
   * text, or calls of offered tools, and a sign that it is complete). Otherwise throws
   * ModelUnavailableError, ModelFailure, or ModelAbortedError when `signal` aborted. Never inside a
   * commit.
   */
  abstract stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
}

/**
 * What a server does not do. `format`: take a schema for the output. `tools`: take tools. `usage`: take the
 * request for the number of tokens. `system`: take a system message. `room`: reply within the tokens of a
 * reply, because reasoning uses them up. `reason`: say how the completion ended.
 */
export type UnsupportedFeature = 'format' | 'tools' | 'usage' | 'system' | 'room' | 'reason';

/** One request to a model: instructions, messages, and the form of the output. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
  /** A server without support for schemas gets the schema in the instructions. */
  readonly schema: { readonly name: string; readonly jsonSchema: object };
  /** Left out for servers that reject tools. */
  readonly tools?: readonly OfferedTool[];
  readonly maxOutputTokens: number;
  /**
   * How many completions are wanted, 1 if left out. The prompt is paid for once. A server that does not know
   * this gives one. Only for requests that are read as a whole.
   */
  readonly choices?: number;
}

/** A tool that a model may call. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export type ModelChunk =
  | { readonly type: 'text'; readonly text: string }
  /** After the text, if there is any. `input`: what the model wrote if it is JSON, or undefined. */
  | { readonly type: 'call'; readonly name: string; readonly input: unknown }
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number }
  /** After the text: the model that responds, as its server calls it. Many servers say it. */
  | { readonly type: 'model'; readonly name: string }
  /** After the text, when several completions were wanted: each of them, the first one too. */
  | { readonly type: 'choice'; readonly choice: Choice };

/** One of several completions of a request. */
export type Choice =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: ModelFailureKind };

/** Used when no model is configured. The scripted interviewer replies then, so a call is a bug. */
export class NoModelClient extends ModelClient {
  override readonly model = 'none';
  override readonly baseUrl = '';

  override stream(): AsyncIterable<ModelChunk> {
    throw new Error('a model was called, but none is configured');
  }
}

/** A client that is loaded with its first request. */
export class ClientOnDemand extends ModelClient {
  override readonly model: string;
  override readonly baseUrl: string;
  private loaded: ModelClient | null = null;

  constructor(
    { model, baseUrl }: Pick<ModelClient, 'model' | 'baseUrl'>,
    private readonly load: () => Promise<ModelClient>,
  ) {
    super();
    this.model = model;
    this.baseUrl = baseUrl;
  }

  override get unsupported(): readonly UnsupportedFeature[] {
    return this.loaded?.unsupported ?? [];
  }

  override async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk> {
    this.loaded ??= await this.load();
    yield* this.loaded.stream(request, signal);
  }
}

/** A completion that is read as a whole. */
export interface Completion extends Counted {
  /** Of the first completion that is whole. */
  readonly text: string;
  /** All completions of the request; at least one of them is whole. */
  readonly choices: readonly Choice[];
  /** Of the tools that were offered. Nothing is called. */
  readonly calls: readonly Extract<ModelChunk, { type: 'call' }>[];
}

export type CompletionPurpose = Extract<LlmPurpose, 'score' | 'replay'>;

/** Most requests for one completion: one more than the changes that a client makes for a prompt. */
const MOST_SENDS = 9;

/** The model outside the interview, for requests whose completion is read as a whole and not shown. */
export class Completions {
  /** `client` null: no model is configured. */
  constructor(
    private readonly client: ModelClient | null,
    private readonly requests: RecordedRequests,
  ) {}

  /** False: no model is configured, and a request is a bug. */
  get isOn(): boolean {
    return this.client !== null;
  }

  /** The model's name; empty without one. */
  get model(): string {
    return this.client?.model ?? '';
  }

  /**
   * One HTTP request, or several while the client still learns what the server supports. Each is recorded
   * in the ledger, in a commit in which `admit` may refuse it by throwing. Never inside a commit.
   */
  async complete(
    {
      subject,
      purpose = 'score',
      admit,
      ...request
    }: ModelRequest & {
      readonly subject: string;
      readonly purpose?: CompletionPurpose;
      readonly admit?: RecordedRequest['admit'];
    },
    signal: AbortSignal,
  ): Promise<RequestResult<Completion>> {
    const { client } = this;
    if (client === null) throw new Error('a model was called, but none is configured');
    const { model, baseUrl } = client;
    const recorded = { subject, purpose, model, baseUrl, admit };
    for (let sends = 1; ; sends += 1) {
      const result = await this.requests.send(recorded, (count) =>
        wholeOf(client.stream(request, signal), count),
      );
      if (result.ok || result.isAdjusted !== true || sends === MOST_SENDS) return result;
    }
  }
}

/** What a chunk tells of the response, or null: it is a part of the output. */
export function toldIn(chunk: ModelChunk): ResponseFacts | null {
  switch (chunk.type) {
    case 'usage':
      return { inputTokens: chunk.inputTokens, outputTokens: chunk.outputTokens };
    case 'model':
      return { model: chunk.name };
    case 'text':
    case 'call':
    case 'choice':
      return null;
  }
}

async function wholeOf(
  chunks: AsyncIterable<ModelChunk>,
  count: (tokens: Counted) => void,
): Promise<Completion> {
  let text = '';
  let counted: Counted = {};
  const calls: Completion['calls'][number][] = [];
  const choices: Choice[] = [];
  for await (const chunk of chunks) {
    if (chunk.type === 'text') text += chunk.text;
    if (chunk.type === 'choice') choices.push(chunk.choice);
    if (chunk.type === 'call') calls.push(chunk);
    const told = toldIn(chunk);
    if (told === null) continue;
    counted = { ...counted, ...told };
    count(counted);
  }
  if (choices.length === 0) return { text, choices: [{ ok: true, text }], calls, ...counted };
  const first = choices.find(({ ok }) => ok);
  return { text: first?.ok === true ? first.text : text, choices, calls, ...counted };
}

export function unsupportedBy(completion: {
  readonly format: string;
  readonly offersTools: boolean;
  readonly asksForUsage: boolean;
  readonly hasSystemRole: boolean;
  readonly hasRoomForReasoning: boolean;
  readonly hasReason: boolean;
}): UnsupportedFeature[] {
  const cases: readonly (readonly [isMissing: boolean, what: UnsupportedFeature])[] = [
    [completion.format !== 'json_schema', 'format'],
    [!completion.offersTools, 'tools'],
    [!completion.asksForUsage, 'usage'],
    [!completion.hasSystemRole, 'system'],
    [completion.hasRoomForReasoning, 'room'],
    [!completion.hasReason, 'reason'],
  ];
  return cases.filter(([isMissing]) => isMissing).map(([, what]) => what);
}
