import { GrowingText } from '../common/text';
import { ModelFailure, type ModelFailureKind, ModelUnavailableError } from './errors';
import type { Choice, ModelChunk } from './model-client';
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

/** One of the completions of a request, whole or the next piece of it. */
interface WireChoice {
  readonly index?: unknown;
  readonly delta?: WireMessage | null;
  readonly message?: WireMessage | null;
  readonly finish_reason?: unknown;
  readonly error?: unknown;
}

/** The fields of a completion, or of a stream's event, that are read. Servers may leave out any of them. */
export interface ServerChunk {
  readonly model?: unknown;
  readonly choices?: readonly WireChoice[] | null;
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

/**
 * Reads the events of one completion, or of several at a time, and decides at its end whether it is whole. Of
 * several, the events may be mixed; it is whole when one of them is.
 */
export class CompletionReader {
  /** In the order in which they began, by their number. */
  private readonly choices = new Map<number, ChoiceReader>();
  private hasEnded = false;
  private model: string | null = null;

  constructor(
    private readonly maxTokens: number,
    /** Names of tools that may be called. */
    private readonly offered: readonly string[] = [],
    /** How many completions the server was asked for. */
    private readonly wanted = 1,
  ) {}

  /** Everything that has begun is finished: the server has sent its reason, or the end of the stream. */
  get isFinished(): boolean {
    return this.hasEnded || (this.choices.size > 0 && this.all.every(({ isOver }) => isOver));
  }

  /** Only the usage may follow. */
  get isExpectingNoMore(): boolean {
    return this.isFinished && (this.hasEnded || this.choices.size >= this.wanted);
  }

  /** Several were asked for, and one came. */
  get isAlone(): boolean {
    return this.wanted > 1 && this.choices.size === 1;
  }

  /** After `[DONE]` nothing is read. */
  get isDone(): boolean {
    return this.hasEnded;
  }

  get isBlank(): boolean {
    return this.all.every(({ isBlank }) => isBlank);
  }

  /** Null when the model wrote no text. */
  get hasObject(): boolean | null {
    const written = this.all.filter(({ isBlank }) => !isBlank);
    return written.length === 0 ? null : written.some(({ text }) => OBJECT_BEGINS.test(text));
  }

  /** The limit ended the completion, and reasoning has used up the output before it or all of it. */
  get ranOutOfRoom(): boolean {
    if (this.choices.size === 0 || this.calls.length > 0) return false;
    return this.all.every(({ ranOutOfRoom }) => ranOutOfRoom);
  }

  /** The server has said how the completion ended. */
  get hasReason(): boolean {
    return this.choices.size > 0 && this.all.every(({ finishReason }) => finishReason !== null);
  }

  /** Calls of offered tools; complete once the completion is whole. */
  get calls(): ModelChunk[] {
    const list = this.first?.toolCalls.list() ?? [];
    return list.flatMap(({ name, input }): ModelChunk[] => {
      return this.offered.includes(name) ? [{ type: 'call', name, input }] : [];
    });
  }

  /** Each completion, once the whole is; none when only one was asked for. */
  get written(): ModelChunk[] {
    if (this.wanted === 1) return [];
    return this.all.map((one): ModelChunk => {
      const reason = one.failure(this.hasEnded, false);
      const choice: Choice = reason === null ? { ok: true, text: one.text } : { ok: false, reason };
      return { type: 'choice', choice };
    });
  }

  /** Reads an event, or a whole completion, and returns what the caller gets of it. */
  take(chunk: ServerChunk): ModelChunk[] {
    const taken: ModelChunk[] = [];
    for (const [place, choice] of (chunk.choices ?? []).entries()) {
      if (place === this.wanted) break;
      const reader = this.readerOf(choice, place);
      const text = reader?.take(choice) ?? '';
      if (text !== '' && reader === this.first) taken.push({ type: 'text', text });
    }
    if (this.model === null && isWords(chunk.model)) {
      this.model = String(chunk.model).slice(0, MAX_MODEL_NAME);
    }
    const usage = usageOf(chunk);
    if (usage !== null) taken.push(usage);
    return taken;
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
    const hasCalls = this.calls.length > 0;
    const kinds = this.all.map((one) => one.failure(this.hasEnded, hasCalls));
    const [first = 'cut'] = kinds;
    if (kinds.includes(null)) return;
    throw new ModelFailure(first ?? 'cut');
  }

  private get all(): readonly ChoiceReader[] {
    return [...this.choices.values()];
  }

  private get first(): ChoiceReader | undefined {
    const [first] = this.choices.values();
    return first;
  }

  /** A server that was asked for one may number it as it likes. Undefined: it is one too many. */
  private readerOf({ index }: WireChoice, place: number): ChoiceReader | undefined {
    const n = this.wanted === 1 ? 0 : typeof index === 'number' ? index : place;
    const known = this.choices.get(n);
    if (known !== undefined || this.choices.size >= this.wanted) return known;
    const reader = new ChoiceReader(this.maxTokens);
    this.choices.set(n, reader);
    return reader;
  }
}

/** Reads one completion. */
class ChoiceReader {
  private readonly written = new GrowingText();
  finishReason: string | null = null;
  readonly toolCalls = new ToolCallReader();
  private isRefused = false;
  private hasReasoned = false;
  private isReasonRepeated = false;

  constructor(private readonly maxTokens: number) {}

  get text(): string {
    return this.written.toString();
  }

  get isBlank(): boolean {
    return this.text.trim() === '';
  }

  get isOver(): boolean {
    return this.finishReason !== null && !this.isReasonRepeated;
  }

  get ranOutOfRoom(): boolean {
    const isOver = this.finishReason !== null && endingOf(this.finishReason) === 'length';
    return isOver && (this.hasReasoned || this.isBlank || holdsReasoning(this.text));
  }

  /** Returns the text that this adds. */
  take(choice: WireChoice): string {
    if (choice.error !== undefined && choice.error !== null) throw new ReportedError(choice.error);
    // Ollama of May 2024 sends an empty reason with every piece (ollama#4357).
    const reason = choice.finish_reason ?? '';
    const message = choice.delta ?? choice.message;
    const text = this.textOf(message?.content);
    // Gateways to Gemini repeat the reason with every piece, so it ends nothing.
    if (text !== '' && this.finishReason !== null) this.isReasonRepeated = true;
    if (reason !== '') this.finishReason = typeof reason === 'string' ? reason : 'unknown';
    if (isWords(message?.refusal)) this.isRefused = true;
    if (isWords(message?.reasoning_content) || isWords(message?.reasoning)) this.hasReasoned = true;
    this.toolCalls.take(message?.tool_calls);
    this.written.append(text);
    if (this.written.length > this.maxTokens * MAX_UNITS_PER_TOKEN)
      throw new ModelFailure('length');
    return text;
  }

  /** Why it is not whole; null: it is. */
  failure(hasEnded: boolean, hasCalls: boolean): ModelFailureKind | null {
    if (this.isRefused) return 'refused';
    if (this.finishReason === null) {
      return hasEnded && (hasCalls || !this.isBlank) ? null : 'cut';
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

function usageOf({ usage }: ServerChunk): ModelChunk | null {
  const input = usage?.prompt_tokens;
  const output = usage?.completion_tokens;
  if (typeof input !== 'number' || typeof output !== 'number') return null;
  return { type: 'usage', inputTokens: input, outputTokens: output };
}
