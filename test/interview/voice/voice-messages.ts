import type { FetchedMedia } from '../../../src/channels';
import { randomUUID } from 'node:crypto';
import type { AppendedMessage } from '../../../src/buffer';
import { type NewVoice, VoiceService } from '../../../src/interview';
import { VoiceDelays } from '../../../src/interview/voice/voice-settling';
import { HeldJobs } from '../../../src/jobs/held-jobs';
import { untilInProcess } from '../../support/until';
import type { Interviewee } from '../interviewee';
import {
  WINDOW_MS,
  noteWritten,
  startInterviews,
  startOther,
  closeInterviews,
  plugTelegram,
  words,
  live,
  type InterviewOptions,
} from '../interviews';
import type { TestApp } from '../../support/app';
import type { JobRow } from '../../support/jobs';
import type { TestTelegram } from '../../support/channels';

export interface StoredVoice {
  readonly message_id: string;
  readonly state: string;
  readonly problem: string | null;
  readonly transcript: string | null;
  readonly kept: string | null;
  readonly mime_type: string;
}

/** Interviews with voice messages: what candidates send, and what is stored about it. */
export class VoiceMessages {
  private readonly fates: (FetchedMedia | Promise<FetchedMedia>)[] = [];
  /** References that were fetched, in order, by all processes. */
  readonly fetched: string[] = [];
  readonly signals: AbortSignal[] = [];
  /** True: fetches from Telegram fail. Otherwise `next` gives their results. */
  isTelegramAway = false;

  /** The channel "telegram" of the first process. */
  readonly telegram: TestTelegram;

  private constructor(readonly app: TestApp) {
    this.telegram = this.plugTelegram(app);
  }

  static async open(options: InterviewOptions = {}): Promise<VoiceMessages> {
    const env = { OPENAI_TRANSCRIPTION_MODEL: 'w-1', ...options.env };
    return new VoiceMessages(await startInterviews({ ...options, env }));
  }

  get model() {
    return this.app.model;
  }

  /** Another process on the same database. */
  async another(options: { databaseUrl?: string } = {}): Promise<TestApp> {
    const process = await startOther(this.app, options);
    this.plugTelegram(process);
    await process.worker.tick();
    return process;
  }

  /** The results of the next fetches from Telegram. */
  next(...fates: readonly (FetchedMedia | Promise<FetchedMedia>)[]): void {
    this.fates.push(...fates);
  }

  /** Sends an audio, whose transcript is the returned text. */
  async speak(candidate: Interviewee, voice: Partial<NewVoice> = {}): Promise<Spoken> {
    const text = words();
    noteWritten(text);
    this.model.transcriptions.next({ kind: 'text', text });
    return { text, ...(await this.send(candidate, voice)) };
  }

  async send(
    candidate: Interviewee,
    voice: Partial<NewVoice> = {},
    process = this.app,
  ): Promise<AppendedMessage> {
    return process.commit((tx) =>
      process.get(VoiceService).receive(tx, {
        conversationId: candidate.id,
        channel: 'web',
        externalId: randomUUID(),
        audio: bytesOf('OggS'),
        durationS: 3,
        ...voice,
      }),
    );
  }

  /** Advances time while one voice is being transcribed, and runs all other jobs. */
  async liveOn(totalMs: number, stepMs = 1000): Promise<void> {
    const { app } = this;
    const held = app.get(HeldJobs);
    for (let passedMs = 0; passedMs < totalMs; passedMs += stepMs) {
      app.clock.advance(stepMs);
      await app.worker.tick();
      await untilInProcess('only transcriptions run', () =>
        held.all().every(({ claim }) => claim.queue === 'transcribe'),
      );
    }
  }

  notifyWaiting(): Promise<number> {
    return this.app.get(VoiceDelays).notifyWaiting();
  }

  voices(candidate: Interviewee): Promise<StoredVoice[]> {
    return this.app.sql(
      `select v.message_id, v.state, v.problem, v.transcript, v.mime_type,
         convert_from(v.bytes, 'utf8') as kept
       from voice v join message m on m.id = v.message_id
       where m.conversation_id = $1 order by m.seq`,
      [candidate.id],
    );
  }

  jobs(candidate: Interviewee): Promise<Pick<JobRow, 'state' | 'failures' | 'claim_no'>[]> {
    return this.app.sql(
      `select t.state, t.failures, t.claim_no from job t
         join message m on m.id::text = t.key
       where t.queue = 'transcribe' and m.conversation_id = $1 order by t.id`,
      [candidate.id],
    );
  }

  /** Outcomes of all requests for a transcript, oldest first. */
  async attempts(candidate: Interviewee): Promise<string[]> {
    const rows = await this.app.sql<{ outcome: string }>(
      `select a.outcome from llm_attempt a join llm_request r on r.id = a.request_id
         join message m on r.subject = 'voice:' || m.id
       where r.purpose = 'transcribe' and m.conversation_id = $1 order by a.id`,
      [candidate.id],
    );
    return rows.map(({ outcome }) => outcome);
  }

  /** The voice is shown to a person, its candidate was asked for text, and no model replied to it. */
  async expectGivenUp(candidate: Interviewee, problem: string, notice: string): Promise<void> {
    expect(await this.voices(candidate)).toMatchObject([{ state: 'unheard', problem }]);
    expect(await candidate.notices()).toEqual([notice]);
    expect(await candidate.attention()).toMatchObject([{ kind: 'unanalysed', closed: false }]);
    expect(await candidate.waiting()).toEqual([]);
    await live(this.app, 2 * WINDOW_MS);
    expect(await candidate.turns()).toEqual([]);
    const written = words();
    await candidate.answer(written);
    expect(await candidate.replies()).toHaveLength(1);
    expect(await candidate.state()).toMatchObject({ question: 1 });
    expect(this.lastPrompt()).toContain(written);
  }

  /** The last prompt of the interviewer's model. */
  lastPrompt(): string {
    return JSON.stringify(this.model.requests.at(-1)?.body.messages ?? []);
  }

  /** Fails when a candidate's words were logged. */
  async close(): Promise<void> {
    this.model.transcriptions.release();
    await closeInterviews(this.app);
  }

  private plugTelegram(process: TestApp): TestTelegram {
    const telegram = plugTelegram(process);
    telegram.media = (reference, signal) => {
      this.fetched.push(reference);
      this.signals.push(signal);
      const fate = this.isTelegramAway ? ({ kind: 'unavailable' } as const) : this.fates.shift();
      return Promise.resolve(fate ?? audioOf('OggS'));
    };
    return telegram;
  }
}

type Spoken = AppendedMessage & { readonly text: string };

export function bytesOf(content: string, mimeType = 'audio/webm;codecs=opus'): NewVoice['audio'] {
  return { kind: 'bytes', bytes: Buffer.from(content), mimeType };
}

/** A voice that Telegram holds. */
export function onTelegram(reference = 'file-1', sizeBytes = 4): Partial<NewVoice> {
  const audio = { kind: 'reference', reference, mimeType: 'audio/ogg', sizeBytes } as const;
  return { channel: 'telegram', audio };
}

export function audioOf(content: string): FetchedMedia {
  const bytes = Buffer.from(content);
  return { kind: 'bytes', bytes, mimeType: 'audio/ogg', fileName: 'file_7.oga' };
}
