/**
 * The browser's microphone and MediaRecorder as a port. The microphone is released as soon as a
 * recording ends, so that its light goes off.
 */

export interface Recording {
  /** Ends the recording and returns it. */
  stop: () => Promise<Blob>;
  /** Ends the recording and drops it. */
  cancel: () => void;
  /** Resolves when the microphone is gone, such as when it is unplugged. */
  ended: Promise<void>;
}

export type MicrophoneProblem = 'denied' | 'no_device' | 'broken';

export class MicrophoneError extends Error {
  constructor(readonly problem: MicrophoneProblem) {
    super(`no recording: ${problem}`);
    this.name = 'MicrophoneError';
  }
}

/** Begins to record; asks for permission if it must. Rejects with MicrophoneError. */
export type Microphone = () => Promise<Recording>;

const TYPES = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg;codecs=opus'];
/** Enough for speech: ten minutes are 2.4 MB. */
const BITS_PER_SECOND = 32_000;
const PIECE_MS = 1_000;

/** Null where nothing can be recorded: an old browser, or a page without HTTPS. */
export function browserMicrophone(): Microphone | null {
  if (typeof MediaRecorder === 'undefined' || !('mediaDevices' in navigator)) return null;
  const type = TYPES.find((one) => MediaRecorder.isTypeSupported(one));
  return type === undefined ? null : () => record(type);
}

async function record(type: string): Promise<Recording> {
  let stream: MediaStream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch (error) {
    throw new MicrophoneError(problemOf(error));
  }
  const letGo = () => stream.getTracks().forEach((track) => track.stop());
  try {
    return recordingOf(stream, type, letGo);
  } catch {
    letGo();
    throw new MicrophoneError('broken');
  }
}

function recordingOf(stream: MediaStream, type: string, letGo: () => void): Recording {
  const recorder = new MediaRecorder(stream, {
    mimeType: type,
    audioBitsPerSecond: BITS_PER_SECOND,
  });
  const pieces: Blob[] = [];
  recorder.ondataavailable = ({ data }) => pieces.push(data);
  const audio = new Promise<Blob>((resolve) => {
    // Also when the device is unplugged: what was recorded until then is kept.
    recorder.onstop = () => {
      letGo();
      resolve(new Blob(pieces, { type }));
    };
  });
  const ended = new Promise<void>((resolve) => {
    // Not fired when the page itself releases the microphone.
    for (const track of stream.getTracks()) track.addEventListener('ended', () => resolve());
  });
  recorder.start(PIECE_MS);
  const end = () => {
    if (recorder.state !== 'inactive') recorder.stop();
  };
  return {
    stop: () => {
      end();
      return audio;
    },
    cancel: end,
    ended,
  };
}

function problemOf(error: unknown): MicrophoneProblem {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'denied';
  return name === 'NotFoundError' || name === 'OverconstrainedError' ? 'no_device' : 'broken';
}
