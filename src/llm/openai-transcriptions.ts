import { toFile } from 'openai';
import type { Clock } from '../common/clock';
import { storable } from '../common/text';
import { assertOutsideCommit } from '../common/uow';
import { ModelFailure } from './errors';
import { type ServerAddress, assertBody, openAiAt, watched, Watchdog } from './openai-http';

/** Audio as text, by any server with the audio transcriptions protocol. */
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

  get baseUrl(): string {
    return this.options.baseUrl;
  }

  /**
   * Exactly one HTTP request, never inside a commit. Throws ModelUnavailableError, ModelFailure, or
   * ModelAbortedError when `signal` aborted; none of them has text of a server or a person.
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
      resultOf(await this.openai.audio.transcriptions.create(body, { signal: watch.signal }));
    return watched(watch, request, () => this.clock.now());
  }
}

/** The protocol's limit on an upload. */
export const MAX_AUDIO_BYTES = 25 * 1024 * 1024;

export interface TranscriptionOptions extends ServerAddress {
  readonly model: string;
  readonly timeoutMs: number;
}

export interface Audio {
  readonly bytes: Buffer;
  readonly mimeType: string;
  /** The channel's name for it; only its ending is used. */
  readonly fileName?: string | null;
}

export interface TranscriptionResult {
  /** Not blank, and without characters that cannot be stored. */
  readonly text: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

const ENDING_BY_TYPE: Readonly<Record<string, string>> = {
  'application/ogg': 'ogg',
  'audio/webm': 'webm',
  'audio/ogg': 'ogg',
  'audio/opus': 'ogg',
  'audio/mp4': 'mp4',
  'audio/x-m4a': 'm4a',
  'audio/m4a': 'm4a',
  'audio/aac': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/wav': 'wav',
  'audio/wave': 'wav',
  'audio/x-wav': 'wav',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/vnd.wave': 'wav',
  'video/mp4': 'mp4',
  'video/ogg': 'ogg',
  'video/webm': 'webm',
};

/** File endings that servers accept, and the ending to send in place of `.oga` (Telegram) and `.opus`. */
const TAKEN = new Set(['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'ogg', 'wav', 'webm']);
const OTHERWISE: Readonly<Record<string, string>> = { oga: 'ogg', opus: 'ogg' };

/**
 * The name of an upload. Servers read its ending, and reject the `.oga` of Telegram's voices. A known
 * type counts more than the given name, whose rest may be personal and is not sent.
 */
export function uploadName(mimeType: string, fileName: string | null): string {
  const type = mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const known = ENDING_BY_TYPE[type];
  if (known !== undefined) return `voice.${known}`;
  const given = /\.([a-z0-9]+)$/i.exec(fileName ?? '')?.[1]?.toLowerCase() ?? '';
  const ending = OTHERWISE[given] ?? given;
  return `voice.${TAKEN.has(ending) ? ending : 'ogg'}`;
}

function resultOf(body: unknown): TranscriptionResult {
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
