import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import { type ModelRequest, type ModelChunk, ModelClient } from './model-client';
import { type OutputFormat, type ServerCapabilities, capabilitiesOf } from './server-capabilities';
import { wireTools, ToolCallReader } from './tool-calls';
import {
  classifyServerError,
  rejectionReason,
  ModelUnavailableError,
  ModelAbortedError,
  ModelFailure,
  type ModelFailureKind,
} from './errors';
import type { Clock } from '../common/clock';
import { ColloquyError } from '../common/errors';
import { assertOutsideCommit } from '../common/uow';
import { failureOf, isServerError, openAiAt, Watchdog } from './openai-http';

/** The request in the form that this server supports. Pure. */
export function requestBody(
  request: ModelRequest,
  choices: {
    readonly model: string;
    readonly capabilities: ServerCapabilities;
    readonly maxTokens: number;
  },
): ChatCompletionCreateParamsStreaming {
  const { model, capabilities, maxTokens } = choices;
  const { tools = [] } = request;
  const limit =
    capabilities.tokenLimitName === 'max_tokens'
      ? { max_tokens: maxTokens }
      : { max_completion_tokens: maxTokens };
  return {
    model,
    stream: true,
    messages: [
      { role: 'system', content: systemFor(request, capabilities.format) },
      ...request.messages.map(({ role, content }) => ({ role, content })),
    ],
    ...limit,
    ...(capabilities.offersTools && tools.length > 0 ? { tools: wireTools(tools) } : {}),
    ...(capabilities.asksForUsage ? { stream_options: { include_usage: true } } : {}),
    ...(capabilities.format === 'json_schema' ? responseFormat(request) : {}),
  };
}

function systemFor({ system, schema }: ModelRequest, format: OutputFormat): string {
  switch (format) {
    case 'json_schema':
      return system;
    case 'json_in_text':
      return `${system}\n\nReply with one JSON object and nothing else, its keys in this order, valid for this JSON schema:\n${JSON.stringify(schema.jsonSchema)}`;
    case 'plain':
      return `${system}\n\nReply with the text for the candidate only: no verdict, no JSON, no markup.`;
  }
}

function responseFormat({ schema }: ModelRequest): Partial<ChatCompletionCreateParamsStreaming> {
  return {
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: schema.name,
        strict: true,
        schema: schema.jsonSchema as Record<string, unknown>,
      },
    },
  };
}

interface WholeCompletion {
  readonly error?: unknown;
  readonly choices?: readonly {
    readonly message?: { readonly content?: unknown; readonly refusal?: unknown } | null;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: ServerChunk['usage'];
}

/**
 * The events of a response with status 200. With that status OpenRouter sends some errors as plain
 * JSON, a server without streaming sends the whole completion, and a wrong address serves a web
 * page. `openai` would read all three as a stream without events.
 */
export async function* chunksOf(opened: {
  readonly data: AsyncIterable<ServerChunk>;
  readonly response: Response;
}): AsyncGenerator<ServerChunk, void> {
  const type = opened.response.headers.get('content-type') ?? '';
  if (type.includes('text/html')) {
    throw new ModelUnavailableError(
      'the address of the model server serves a web page; check OPENAI_BASE_URL',
      {
        mayConcernJobOnly: true,
      },
    );
  }
  if (!type.includes('json')) {
    yield* opened.data;
    return;
  }
  const body = (await opened.response.json()) as WholeCompletion;
  if (body.error !== undefined) throw classifyServerError({ body: body.error });
  yield {
    choices: (body.choices ?? []).map(({ message, finish_reason }) => ({
      delta: message ?? null,
      finish_reason: finish_reason ?? null,
    })),
    usage: body.usage ?? null,
  };
}

export interface OpenAiOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** For the whole request, to the end of its response. */
  readonly requestTimeoutMs: number;
  readonly maxOutputTokens: number;
}

/** The wait for the usage after the finish reason. */
const AFTER_FINISH_MS = 2_000;

/**
 * Any server with the chat completions protocol. One request per call, never a retry. No error has
 * the server's text, which may contain the prompt or part of the key.
 */
export class OpenAiClient extends ModelClient {
  override readonly model: string;
  private readonly openai;
  private readonly capabilities;

  constructor(
    private readonly options: OpenAiOptions,
    private readonly clock: Clock,
  ) {
    super();
    this.model = options.model;
    this.capabilities = capabilitiesOf(options.baseUrl);
    this.openai = openAiAt(options);
  }

  override stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk> {
    assertOutsideCommit('model');
    return this.attempt(request, signal);
  }

