import type { Clock } from '../common/clock';
import { assertOutsideCommit } from '../common/uow';
import { ModelFailure } from './errors';
import { type ServerAddress, assertBody, openAiAt, watched, Watchdog } from './openai-http';

export interface EmbeddingOptions extends ServerAddress {
  readonly model: string;
  readonly timeoutMs: number;
}

export interface EmbeddingResult {
  /** One for each text, in their order, all of one length, with finite numbers. */
  readonly vectors: readonly (readonly number[])[];
  readonly inputTokens?: number;
  /** The model that responded, as the server calls it. */
  readonly model?: string;
}

/** More than any model has. */
const MAX_DIMENSIONS = 8192;

/** Texts as vectors, by any server with the embeddings protocol. */
export class OpenAiEmbeddings {
  private readonly openai;

  constructor(
    private readonly options: EmbeddingOptions,
    private readonly clock: Clock,
  ) {
    this.openai = openAiAt(options);
  }

  get model(): string {
    return this.options.model;
  }

  get baseUrl(): string {
    return this.options.baseUrl;
  }

  /**
   * Exactly one HTTP request, never inside a commit. Throws ModelUnavailableError, ModelFailure, or
   * ModelAbortedError when `signal` aborted; none of them has any of the texts.
   */
  async embed(texts: readonly string[], signal: AbortSignal): Promise<EmbeddingResult> {
    assertOutsideCommit('model');
    const { model, timeoutMs } = this.options;
    const watch = new Watchdog(this.clock, signal, timeoutMs);
    // By default the library requests base64, which some servers lack.
    const body = { model, input: [...texts], encoding_format: 'float' as const };
    const request = async (): Promise<EmbeddingResult> =>
      resultOf(await this.openai.embeddings.create(body, { signal: watch.signal }), texts.length);
    return watched(watch, request, () => this.clock.now());
  }
}

function resultOf(body: unknown, count: number): EmbeddingResult {
  assertBody(body);
  const { data, usage, model } = body as {
    data?: unknown;
    usage?: { prompt_tokens?: unknown } | null;
    model?: unknown;
  };
  const vectors = Array.isArray(data) ? inOrder(data) : [];
  const length = vectors[0]?.length ?? 0;
  const isWhole = vectors.length === count && vectors.every((vector) => vector.length === length);
  if (!isWhole) throw new ModelFailure('malformed');
  const inputTokens = usage?.prompt_tokens;
  return {
    vectors,
    ...(typeof inputTokens === 'number' ? { inputTokens } : {}),
    ...(typeof model === 'string' ? { model } : {}),
  };
}

/** Items have an index; servers that leave it out keep the order. */
function inOrder(data: readonly unknown[]): number[][] {
  const placed = data.map((item, place) => {
    const { index, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown };
    return { index: typeof index === 'number' ? index : place, vector: vectorOf(embedding) };
  });
  const isEachOnce = new Set(placed.map(({ index }) => index)).size === data.length;
  if (!isEachOnce) throw new ModelFailure('malformed');
  return placed.sort((a, b) => a.index - b.index).map(({ vector }) => vector);
}

function vectorOf(value: unknown): number[] {
  const isVector =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_DIMENSIONS &&
    value.every((number) => Number.isFinite(number)) &&
    value.some((number) => number !== 0);
  if (!isVector) throw new ModelFailure('malformed');
  return value as number[];
}
