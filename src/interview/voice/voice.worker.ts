import { Injectable } from '@nestjs/common';
import { isBlank } from '../../buffer';
import { ColloquyError } from '../../common/errors';
import type { Tx } from '../../common/uow';
import { ModelAbortedError, ModelFailure, ModelUnavailableError, Transcriptions } from '../../llm';
import {
  type Claim,
  type DeadJob,
  JobHandler,
  type JobHandlerClass,
  type JobFlow,
  Jobs,
  callUnderLease,
} from '../../jobs';
import { mayBeShown } from '../prompts/turn-prompt';
import { isOfScript } from '../texts/disclosure';
import {
  MAX_VOICE_BYTES,
  type VoiceEnd,
  type VoiceProblem,
  type VoiceRow,
  VoiceRepository,
} from './voice.repository';
import { soundOf } from './voice.service';
import { type LockedVoice, VoiceSettling } from './voice-settling';
import { MediaSources } from './media-sources';

declare module '../../jobs' {
  interface QueueNames {
    transcribe: VoiceWorker;
  }
}

interface KeptAudio {
  readonly bytes: Buffer;
  readonly mimeType: string;
  readonly fileName: string | null;
}

/** `audio` null: the channel still holds it. */
interface OpenedVoice {
  readonly mayHear: boolean;
  readonly voice: VoiceRow;
  readonly audio: KeptAudio | null;
}

/**
 * The queue `transcribe`, a job for each voice message:
 *
 *   transcribe.open (commit) ─> fetch ─> transcribe.keep (commit) ─> the model ─> transcribe.close (commit)
 *                      └── the audio is stored already ─────────────^
 *
 * The model server is the queue's peer. A channel that does not respond makes its own voices wait
 * and no others (`MediaSources`).
 *
 * No connection is held during a fetch or a request. A crash repeats only what no commit had
 * stored: after `transcribe.keep` the audio is not fetched again, after `transcribe.close` no model
 * is called.
 */
