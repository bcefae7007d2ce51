import { Injectable } from '@nestjs/common';
import { isBlank } from '../../buffer';
import { Clock } from '../../common/clock';
import { ColloquyError } from '../../common/errors';
import { type Tx, type UnitOfWork, UnitOfWorkFactory } from '../../common/uow';
import { ModelAbortedError, ModelFailure, ModelUnavailableError, Transcriptions } from '../../llm';
import { LiveReplies } from '../../streams';
import {
  type Claim,
  type DeadJob,
  JobHandler,
  type JobHandlerClass,
  type JobFlow,
  Jobs,
} from '../../jobs';
import { mayBeShown } from '../prompts/turn-prompt';
import { MAX_VOICE_BYTES, type VoiceEnd, type VoiceProblem, type VoiceRow } from './voice';
import { mimeTypeOf } from './voice.service';
import { VoiceMetrics } from '../interview.metrics';
import { VoiceSettling } from './voice-settling';
import { MediaSources } from './media-sources';
import { VoiceRepository } from './voice.repository';

/** Audio in memory: each is up to 20 MB, and once more on its way out. */
const CONCURRENCY = 6;
/** Tries that ended neither with a transcript nor with a refusal. */
const MAX_FAILURES = 3;

/** Pause before a commit that did not land is tried again. */
const RETRY_MS = 200;

interface KeptAudio {
  readonly bytes: Buffer;
  readonly mimeType: string;
  readonly fileName: string | null;
}

/** Null audio: it is still with its channel. */
type Opened =
  | { readonly kind: 'settled'; readonly conversationId: string; readonly end: VoiceEnd | null }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'voice'; readonly voice: VoiceRow; readonly audio: KeptAudio | null };

/**
 * The queue `transcribe`, a job for each voice message:
 *
 *   transcribe.open (commit) ─> fetch ─> transcribe.keep (commit) ─> the model ─> transcribe.close (commit)
 *                      └── the audio is here ──────────────────────────^
 *
 * The model server is the queue's peer. A channel that hands out no audio makes its own voices wait
 * and no others (`MediaSources`).
 *
 * No connection is held while it fetches or asks. A crash repeats what no commit had stored: after
 * `transcribe.keep` nothing is fetched again, after `transcribe.close` nobody is asked again.
 */
