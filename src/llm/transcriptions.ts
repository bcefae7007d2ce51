import type { Audio, OpenAiTranscriptions, TranscriptionResult } from './openai-transcriptions';
import type { RecordedRequests, Requested } from './recorded-requests';

/** Audio as text, if a model for that is configured; each request is in the ledger. */
export class Transcriptions {
  constructor(
    private readonly client: OpenAiTranscriptions | null,
    private readonly requests: RecordedRequests,
  ) {}

  /** False: there is none, and asking it is a bug. */
  get isOn(): boolean {
    return this.client !== null;
  }

  /** One logical request for an audio, whose every attempt has an `epoch` of its own. */
  async transcribe(
    asked: { readonly flushId: string; readonly epoch: number; readonly audio: Audio },
    signal: AbortSignal,
  ): Promise<Requested<TranscriptionResult>> {
    const { client } = this;
    if (client === null) throw new Error('no transcription model is configured, and one was asked');
    const { flushId, epoch, audio } = asked;
    const request = { flushId, purpose: 'transcribe', model: client.model, n: 1, epoch } as const;
    return this.requests.send(request, () => client.transcribe(audio, signal));
  }
}