@Injectable()
@JobHandler('transcribe', {
  // Each audio in memory has up to 20 MB, and as much again while it is uploaded.
  concurrency: 6,
  // Tries that ended neither with a transcript nor with a refusal.
  maxFailures: 3,
  continuesTrace: true,
})
export class VoiceWorker implements JobHandlerClass {
  constructor(
    private readonly jobs: Jobs,
    private readonly voices: VoiceRepository,
    private readonly sources: MediaSources,
    private readonly settling: VoiceSettling,
    private readonly transcriptions: Transcriptions,
  ) {}

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    const opened = await flow.uow.commit('transcribe.open', (tx) => this.open(tx, claim));
    if (opened === null) return;
    const end = await this.endOf(claim, flow, opened);
    // The transcript is paid for, so its commit is tried until the database stores it.
    await flow.uow.commitUntilStored('transcribe.close', flow.signal, (tx) =>
      this.close(tx, claim, end),
    );
  }

  async onDead(tx: Tx, job: DeadJob): Promise<void> {
    const locked = await this.settling.lockWaiting(tx, job.key);
    if (locked !== undefined) await this.settling.settle(tx, locked, unheard('failed'));
  }

  /** Null: the voice has ended, and the job is done. Without consent nothing goes to a model. */
  private async open(tx: Tx, claim: Claim): Promise<OpenedVoice | null> {
    const locked = await this.settling.lockWaiting(tx, claim.key);
    await this.jobs.fence(tx, claim);
    if (locked === undefined) {
      await this.jobs.complete(tx, claim);
      return null;
    }
    const { voice } = locked;
    const problem = refusalOf(locked) ?? this.problemOf(locked);
    if (problem !== null) {
      await this.settling.settle(tx, locked, unheard(problem));
      await this.jobs.complete(tx, claim);
      return null;
    }
    const bytes = voice.hasAudio ? await this.voices.audio(tx, voice.messageId) : null;
    const { mimeType, fileName } = voice;
    const mayHear = this.mayHear(locked.conversation);
    return { voice, mayHear, audio: bytes && { bytes, mimeType, fileName } };
  }

  private problemOf({ voice, conversation }: LockedVoice): VoiceProblem | null {
    if (voice.sizeBytes > MAX_VOICE_BYTES) return 'too_large';
    return voice.hasAudio && !this.mayHear(conversation) ? 'no_endpoint' : null;
  }

  /** Who agreed to be asked by a script has not agreed to a model that hears them. */
  private mayHear({ consent }: LockedVoice['conversation']): boolean {
    return this.transcriptions.isOn && !isOfScript(consent?.version ?? '');
  }

  /** Throws errors that make the job due again. */
  private async endOf(
    claim: Claim,
    flow: JobFlow,
    { voice, audio, mayHear }: OpenedVoice,
  ): Promise<VoiceEnd> {
    const kept = audio ?? (await this.fetch(claim, flow, voice));
    if ('kind' in kept) return kept;
    if (!mayHear) return unheard('no_endpoint');
    try {
      return await callUnderLease(flow, () => this.transcribe(claim, flow.signal, kept), {
        isResponse: (error) => error instanceof ModelFailure,
      });
    } catch (error) {
      if (error instanceof VoiceRefusedError) return unheard(error.problem);
      throw error;
    }
  }

  /** Before the request: the audio may have taken long to fetch, and the candidate may have left since. */
  private async admit(tx: Tx, claim: Claim): Promise<void> {
    const locked = await this.settling.lockWaiting(tx, claim.key);
    await this.jobs.fence(tx, claim);
    const problem = locked === undefined ? 'withdrawn' : refusalOf(locked);
    if (problem !== null) throw new VoiceRefusedError(problem);
  }

  private async fetch(
    claim: Claim,
    flow: JobFlow,
    { messageId, channel, source, mimeType, durationS }: VoiceRow,
  ): Promise<KeptAudio | VoiceEnd> {
    const wanted = { channel, source, maxBytes: MAX_VOICE_BYTES };
    const fetched = await this.sources.fetch(wanted, flow);
    if (fetched.kind !== 'bytes') return unheard(fetched.kind);
    const { bytes, fileName } = fetched;
    if (bytes.length === 0) return unheard('empty');
    const announced = {
      mimeType: fetched.mimeType ?? mimeType,
      durationS,
      sizeBytes: bytes.length,
    };
    const audio = { bytes, fileName, ...soundOf(bytes, announced) };
    await flow.uow.commit('transcribe.keep', async (tx) => {
      await this.jobs.fence(tx, claim);
      await this.voices.keep(tx, messageId, audio);
    });
    return audio;
  }

  private async transcribe(claim: Claim, signal: AbortSignal, audio: KeptAudio): Promise<VoiceEnd> {
    const result = await this.transcriptions.transcribe(
      {
        subject: `voice:${claim.key}`,
        epoch: claim.claimNo,
        audio,
        admit: (tx) => this.admit(tx, claim),
      },
      signal,
    );
    return endOfRequest(result);
  }

  /** The end of the voice and of its job, in one commit. */
  private async close(tx: Tx, claim: Claim, end: VoiceEnd): Promise<void> {
    const locked = await this.settling.lockWaiting(tx, claim.key);
    await this.jobs.fence(tx, claim);
    if (locked !== undefined) await this.settling.settle(tx, locked, end);
    await this.jobs.complete(tx, claim);
  }
}

class VoiceRefusedError extends ColloquyError {
  readonly code = 'voice_refused';
  readonly retryable = false;

  constructor(readonly problem: VoiceProblem) {
    super('the voice may not be transcribed any more');
  }
}

/** Why no model may hear it, or not any more; null: one may. */
function refusalOf({ voice, conversation }: LockedVoice): 'no_consent' | 'withdrawn' | null {
  if (!mayBeShown({ role: 'user', seq: voice.seq }, conversation)) return 'no_consent';
  return conversation.status === 'withdrawn' ? 'withdrawn' : null;
}

/**
 * Throws ModelFailure when a retry may succeed, and ModelUnavailableError or ModelAbortedError when
 * the server did not respond.
 */
function endOfRequest(result: Awaited<ReturnType<Transcriptions['transcribe']>>): VoiceEnd {
  if (result.ok) {
    const { text } = result.value;
    return isBlank(text) ? unheard('empty') : { kind: 'heard', transcript: text };
  }
  switch (result.reason) {
    case 'unavailable':
      throw new ModelUnavailableError('the transcription server is unavailable', {
        retryAfterMs: result.retryAfterMs,
        mayConcernJobOnly: result.mayConcernJobOnly === true,
      });
    case 'ok':
    case 'stopped':
    case 'aborted':
    case 'error':
      throw new ModelAbortedError('the request for a transcript was aborted');
    case 'empty':
      return unheard('empty');
    case 'refused':
    case 'content_filter':
    case 'bad_request':
      return unheard('refused');
    case 'length':
    case 'cut':
    case 'stalled':
    case 'malformed':
      throw new ModelFailure(result.reason);
  }
}

function unheard(problem: VoiceProblem): VoiceEnd {
  return { kind: 'unheard', problem };
}
