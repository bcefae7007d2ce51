import { toFile } from 'openai';
import type { Clock } from '../common/clock';
import { storable } from '../common/text';
import { assertOutsideCommit } from '../common/uow';
import { MAX_AUDIO_BYTES, uploadName } from './audio-upload';
import { ModelFailure } from './errors';
import { type ServerAddress, assertBody, openAiAt, watched } from './openai-sdk';
import { Watchdog } from './watchdog';

export interface TranscriptionOptions extends ServerAddress {
  readonly model: string;
  readonly timeoutMs: number;
}

export interface Audio {
  readonly bytes: Buffer;
  readonly mimeType: string;
  /** As its channel calls it; only its ending is used. */
  readonly fileName?: string | null;
}

export interface TranscriptionResult {
  /** With something in it, and nothing that cannot be stored. */
  readonly text: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** Audio as text, by any server that speaks the audio transcriptions protocol. */
export class OpenAiTranscriptions {
  private readonly openai;

  constructor(
    private readonly options: TranscriptionOptions,
    private readonly clock: Clock,
  ) {
    this.openai = openAiAt(options);
  }

  get model(): string {
    return this.options.model;
  }

  /**
   * Exactly one HTTP request, never inside a commit. Throws ModelUnavailableError, ModelFailure, or
   * ModelAbortedError when `signal` aborted; no word of anybody is in any of them.
   */
  async transcribe(audio: Audio, signal: AbortSignal): Promise<TranscriptionResult> {
    assertOutsideCommit('model');
    if (audio.bytes.length > MAX_AUDIO_BYTES) throw new ModelFailure('bad_request');
    const { model, timeoutMs } = this.options;
    const { bytes, mimeType, fileName } = audio;
    const file = await toFile(bytes, uploadName(mimeType, fileName ?? null), { type: mimeType });
    const watch = new Watchdog(this.clock, signal, timeoutMs);
    const body = { model, file, response_format: 'json' as const };
    const request = async (): Promise<TranscriptionResult> =>
      answerOf(await this.openai.audio.transcriptions.create(body, { signal: watch.signal }));
    return watched(watch, request, () => this.clock.now());
  }
}

function answerOf(body: unknown): TranscriptionResult {
  assertBody(body);
  const { text, usage } = body as {
    text?: unknown;
    usage?: { input_tokens?: unknown; output_tokens?: unknown } | null;
  };
  if (typeof text !== 'string') throw new ModelFailure('malformed');
  const clean = storable(text, ' ').trim();
  if (clean === '') throw new ModelFailure('empty');
  const input = usage?.input_tokens;
  const output = usage?.output_tokens;
  const isCounted = typeof input === 'number' && typeof output === 'number';
  return { text: clean, ...(isCounted ? { inputTokens: input, outputTokens: output } : {}) };
}