  private async *attempt(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelChunk, void> {
    const { format, version } = this.capabilities;
    const watch = new Watchdog(this.clock, signal, this.options.requestTimeoutMs);
    const offered = (request.tools ?? []).map(({ name }) => name);
    const completion = new CompletionValidator(this.maxTokens(request), offered);
    try {
      for await (const chunk of this.receive(request, watch, completion))
        yield* completion.take(chunk);
      throwIfTripped(watch, completion);
    } catch (error) {
      throwIfTripped(watch, completion);
      if (!completion.isFinished || error instanceof ColloquyError)
        throw this.failureOf(error, version, offered.length > 0);
    } finally {
      watch.close();
    }
    completion.assertWhole();
    this.capabilities.learnFromCompletion(format, completion.beginsLikeJson);
    yield* completion.calls;
  }

  /** The server's events. The watchdog runs only while this waits for the server. */
  private async *receive(
    request: ModelRequest,
    watch: Watchdog,
    completion: CompletionValidator,
  ): AsyncGenerator<ServerChunk, void> {
    const { model, capabilities, options } = this;
    watch.expect(options.firstByteTimeoutMs, 'first_byte');
    const body = requestBody(request, { model, capabilities, maxTokens: this.maxTokens(request) });
    const opened = this.openai.chat.completions.create(body, { signal: watch.signal });
    for await (const chunk of chunksOf(await opened.withResponse())) {
      watch.pause();
      yield chunk;
      const patienceMs = completion.isFinished ? AFTER_FINISH_MS : options.idleTimeoutMs;
      watch.expect(Math.min(patienceMs, options.idleTimeoutMs), 'idle');
    }
    watch.pause();
  }

  private maxTokens(request: ModelRequest): number {
    return Math.min(request.maxOutputTokens, this.options.maxOutputTokens);
  }

  private failureOf(error: unknown, sentAs: string, hadTools: boolean): ColloquyError {
    const failure = failureOf(error, this.clock.now());
    const isRejection = failure instanceof ModelFailure && failure.kind === 'bad_request';
    if (!isRejection || !isServerError(error)) return failure;
    // Another request may have learned the same meanwhile; then a retry is enough.
    const isOutdated = sentAs !== this.capabilities.version;
    const reason = rejectionReason(error.error);
    const isAdjusted = isOutdated || this.capabilities.learnFromRejection(reason, hadTools);
    return new ModelFailure('bad_request', { fields: failure.fields, isAdjusted });
  }
}

/** A finished completion is whole, even when the server does not close the stream. */
function throwIfTripped(watch: Watchdog, completion: CompletionValidator): void {
  switch (watch.trippedBy) {
    case null:
      return;
    case 'caller':
      throw new ModelAbortedError('the caller aborted the request to the model');
    case 'first_byte':
      throw new ModelUnavailableError('the model server did not begin its reply in time', {
        mayConcernJobOnly: true,
      });
    case 'idle':
    case 'too_long':
      if (!completion.isFinished) throw new ModelFailure('stalled');
  }
}

/** The fields of a stream's event that are read. Servers may leave out any of them or send null. */
export interface ServerChunk {
  readonly choices?:
    | readonly {
        readonly delta?: {
          readonly content?: unknown;
          readonly refusal?: unknown;
          readonly tool_calls?: unknown;
        } | null;
        readonly finish_reason?: string | null;
        readonly error?: unknown;
      }[]
    | null;
  readonly usage?: {
    readonly prompt_tokens?: unknown;
    readonly completion_tokens?: unknown;
  } | null;
}

/**
 * More UTF-16 units than a token has in any language. It bounds servers that ignore the token
 * limit.
 */
const MAX_UNITS_PER_TOKEN = 12;
const HEAD_LENGTH = 64;
const BEGINS_LIKE_JSON = /^[\s\uFEFF]*(```[a-z]*\s*)?(\{|<think>)/i;

/** Reads the events of one completion and decides at its end whether it is whole. */
class CompletionValidator {
  private head = '';
  private length = 0;
  private isBlank = true;
  private isRefused = false;
  private finishReason: string | null = null;
  private readonly toolCalls = new ToolCallReader();

  constructor(
    private readonly maxTokens: number,
    /** Names of tools that may be called. */
    private readonly offered: readonly string[] = [],
  ) {}

  /** The server has sent the finish reason; only the usage may follow. */
  get isFinished(): boolean {
    return this.finishReason !== null;
  }

  /** Null when the model called tools and wrote no text. */
  get beginsLikeJson(): boolean | null {
    return this.isBlank ? null : BEGINS_LIKE_JSON.test(this.head);
  }

  /** Calls of offered tools; complete once the completion is whole. */
  get calls(): ModelChunk[] {
    return this.toolCalls.list().flatMap(({ name, input }): ModelChunk[] => {
      return this.offered.includes(name) ? [{ type: 'call', name, input }] : [];
    });
  }

  /** Reads an event and returns what the caller gets of it. */
  take(chunk: ServerChunk): ModelChunk[] {
    const choice = chunk.choices?.[0];
    if (choice?.error !== undefined && choice.error !== null) {
      throw classifyServerError({ body: choice.error });
    }
    this.finishReason = choice?.finish_reason ?? this.finishReason;
    if (isWords(choice?.delta?.refusal)) this.isRefused = true;
    this.toolCalls.take(choice?.delta?.tool_calls);
    return [...this.takeText(choice?.delta?.content), ...usageOf(chunk)];
  }

  /** Throws ModelFailure unless the completion is whole. */
  assertWhole(): void {
    const kind = this.failure();
    if (kind !== null) throw new ModelFailure(kind);
  }

  private failure(): ModelFailureKind | null {
    if (this.isRefused) return 'refused';
    const reason = this.finishReason ?? 'none';
    switch (reason) {
      case 'stop':
        return this.isBlank && this.calls.length === 0 ? 'empty' : null;
      case 'length':
      case 'content_filter':
        return reason;
      case 'tool_calls':
        return this.calls.length === 0 ? 'malformed' : null;
      case 'function_call':
        return 'malformed';
      default:
        return 'cut';
    }
  }

  private takeText(text: unknown): ModelChunk[] {
    if (typeof text !== 'string' || text === '') return [];
    this.length += text.length;
    if (this.length > this.maxTokens * MAX_UNITS_PER_TOKEN) throw new ModelFailure('length');
    if (this.head.length < HEAD_LENGTH) this.head += text;
    if (this.isBlank) this.isBlank = text.trim() === '';
    return [{ type: 'text', text }];
  }
}

function isWords(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function usageOf({ usage }: ServerChunk): ModelChunk[] {
  const input = usage?.prompt_tokens;
  const output = usage?.completion_tokens;
  if (typeof input !== 'number' || typeof output !== 'number') return [];
  return [{ type: 'usage', inputTokens: input, outputTokens: output }];
}
