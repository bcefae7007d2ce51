import { classifyServerError, ModelFailure, type ModelFailureKind } from './errors';
import type { ModelChunk } from './model-client';
import { ToolCallReader } from './tool-calls';

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
export class CompletionValidator {
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
