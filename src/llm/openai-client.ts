import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { Clock } from '../common/clock';
import { ColloquyError } from '../common/errors';
import type { StreamedResponse } from '../common/http';
import { assertOutsideCommit } from '../common/uow';
import { CompletionReader, type ServerChunk } from './completion-reader';
import { ModelAbortedError, ModelFailure, ModelUnavailableError } from './errors';
import { EventStreamReader, type StreamEvent } from './event-stream';
import {
  type ModelRequest,
  type ModelChunk,
  ModelClient,
  type UnsupportedFeature,
  unsupportedBy,
} from './model-client';
import { failureOf, ReportedError, serverErrorOf, StreamingClient, Watchdog } from './openai-http';
import { rejectionOf } from './rejection';
import {
  type Prompt,
  promptOf,
  limitNameAt,
  type RequestForm,
  ServerCapabilities,
} from './server-capabilities';
import { isErrorBody } from './server-error';
import { wireTools } from './tool-calls';

/**
 * Any server with the chat completions protocol. One request per call, never a retry. No error has
 * the server's text, which may contain the prompt or part of the key.
 */
export class OpenAiClient extends ModelClient {
  override readonly model: string;
  override readonly baseUrl: string;
  private readonly openai;
  private readonly capabilities;
  /** In the last whole completion. */
  private lacking: readonly UnsupportedFeature[] = [];

  constructor(
    private readonly options: OpenAiOptions,
    private readonly clock: Clock,
  ) {
    super();
    const { baseUrl, model } = options;
    this.model = model;
    this.baseUrl = baseUrl;
    this.capabilities = new ServerCapabilities(limitNameAt(baseUrl), clock, model);
    this.openai = new StreamingClient(options);
  }

  override get unsupported(): readonly UnsupportedFeature[] {
    return this.lacking;
  }

  override stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk> {
    assertOutsideCommit('model');
    return this.attempt(request, signal);
  }

  /** One generator and no other one inside, because each costs every chunk some turns of the microtasks. */
  private async *attempt(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelChunk, void> {
    const sent = this.formed(request);
    const { prompt, form, completion } = sent;
    const watch = new Watchdog(this.clock, signal, this.options.requestTimeoutMs);
    let isLeft = true;
    try {
      const { pieces, reader } = await this.received(request, sent, watch);
      for await (const bytes of pieces) {
        // The watchdog runs only while this waits for the server.
        watch.pause();
        for (const event of reader.push(bytes)) {
          for (const chunk of chunksOf(event, completion)) yield chunk;
        }
        this.expectMore(completion, watch);
      }
      watch.pause();
      for (const event of reader.end()) {
        for (const chunk of chunksOf(event, completion)) yield chunk;
      }
      isLeft = false;
      throwIfTripped(watch, completion);
    } catch (error) {
      isLeft = false;
      throwIfTripped(watch, completion);
      if (!completion.isFinished || error instanceof ColloquyError)
        throw this.failureOf(error, sent);
    } finally {
      watch.close();
      // Who leaves at the header of a reply has read enough to know that the server accepted the form.
      if (isLeft && completion.hasObject === true) this.capabilities.completed(prompt, form, true);
    }
    yield* completion.answeredModel;
    if (completion.ranOutOfRoom) {
      const isAdjusted = this.reasoningTokens > 0 && this.capabilities.ranOutOfRoom(prompt, form);
      throw new ModelFailure('length', { isAdjusted });
    }
    completion.assertWhole();
    if (completion.isAlone) this.capabilities.gaveOneChoice();
    this.capabilities.completed(prompt, form, completion.hasObject);
    this.lacking = unsupportedBy({ ...form, hasReason: completion.hasReason });
    yield* completion.written;
    yield* completion.calls;
  }

  private async received(
    request: ModelRequest,
    { form, maxTokens, choices }: SentRequest,
    watch: Watchdog,
  ): Promise<ReceivedBody> {
    const { model, options } = this;
    watch.expect(options.firstByteTimeoutMs, 'first_byte');
    const body = requestBody(request, { model, form, maxTokens, choices });
    return bodyOf(await this.openai.responseTo(body, watch.signal));
  }

  private expectMore({ isExpectingNoMore }: CompletionReader, watch: Watchdog): void {
    const { idleTimeoutMs } = this.options;
    watch.expect(
      isExpectingNoMore ? Math.min(AFTER_FINISH_MS, idleTimeoutMs) : idleTimeoutMs,
      'idle',
    );
  }

  private formed(request: ModelRequest): SentRequest {
    const prompt = promptOf(request);
    const form = this.capabilities.formFor(prompt);
    const wanted = Math.min(request.maxOutputTokens, this.options.maxOutputTokens);
    const room = form.hasRoomForReasoning ? this.reasoningTokens : 0;
    const maxTokens = Math.min(wanted + room, form.mostTokens);
    const offered = (request.tools ?? []).map(({ name }) => name);
    const choices = form.offersChoices ? (request.choices ?? 1) : 1;
    const completion = new CompletionReader(maxTokens, offered, choices);
    return { prompt, form, maxTokens, choices, completion };
  }

  private get reasoningTokens(): number {
    return this.options.maxReasoningTokens ?? DEFAULT_REASONING_TOKENS;
  }

  private failureOf(
    error: unknown,
    { prompt, form, maxTokens, completion }: SentRequest,
  ): ColloquyError {
    const now = this.clock.now();
    const failure = failureOf(error, now);
    const reported = serverErrorOf(error, now);
    if (reported === null || !completion.isBlank) return failure;
    const mayExplain = !(failure instanceof ModelFailure && failure.kind === 'content_filter');
    const { status } = failure.fields;
    if (!mayExplain || !MAY_BE_FORM.has(status)) return failure;
    const isAdjusted = this.capabilities.rejected(prompt, form, {
      ...rejectionOf(reported, maxTokens),
      mayGuess: failure instanceof ModelFailure && UNEXPLAINED.has(status),
      fields: failure.fields,
    });
    return isAdjusted
      ? new ModelFailure('bad_request', { fields: failure.fields, isAdjusted })
      : failure;
  }
}

const DEFAULT_REASONING_TOKENS = 8000;
/** The wait for the usage after the finish reason. */
const AFTER_FINISH_MS = 2_000;

export interface OpenAiOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** For the whole request, to the end of its response. */
  readonly requestTimeoutMs: number;
  readonly maxOutputTokens: number;
  /** More tokens of output after reasoning has used up those of a reply. */
  readonly maxReasoningTokens?: number;
}

