/**
 * A voice message on its way from the microphone to the server.
 *
 *   idle ──start──> asking ──allowed──> recording ──send──> sending ──accepted──> idle
 *    ^                 └─not──> problem      │  ^               │
 *    │                                       │  └── full        └─not──> unsent ──retry──> sending
 *    └── cancel, dismiss, discard ───────────┴──────────────────────────────┘
 *
 * - full: the longest recording is reached; it waits to be sent.
 * - unsent: the server could not be reached; the recording is kept and goes out under the same id.
 * - problem: nothing was recorded, and why.
 */
import { ApiProblem } from '../api/client';
import { MicrophoneError } from '../microphone';
import type { Microphone, MicrophoneProblem, Recording } from '../microphone';
import type { Platform } from '../platform';

export type RecorderProblem = MicrophoneProblem | 'empty' | 'too_large' | 'full' | 'refused';

export type RecorderState =
  | { kind: 'idle' | 'asking' | 'sending' | 'unsent' }
  | { kind: 'recording'; elapsedS: number; isFull: boolean }
  | { kind: 'problem'; problem: RecorderProblem };

export interface VoiceUpload {
  id: string;
  audio: Blob;
  durationS: number;
}

interface RecorderPorts extends Pick<Platform, 'nowMs' | 'wait' | 'newMessageId'> {
  microphone: Microphone | null;
  send: (voice: VoiceUpload) => Promise<unknown>;
  /** Called every other second while the candidate speaks. */
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
  /** Changes with every start and cancel, so that a late response to an older one is ignored. */
  private turn = 0;

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
      this.tick();
    } catch (error) {
      if (turn !== this.turn) return;
      const problem = error instanceof MicrophoneError ? error.problem : 'broken';
      this.become({ kind: 'problem', problem });
    }
  }

  /** Ends the recording and sends it, or sends again what could not be sent. */
  async send(): Promise<void> {
    const voice = await this.take();
    if (voice === null) return;
    this.unsent = voice;
    this.become({ kind: 'sending' });
    try {
      await this.ports.send(voice);
      this.unsent = null;
      this.become({ kind: 'idle' });
      this.ports.onSent();
    } catch (error) {
      this.failed(error);
    }
  }

  /** Drops the recording, or the problem. */
  cancel(): void {
    if (this.state.kind === 'sending') return;
    this.turn += 1;
    this.cancelTick();
    this.recording?.cancel();
    this.recording = null;
    this.unsent = null;
    this.become({ kind: 'idle' });
  }

  private async take(): Promise<VoiceUpload | null> {
    if (this.state.kind === 'unsent') return this.unsent;
    const { recording } = this;
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

  private failed(error: unknown): void {
    const problem = error instanceof ApiProblem ? error : null;
    if (problem) this.ports.onProblem(problem);
    const isFinal = problem !== null && problem.status < 500 && problem.status !== 429;
    if (!isFinal) {
      this.become({ kind: 'unsent' });
      return;
    }
    this.unsent = null;
    this.become({ kind: 'problem', problem: refusalOf(problem) });
  }

  private tick(): void {
    const elapsedS = Math.floor((this.ports.nowMs() - this.startedAtMs) / 1_000);
    const isFull = elapsedS >= LONGEST_S;
    this.become({ kind: 'recording', elapsedS, isFull });
    if (elapsedS % ACTIVITY_EVERY_S === 0) this.ports.onRecording();
    if (isFull) void this.recording?.stop();
    else this.cancelTick = this.ports.wait(TICK_MS, () => this.tick());
  }

  private become(state: RecorderState): void {
    this.state = state;
    this.ports.onChange(state);
  }
}

function refusalOf({ status, code }: ApiProblem): RecorderProblem {
  if (code === 'audio_full') return 'full';
  return status === 413 ? 'too_large' : 'refused';
}
