/**
 * A voice message on its way from the microphone to the server.
 *
 *   idle ──start──> asking ──allowed──> recording ──send──> sending ──accepted──> idle
 *    ^                 └─not──> problem      │  ^               │
 *    │                                       │  └── stopped     └─not──> unsent ──retry──> sending
 *    └── cancel, dismiss, discard ───────────┴──────────────────────────────┘
 *
 * - stopped: the longest recording is reached (`full`) or the microphone is gone (`disconnected`);
 *   the recording waits to be sent.
 * - unsent: the server did not take it for a temporary reason; it is kept and sent under the same id.
 * - problem: nothing was recorded, and why.
 */
import { ApiProblem, isFinal } from '../api/client';
import { MicrophoneError } from '../microphone';
import type { Microphone, MicrophoneProblem, Recording } from '../microphone';
import type { Platform } from '../platform';

export type RecorderProblem =
  MicrophoneProblem | 'empty' | 'too_large' | 'full' | 'later' | 'refused';

export type StoppedBy = 'full' | 'disconnected';

export type RecorderState =
  | { kind: 'idle' | 'asking' | 'sending' | 'unsent' }
  | { kind: 'recording'; elapsedS: number; stopped: StoppedBy | null }
  | { kind: 'problem'; problem: RecorderProblem };

export interface VoiceUpload {
  id: string;
  audio: Blob;
  durationS: number;
}

interface RecorderPorts extends Pick<Platform, 'nowMs' | 'wait' | 'newMessageId'> {
  microphone: Microphone | null;
  send: (voice: VoiceUpload) => Promise<unknown>;
  /** Called every other second while the candidate speaks or the voice is sent: the answer goes on. */
  onRecording: () => void;
  onSent: () => void;
  onProblem: (problem: ApiProblem) => void;
  onChange: (state: RecorderState) => void;
}

const TICK_MS = 1_000;
const ACTIVITY_EVERY_S = 2;
const LONGEST_S = 10 * 60;

export class Recorder {
  private state: RecorderState = { kind: 'idle' };
  private recording: Recording | null = null;
  private startedAtMs = 0;
  private unsent: VoiceUpload | null = null;
  private cancelTick: () => void = () => undefined;
  private whenIdle: (() => void) | null = null;
  /** Changes with every start and cancel, so that a late response to an older one is ignored. */
  private turn = 0;
  /** Nothing more is sent. */
  private isStopped = false;

  constructor(private readonly ports: RecorderPorts) {}

  get isSupported(): boolean {
    return this.ports.microphone !== null;
  }

  async start(): Promise<void> {
    const { microphone } = this.ports;
    const isFree = this.state.kind === 'idle' || this.state.kind === 'problem';
    if (microphone === null || !isFree) return;
    this.turn += 1;
    const { turn } = this;
    this.become({ kind: 'asking' });
    try {
      const recording = await microphone();
      if (turn !== this.turn) {
        recording.cancel();
        return;
      }
      this.recording = recording;
      this.startedAtMs = this.ports.nowMs();
      void recording.ended.then(() => this.lostMicrophone(recording));
      this.tick();
    } catch (error) {
      if (turn !== this.turn) return;
      const problem = error instanceof MicrophoneError ? error.problem : 'broken';
      this.become({ kind: 'problem', problem });
    }
  }

  /** Ends the recording and sends it, or sends again what could not be sent. */
  async send(): Promise<void> {
    const { turn } = this;
    const voice = await this.take();
    if (voice === null || turn !== this.turn) return;
    this.unsent = voice;
    if (this.isStopped) {
      this.become({ kind: 'unsent' });
      return;
    }
    this.reportSending();
    try {
      await this.ports.send(voice);
      if (turn === this.turn) this.sent();
    } catch (error) {
      if (turn === this.turn) this.failed(error);
    }
  }

  /** Sends again what could not be sent; a running recording goes on. */
  async retry(): Promise<void> {
    if (this.state.kind === 'unsent') await this.send();
  }