/** One request, and how it is sent. */
interface SentRequest {
  readonly prompt: Prompt;
  readonly form: RequestForm;
  readonly maxTokens: number;
  /** How many completions are asked for. */
  readonly choices: number;
  readonly completion: CompletionReader;
}

/** The request in this form. Pure. */
export function requestBody(
  request: ModelRequest,
  chosen: {
    readonly model: string;
    readonly form: RequestForm;
    readonly maxTokens: number;
    readonly choices?: number;
  },
): ChatCompletionCreateParamsStreaming {
  const { model, form, maxTokens, choices = 1 } = chosen;
  const { tools = [] } = request;
  return {
    model,
    stream: true,
    messages: messagesOf(request, form),
    [form.tokenLimitName]: maxTokens,
    ...(choices > 1 ? { n: choices } : {}),
    ...(form.offersTools && tools.length > 0 ? { tools: wireTools(tools) } : {}),
    ...(form.asksForUsage ? { stream_options: { include_usage: true } } : {}),
    ...(form.format === 'json_schema' ? responseFormat(request) : {}),
  };
}

function messagesOf(request: ModelRequest, form: RequestForm): ChatCompletionMessageParam[] {
  const system = systemFor(request, form);
  const messages = request.messages.map(({ role, content }) => ({ role, content }));
  if (form.hasSystemRole) return [{ role: 'system', content: system }, ...messages];
  const [first, ...others] = messages;
  if (first?.role !== 'user') return [{ role: 'user', content: system }, ...messages];
  return [{ role: 'user', content: `${system}\n\n${first.content}` }, ...others];
}

function systemFor({ system, schema }: ModelRequest, { format }: RequestForm): string {
  if (format === 'json_schema') return system;
  return `${system}\n\nReply with one JSON object and nothing else, its keys in this order, valid for this JSON schema:\n${JSON.stringify(schema.jsonSchema)}`;
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

/** What a response with status 200 contains, and what finds its events in there. */
interface ReceivedBody {
  readonly pieces: AsyncIterable<Uint8Array> | readonly Uint8Array[];
  readonly reader: Pick<EventStreamReader, 'push' | 'end'>;
}

/**
 * With status 200 OpenRouter sends some errors as plain JSON, a server without streaming sends the whole
 * completion, and a wrong address serves a web page.
 */
async function bodyOf(response: StreamedResponse): Promise<ReceivedBody> {
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('text/html')) {
    throw new ModelUnavailableError(
      'the address of the model server serves a web page; check OPENAI_BASE_URL',
      {
        mayConcernJobOnly: true,
      },
    );
  }
  if (!type.includes('json')) return { pieces: response.pieces, reader: new EventStreamReader() };
  const data = await response.text();
  return { pieces: [], reader: { push: () => [], end: () => [{ name: '', data }] } };
}

/** What the caller gets of an event. */
function chunksOf(event: StreamEvent, completion: CompletionReader): readonly ModelChunk[] {
  const isObject = OBJECT.test(event.data);
  if (!isObject && END.test(event.data)) completion.done();
  const chunk = completion.isDone ? null : chunkOf(event, isObject);
  return chunk === null ? [] : completion.take(chunk);
}

const OBJECT = /^\s*\{/;
const END = /^\s*\[DONE\]/;

/** Events of other names are read only if they are JSON. */
const UNNAMED: ReadonlySet<string> = new Set(['', 'message']);

/** One event of a completion; null: it is none, as a sign of life of a gateway. Throws ReportedError. */
function chunkOf({ name, data }: StreamEvent, isObject: boolean): ServerChunk | null {
  if (name === 'error' && !isObject) throw new ReportedError(data);
  if (!isObject) return null;
  const body = parsed(data, UNNAMED.has(name) || name === 'error');
  if (body === null) return null;
  if (name === 'error' || isErrorBody(body)) throw new ReportedError(body);
  return body;
}

function parsed(data: string, isRequired: boolean): object | null {
  try {
    return JSON.parse(data) as object;
  } catch (error) {
    if (isRequired) throw error;
    return null;
  }
}

/** Statuses of rejections that name no reason. */
const UNEXPLAINED: ReadonlySet<unknown> = new Set([400, 422]);
/**
 * Statuses of a rejection that names a part of the request: OpenRouter uses 404 for tools, llama.cpp 500
 * for templates and tools. Undefined: in a stream.
 */
const MAY_BE_FORM: ReadonlySet<unknown> = new Set([undefined, 400, 404, 422, 500, 501]);

/** A finished completion is whole, even when the server does not close the stream. */
function throwIfTripped(watch: Watchdog, completion: CompletionReader): void {
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
