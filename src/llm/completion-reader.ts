import { ModelFailure, type ModelFailureKind, ModelUnavailableError } from './errors';
import type { ModelChunk } from './model-client';
import { holdsReasoning, objectIn } from './model-output';
import { ReportedError } from './openai-http';
import { ToolCallReader } from './tool-calls';

/** The message of a completion, whole or the next piece of it. */
interface WireMessage {
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly tool_calls?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
}

/** The fields of a completion, or of a stream's event, that are read. Servers may leave out any of them. */
export interface ServerChunk {
  readonly model?: unknown;
  readonly choices?:
    | readonly {
        readonly delta?: WireMessage | null;
        readonly message?: WireMessage | null;
        readonly finish_reason?: unknown;
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
const MAX_MODEL_NAME = 200;
const OBJECT_BEGINS = /\{\s*"/;

/** Reads the events of one completion and decides at its end whether it is whole. */
export class CompletionReader {
  private text = '';
  private isRefused = false;
  private hasReasoned = false;
  private finishReason: string | null = null;
  private isReasonRepeated = false;
  private hasEnded = false;
  private model: string | null = null;
  private readonly toolCalls = new ToolCallReader();

  constructor(
    private readonly maxTokens: number,
    /** Names of tools that may be called. */
    private readonly offered: readonly string[] = [],
  ) {}

  /** The server has sent the finish reason, or the end of the stream; only the usage may follow. */
  get isFinished(): boolean {
    return (this.finishReason !== null && !this.isReasonRepeated) || this.hasEnded;
  }

  /** After `[DONE]` nothing is read. */
  get isDone(): boolean {
    return this.hasEnded;
  }

  get isBlank(): boolean {
    return this.text.trim() === '';
  }

  /** Null when the model wrote no text. */
  get hasObject(): boolean | null {
    return this.isBlank ? null : OBJECT_BEGINS.test(this.text);
  }

  /** The limit ended the completion, and reasoning has used up the output before it or all of it. */
  get ranOutOfRoom(): boolean {
    const isOver = this.finishReason !== null && endingOf(this.finishReason) === 'length';
    if (!isOver || this.calls.length > 0) return false;
    return this.hasReasoned || this.isBlank || holdsReasoning(this.text);
  }

  /** The server has said how the completion ended. */
  get hasReason(): boolean {
    return this.finishReason !== null;
  }

  /** Calls of offered tools; complete once the completion is whole. */
  get calls(): ModelChunk[] {
    return this.toolCalls.list().flatMap(({ name, input }): ModelChunk[] => {
      return this.offered.includes(name) ? [{ type: 'call', name, input }] : [];
    });
  }

  /** Reads an event, or a whole completion, and returns what the caller gets of it. */
  take(chunk: ServerChunk): ModelChunk[] {
    const choice = chunk.choices?.[0];
    if (choice?.error !== undefined && choice.error !== null) throw new ReportedError(choice.error);
    // Ollama of May 2024 sends an empty reason with every piece (ollama#4357).
    const reason = choice?.finish_reason ?? '';
    const message = choice?.delta ?? choice?.message;
    const text = this.textOf(message?.content);
    // Gateways to Gemini repeat the reason with every piece, so it ends nothing.
    if (text !== '' && this.finishReason !== null) this.isReasonRepeated = true;
    if (reason !== '') this.finishReason = typeof reason === 'string' ? reason : 'unknown';
    if (isWords(message?.refusal)) this.isRefused = true;
    if (isWords(message?.reasoning_content) || isWords(message?.reasoning)) this.hasReasoned = true;
    this.toolCalls.take(message?.tool_calls);
    if (isWords(chunk.model)) this.model ??= String(chunk.model).slice(0, MAX_MODEL_NAME);
    return [...this.takeText(text), ...usageOf(chunk)];
  }

  /** The model that the server says it used. */
  get answeredModel(): ModelChunk[] {
    return this.model === null ? [] : [{ type: 'model', name: this.model }];
  }

  /** The server has ended the stream by `[DONE]`. */
  done(): void {
    this.hasEnded = true;
  }

  /** Throws ModelFailure unless the completion is whole. */
  assertWhole(): void {
    const kind = this.failure();
    if (kind !== null) throw new ModelFailure(kind);
  }

  private failure(): ModelFailureKind | null {
    if (this.isRefused) return 'refused';
    const hasCalls = this.calls.length > 0;
    if (this.finishReason === null) {
      return this.hasEnded && (hasCalls || !this.isBlank) ? null : 'cut';
    }
    const ending = endingOf(this.finishReason);
    switch (ending) {
      case 'stop':
        return this.isBlank && !hasCalls ? 'empty' : null;
      case 'calls':
        return hasCalls || isWholeObject(this.text) ? null : 'malformed';
      case 'unknown':
        return isWholeObject(this.text) ? null : 'cut';
      case 'outage':
        throw new ModelUnavailableError('the model server ended a reply for lack of resources', {
          mayConcernJobOnly: true,
        });
      case 'length':
      case 'content_filter':
      case 'refused':
      case 'malformed':
      case 'cut':
        return ending;
    }
  }

  /** A text, or parts of which only texts are read: `thinking`, `reference` and others are no reply. */
  private textOf(content: unknown): string {
    if (typeof content === 'string') return content;
    if (Array.isArray(content)) return content.map((part) => this.textOf(part)).join('');
    if (typeof content !== 'object' || content === null) return '';
    const { type, text, refusal } = content as Readonly<Record<string, unknown>>;
    if (type === 'refusal' && isWords(refusal)) this.isRefused = true;
    if (typeof type === 'string' && /think|reason/i.test(type)) this.hasReasoned = true;
    const isText = type === 'text' || type === 'output_text' || type === undefined;
    return isText && typeof text === 'string' ? text : '';
  }

  private takeText(text: string): ModelChunk[] {
    if (text === '') return [];
    this.text += text;
    if (this.text.length > this.maxTokens * MAX_UNITS_PER_TOKEN) throw new ModelFailure('length');
    return [{ type: 'text', text }];
  }
}

type Ending =
  | 'stop'
  | 'calls'
  /** It says neither that the completion is whole nor what is wrong with it. */
  | 'unknown'
  | 'outage'
  | Extract<ModelFailureKind, 'length' | 'content_filter' | 'refused' | 'malformed' | 'cut'>;

/**
 * What servers call the end of a completion, without case and signs: OpenAI, TGI (`eos_token`,
 * `stop_sequence`), Anthropic (`end_turn`, `max_tokens`, `tool_use`, `refusal`), Google (`STOP`,
 * `MAX_TOKENS`, `SAFETY`, `MALFORMED_FUNCTION_CALL`), Mistral (`model_length`), Cohere (`COMPLETE`),
 * Bedrock (`guardrail_intervened`), DeepSeek (`insufficient_system_resource`), Zhipu (`sensitive`).
 */
const ENDINGS: readonly (readonly [Ending, RegExp])[] = [
  ['malformed', /malformed|unexpected_tool|function_call/],
  ['calls', /^tool_?(calls?|use)$/],
  ['content_filter', /filter|safety|recitation|blocklist|prohibited|spii|sensitive|guardrail/],
  ['refused', /^refus/],
  ['length', /length|max_.*tokens|token_limit|context_window|^limit$/],
  ['outage', /insufficient_system_resource|overload/],
  ['cut', /^(error|abort|cancel|network_error|time_?out)/],
  [
    'stop',
    /^(stop(ped)?|stop_(sequence|str|word|token)|e(os|nd|ot)(_.*)?|complete(d)?|done|finish(ed)?|success|normal)$/,
  ],
];

function endingOf(reason: string): Ending {
  const word = reason
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '_')
    .replace(/^_|_$/g, '')
    .replace(/^(finish|stop)_reason_/, '');
  return ENDINGS.find(([, form]) => form.test(word))?.[0] ?? 'unknown';
}

function isWholeObject(text: string): boolean {
  return objectIn(text, (object) => object) !== null;
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
