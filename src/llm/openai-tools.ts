import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { Clock } from '../common/clock';
import { assertOutsideCommit } from '../common/uow';
import { ModelFailure } from './errors';
import {
  type ServerAddress,
  assertBody,
  openAiAt,
  serverErrorOf,
  watched,
  Watchdog,
} from './openai-http';
import type { OfferedTool } from './model-client';
import { rejectionOf } from './rejection';
import { limitNameAt } from './server-capabilities';
import { type ToolCall, ToolCallReader, wireTools } from './tool-calls';
import type { RecordedRequests, Requested } from './recorded-requests';

export interface ToolOptions extends ServerAddress {
  readonly model: string;
  readonly timeoutMs: number;
}

/** A message of the loop; each result belongs to a call of the message before. */
export type ToolMessage =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'calls'; readonly calls: readonly ToolCall[] }
  | { readonly role: 'result'; readonly callId: string; readonly content: string };

export interface ToolRequest {
  readonly system: string;
  readonly messages: readonly ToolMessage[];
  readonly tools: readonly OfferedTool[];
  readonly maxOutputTokens: number;
}

export interface ToolCallResult {
  readonly calls: readonly ToolCall[];
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** A model that acts by tool calls; its text is not read. */
export class OpenAiTools {
  private readonly openai;
  private limitName;

  constructor(
    private readonly options: ToolOptions,
    private readonly clock: Clock,
  ) {
    this.openai = openAiAt(options);
    this.limitName = limitNameAt(options.baseUrl);
  }

  get model(): string {
    return this.options.model;
  }

  /**
   * Exactly one HTTP request, never inside a commit. Throws ModelUnavailableError, ModelFailure, or
   * ModelAbortedError when `signal` aborted; none of them has text of a server or a person.
   */
  async request(request: ToolRequest, signal: AbortSignal): Promise<ToolCallResult> {
    assertOutsideCommit('model');
    const watch = new Watchdog(this.clock, signal, this.options.timeoutMs);
    const body = this.bodyOf(request);
    const send = async (): Promise<ToolCallResult> => {
      try {
        const sent = this.openai.chat.completions.create(body, { signal: watch.signal });
        return resultOf(await sent);
      } catch (error) {
        const reported = serverErrorOf(error, this.clock.now());
        if (reported !== null && rejectionOf(reported, 0).named.includes('limit_name')) {
          this.limitName = this.limitName === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
        }
        throw error;
      }
    };
    return watched(watch, send, () => this.clock.now());
  }

  private bodyOf(request: ToolRequest): ChatCompletionCreateParamsNonStreaming {
    const { system, messages, tools, maxOutputTokens } = request;
    return {
      model: this.options.model,
      messages: [{ role: 'system', content: system }, ...messages.map(wireMessage)],
      tools: wireTools(tools),
      [this.limitName]: maxOutputTokens,
    };
  }
}

function wireMessage(message: ToolMessage): ChatCompletionMessageParam {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.content };
    case 'result':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    case 'calls':
      return {
        role: 'assistant',
        content: null,
        tool_calls: message.calls.map(({ id, name, input }) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(input ?? {}) },
        })),
      };
  }
}

interface WireCompletion {
  readonly choices?:
    | readonly {
        readonly message?: { readonly tool_calls?: unknown } | null;
      }[]
    | null;
  readonly usage?: {
    readonly prompt_tokens?: unknown;
    readonly completion_tokens?: unknown;
  } | null;
}

function resultOf(body: unknown): ToolCallResult {
  assertBody(body);
  const { choices, usage } = body as WireCompletion;
  const message = choices?.[0]?.message;
  if (message === undefined || message === null) throw new ModelFailure('malformed');
  const reader = new ToolCallReader();
  reader.take(message.tool_calls);
  const input = usage?.prompt_tokens;
  const output = usage?.completion_tokens;
  const isCounted = typeof input === 'number' && typeof output === 'number';
  return {
    calls: reader.list(),
    ...(isCounted ? { inputTokens: input, outputTokens: output } : {}),
  };
}

/**
 * The model that chooses by tool calls, if a key is set. Each request is recorded in the ledger.
 */
export class RerankModel {
  constructor(
    private readonly client: OpenAiTools | null,
    private readonly requests: RecordedRequests,
  ) {}

  /** False: no model is configured, and a request is a bug. */
  get isOn(): boolean {
    return this.client !== null;
  }

  async request(
    asked: ToolRequest & { readonly flushId: string },
    signal: AbortSignal,
  ): Promise<Requested<ToolCallResult>> {
    const { client } = this;
    if (client === null) throw new Error('a model was called, but none is configured');
    const { flushId, ...request } = asked;
    return this.requests.send({ flushId, purpose: 'rerank', model: client.model }, () =>
      client.request(request, signal),
    );
  }
}