  /** The voice that is not sent. */
  kept(): VoiceUpload | null {
    return this.unsent;
  }

  /** Takes over a voice that another instance has kept; `retry` sends it under the id it had there. */
  restore(voice: VoiceUpload): void {
    this.unsent = voice;
    this.become({ kind: 'unsent' });
  }

  /** Ends a recording without sending it, and keeps what is not sent. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.whenIdle = null;
    this.cancelTick();
    if (this.state.kind === 'asking') this.drop();
    if (this.state.kind === 'recording') await this.send();
  }

  /** Drops the recording, or the problem. */
  cancel(): void {
    if (this.state.kind !== 'sending') this.drop();
  }

  /** Drops everything, also a voice that is being sent. */
  clear(): void {
    this.whenIdle = null;
    this.drop();
  }

  /** Runs `then` once, when nothing is being recorded or sent any more. */
  afterDelivery(then: () => void): void {
    this.whenIdle = then;
    this.settle();
  }

  private drop(): void {
    this.turn += 1;
    this.cancelTick();
    this.recording?.cancel();
    this.recording = null;
    this.unsent = null;
    this.become({ kind: 'idle' });
  }

  private async take(): Promise<VoiceUpload | null> {
    const { recording, unsent } = this;
    if (this.state.kind === 'unsent') {
      this.become({ kind: 'sending' });
      return unsent;
    }
    if (this.state.kind !== 'recording' || recording === null) return null;
    const durationS = this.state.elapsedS;
    this.recording = null;
    this.cancelTick();
    this.become({ kind: 'sending' });
    const audio = await recording.stop();
    if (audio.size > 0) return { id: this.ports.newMessageId(), audio, durationS };
    this.become({ kind: 'problem', problem: 'empty' });
    return null;
  }

  private sent(): void {
    this.cancelTick();
    this.unsent = null;
    this.become({ kind: 'idle' });
    this.ports.onSent();
  }

  private failed(error: unknown): void {
    this.cancelTick();
    if (isFinal(error)) {
      this.unsent = null;
      this.become({ kind: 'problem', problem: refusalOf(error) });
    } else {
      this.become({ kind: 'unsent' });
    }
    if (error instanceof ApiProblem) this.ports.onProblem(error);
  }

  private reportSending(): void {
    this.ports.onRecording();
    this.cancelTick = this.ports.wait(ACTIVITY_EVERY_S * 1_000, () => this.reportSending());
  }

  private tick(): void {
    const elapsedS = this.elapsedS();
    if (elapsedS % ACTIVITY_EVERY_S === 0) this.ports.onRecording();
    if (elapsedS >= LONGEST_S) {
      this.endRecording('full');
      return;
    }
    this.become({ kind: 'recording', elapsedS, stopped: null });
    this.cancelTick = this.ports.wait(TICK_MS, () => this.tick());
  }

  private elapsedS(): number {
    return Math.floor((this.ports.nowMs() - this.startedAtMs) / 1_000);
  }

  private lostMicrophone(recording: Recording): void {
    const isRunning = this.state.kind === 'recording' && this.state.stopped === null;
    if (isRunning && recording === this.recording) this.endRecording('disconnected');
  }

  /** Ends the recording before the candidate does. */
  private endRecording(stopped: StoppedBy): void {
    this.cancelTick();
    this.become({ kind: 'recording', elapsedS: this.elapsedS(), stopped });
    void this.recording?.stop();
  }

  private become(state: RecorderState): void {
    this.state = state;
    this.ports.onChange(state);
    this.settle();
  }

  private settle(): void {
    const isBusy = ['asking', 'recording', 'sending'].includes(this.state.kind);
    if (isBusy || this.whenIdle === null) return;
    const then = this.whenIdle;
    this.whenIdle = null;
    then();
  }
}

function refusalOf({ status, code }: ApiProblem): RecorderProblem {
  if (code === 'audio_full') return 'full';
  if (code === 'uploads_full') return 'later';
  return status === 413 ? 'too_large' : 'refused';
}
