import type { Audio, OpenAiTranscriptions, TranscriptionResult } from './openai-transcriptions';
import type { RecordedRequest, RecordedRequests, RequestResult } from './recorded-requests';

/**
 * Audio as text, if a transcription model is configured. Each request is recorded in the ledger.
 */
export class Transcriptions {
  constructor(
    private readonly client: OpenAiTranscriptions | null,
    private readonly requests: RecordedRequests,
  ) {}

  /** False: no model is configured, and a request is a bug. */
  get isOn(): boolean {
    return this.client !== null;
  }

  /** One request for each audio in the ledger; each attempt has its own `epoch`. */
  async transcribe(
    asked: {
      readonly subject: string;
      readonly epoch: number;
      readonly audio: Audio;
      readonly admit?: RecordedRequest['admit'];
    },
    signal: AbortSignal,
  ): Promise<RequestResult<TranscriptionResult>> {
    const { client } = this;
    if (client === null)
      throw new Error('a transcript was requested, but no transcription model is configured');
    const { subject, epoch, audio, admit } = asked;
    const { model, baseUrl } = client;
    const of = { subject, purpose: 'transcribe', model, baseUrl } as const;
    const request = { ...of, n: 1, epoch, admit };
    return this.requests.send(request, () => client.transcribe(audio, signal));
  }
}