@Injectable()
@JobHandler('transcribe', { concurrency: CONCURRENCY, maxFailures: MAX_FAILURES })
export class VoiceWorker implements JobHandlerClass {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly jobs: Jobs,
    private readonly voices: VoiceRepository,
    private readonly sources: MediaSources,
    private readonly settling: VoiceSettling,
    private readonly transcriptions: Transcriptions,
    private readonly live: LiveReplies,
    private readonly metrics: VoiceMetrics,
    private readonly clock: Clock,
  ) {}

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    await this.units.run('transcribe', async (uow) => {
      const opened = await uow.commit('transcribe.open', (tx) => this.open(tx, claim));
      if (opened.kind === 'unknown') return;
      if (opened.kind === 'settled') {
        this.ended(opened.conversationId, opened.end);
        return;
      }
      const end = await this.endOf(uow, claim, flow, opened);
      const actual = await this.close(uow, claim, flow, end);
      this.ended(opened.voice.conversationId, actual);
    });
  }

  async onDead(tx: Tx, job: DeadJob): Promise<void> {
    const locked = await this.settling.lockWaiting(tx, job.key);
    if (locked === undefined) return;
    this.metrics.ended(await this.settling.settle(tx, locked, unheard('failed')));
  }

  /** Decides what may be done about it. Nothing of it goes to a model before consent. */
  private async open(tx: Tx, claim: Claim): Promise<Opened> {
    const locked = await this.settling.lockWaiting(tx, claim.key);
    await this.jobs.fence(tx, claim);
    if (locked === undefined) {
      await this.jobs.complete(tx, claim);
      return { kind: 'unknown' };
    }
    const { voice, conversation } = locked;
    const line = { role: 'user', receivedAt: voice.receivedAt } as const;
    const problem = mayBeShown(line, conversation) ? this.problemOf(voice) : 'no_consent';
    if (problem !== null || conversation.status === 'withdrawn') {
      const end = await this.end(tx, claim, unheard(problem ?? 'withdrawn'));
      return { kind: 'settled', conversationId: conversation.id, end };
    }
    const bytes = voice.hasAudio ? await this.voices.audio(tx, voice.messageId) : null;
    const { mimeType, fileName } = voice;
    return { kind: 'voice', voice, audio: bytes && { bytes, mimeType, fileName } };
  }

  private problemOf(voice: VoiceRow): VoiceProblem | null {
    if (voice.sizeBytes > MAX_VOICE_BYTES) return 'too_large';
    return voice.hasAudio && !this.transcriptions.isOn ? 'no_endpoint' : null;
  }

  /** Throws what makes the job due again. */
  private async endOf(
    uow: UnitOfWork,
    claim: Claim,
    flow: JobFlow,
    opened: Extract<Opened, { kind: 'voice' }>,
  ): Promise<VoiceEnd> {
    const audio = opened.audio ?? (await this.fetch(uow, claim, flow, opened.voice));
    if ('kind' in audio) return audio;
    if (!this.transcriptions.isOn) return unheard('no_endpoint');
    return this.transcribe(claim, flow, audio);
  }

  private async fetch(
    uow: UnitOfWork,
    claim: Claim,
    flow: JobFlow,
    { messageId, channel, source, mimeType }: VoiceRow,
  ): Promise<KeptAudio | VoiceEnd> {
    const wanted = { channel, source, maxBytes: MAX_VOICE_BYTES };
    const fetched = await this.sources.fetch(wanted, flow);
    if (fetched.kind !== 'audio') return unheard(fetched.kind);
    const { bytes, fileName } = fetched;
    if (bytes.length === 0) return unheard('empty');
    const audio = { bytes, mimeType: mimeTypeOf(fetched.mimeType ?? mimeType), fileName };
    await uow.commit('transcribe.keep', async (tx) => {
      await this.jobs.fence(tx, claim);
      await this.voices.keep(tx, messageId, audio);
    });
    return audio;
  }

  private async transcribe(claim: Claim, flow: JobFlow, audio: KeptAudio): Promise<VoiceEnd> {
    flow.assertLease();
    const startedMs = this.clock.monotonicMs();
    const asked = await this.transcriptions.transcribe(
      { flushId: `voice:${claim.key}`, epoch: claim.claimNo, audio },
      flow.signal,
    );
    const reason = asked.ok ? 'ok' : asked.reason;
    this.metrics.asked(reason, this.clock.monotonicMs() - startedMs);
    if (asked.ok) {
      flow.peerResponded();
      const { text } = asked.value;
      return isBlank(text) ? unheard('empty') : { kind: 'heard', transcript: text };
    }
    switch (asked.reason) {
      case 'unavailable':
        throw new ModelUnavailableError('nobody transcribes now', {
          retryAfterMs: asked.retryAfterMs,
          mayConcernJobOnly: asked.mayConcernJobOnly === true,
        });
      case 'ok':
      case 'stopped':
      case 'aborted':
      case 'error':
        throw new ModelAbortedError('the request for a transcript was ended');
      case 'empty':
        flow.peerResponded();
        return unheard('empty');
      case 'refused':
      case 'content_filter':
      case 'bad_request':
        flow.peerResponded();
        return unheard('refused');
      case 'length':
      case 'cut':
      case 'stalled':
      case 'malformed':
        flow.peerResponded();
        throw new ModelFailure(asked.reason);
    }
  }

  /** What was heard is stored as soon as the database takes it: nobody is asked for it twice. */
  private async close(
    uow: UnitOfWork,
    claim: Claim,
    flow: JobFlow,
    end: VoiceEnd,
  ): Promise<VoiceEnd | null> {
    for (;;) {
      try {
        return await uow.commit('transcribe.close', (tx) => this.end(tx, claim, end));
      } catch (error) {
        if (!(error instanceof ColloquyError && error.retryable)) throw error;
        await this.clock.sleep(RETRY_MS, flow.signal);
        flow.signal.throwIfAborted();
      }
    }
  }

  /** The end of the voice and of its job, in one commit. */
  private async end(tx: Tx, claim: Claim, end: VoiceEnd): Promise<VoiceEnd | null> {
    const locked = await this.settling.lockWaiting(tx, claim.key);
    await this.jobs.fence(tx, claim);
    const actual = locked === undefined ? null : await this.settling.settle(tx, locked, end);
    await this.jobs.complete(tx, claim);
    return actual;
  }

  /** After the commit: it is counted, and readers are told. */
  private ended(conversationId: string, end: VoiceEnd | null): void {
    if (end !== null) this.metrics.ended(end);
    this.live.committed(conversationId);
  }
}

function unheard(problem: VoiceProblem): VoiceEnd {
  return { kind: 'unheard', problem };
}
