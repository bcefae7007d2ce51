/** What the bytes of a recording say of themselves. */
export interface AudioContainer {
  readonly mimeType: string;
  /** Seconds; null where the container does not say, or is damaged. */
  readonly durationS: number | null;
}

/**
 * The container of an audio, by its content alone, because names and announced types are often wrong.
 * Null: it is none of Ogg, WebM, MP4, WAV, FLAC, MP3 or AAC.
 */
export function audioContainerOf(bytes: Buffer): AudioContainer | null {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('OggS')) return read('audio/ogg', oggSeconds, bytes);
  if (head.startsWith('\x1a\x45\xdf\xa3')) return read('audio/webm', webmSeconds, bytes);
  if (head.startsWith('ftyp', 4)) return read('audio/mp4', mp4Seconds, bytes);
  if (/^RIFF.{4}WAVE/s.test(head)) return read('audio/wav', wavSeconds, bytes);
  const sound = bytes.subarray(id3Length(bytes));
  if (sound.toString('latin1', 0, 4) === 'fLaC') return read('audio/flac', flacSeconds, sound);
  if (isFramed(sound, mp3Frame)) return read('audio/mpeg', mp3Seconds, sound);
  if (isFramed(sound, aacFrame)) return read('audio/aac', aacSeconds, sound);
  return sound.length < bytes.length ? { mimeType: 'audio/mpeg', durationS: null } : null;
}

function read(
  mimeType: string,
  secondsIn: (bytes: Buffer) => number,
  bytes: Buffer,
): AudioContainer {
  const seconds = secondsIn(bytes);
  return { mimeType, durationS: Number.isFinite(seconds) && seconds > 0 ? seconds : null };
}

/** An unsigned number, of which the lower 6 bytes are read; 0 where the bytes end before. */
function big(bytes: Buffer, at: number, length: number): number {
  if (length < 1 || at + length > bytes.length) return 0;
  return length <= 6 ? bytes.readUIntBE(at, length) : bytes.readUIntBE(at + length - 6, 6);
}

function little(bytes: Buffer, at: number, length: number): number {
  return at + length <= bytes.length ? bytes.readUIntLE(at, length) : 0;
}

interface OggStream {
  readonly rate: number;
  readonly skipped: number;
  last: number;
}

/** RFC 3533: a page says up to which sample it goes. Streams that follow each other are added. */
function oggSeconds(bytes: Buffer): number {
  const streams = new Map<number, OggStream>();
  for (let at = bytes.indexOf('OggS'); at >= 0 && at + 27 <= bytes.length;) {
    const segments = bytes.readUInt8(at + 26);
    const body = at + 27 + segments;
    const serial = bytes.readUInt32LE(at + 14);
    const started = oggStreamIn(bytes.subarray(body, body + 64));
    if (started !== null) streams.set(serial, started);
    const stream = streams.get(serial);
    // All ones: no packet ends in this page. No recording needs the upper two bytes.
    const isSet = little(bytes, at + 12, 2) === 0;
    if (stream !== undefined && isSet)
      stream.last = Math.max(stream.last, little(bytes, at + 6, 6));
    const length = bytes.subarray(at + 27, body).reduce((sum, one) => sum + one, 0);
    at = bytes.indexOf('OggS', body + length);
  }
  const seconds = [...streams.values()].map(({ rate, skipped, last }) => (last - skipped) / rate);
  return seconds.reduce((sum, one) => sum + Math.max(0, one), 0);
}

/** RFC 7845 (Opus always counts 48,000 samples a second) and the Vorbis I specification, 4.2.2. */
function oggStreamIn(packet: Buffer): OggStream | null {
  const head = packet.toString('latin1', 0, 8);
  if (head === 'OpusHead') return { rate: 48_000, skipped: little(packet, 10, 2), last: 0 };
  const rate = head.startsWith('\x01vorbis') ? little(packet, 12, 4) : 0;
  return rate > 0 ? { rate, skipped: 0, last: 0 } : null;
}

/** Matroska (RFC 9559): the elements whose content is read, and those that only contain others. */
const WEBM = {
  scale: 0x2ad7b1,
  duration: 0x4489,
  clusterTime: 0xe7,
  simpleBlock: 0xa3,
  block: 0xa1,
  parents: new Set([0x18538067, 0x1549a966, 0x1f43b675, 0xa0]),
};

/**
 * Browsers record without a length; then the last block's time is it. Parents of unknown size need no
 * rule of their own, because their children are read as if they stood beside them.
 */
function webmSeconds(bytes: Buffer): number {
  let [scale, duration, cluster, last] = [1_000_000, 0, 0, 0];
  for (let at = 0; at < bytes.length;) {
    const id = idAt(bytes, at);
    const size = sizeAt(bytes, at + id.length);
    if (id.length === 0 || size.length === 0) break;
    const content = at + id.length + size.length;
    if (id.value === WEBM.scale) scale = big(bytes, content, size.value) || scale;
    if (id.value === WEBM.duration) duration = floatAt(bytes, content, size.value);
    if (id.value === WEBM.clusterTime) cluster = big(bytes, content, size.value);
    if (id.value === WEBM.simpleBlock || id.value === WEBM.block) {
      const track = sizeAt(bytes, content).length;
      last = Math.max(last, cluster + big(bytes, content + track, 2));
    }
    at = WEBM.parents.has(id.value) ? content : content + size.value;
  }
  return ((duration > 0 ? duration : last) * scale) / 1e9;
}

interface Variable {
  readonly value: number;
  /** In bytes; 0: there is none. */
  readonly length: number;
}

/** The first byte's leading zeros say how many bytes an id or a size has; an id keeps that mark. */
function idAt(bytes: Buffer, at: number): Variable {
  const length = Math.clz32(big(bytes, at, 1)) - 23;
  if (length > 4 || at + length > bytes.length) return { value: 0, length: 0 };
  return { value: big(bytes, at, length), length };
}

function sizeAt(bytes: Buffer, at: number): Variable {
  const first = big(bytes, at, 1);
  const length = Math.clz32(first) - 23;
  if (length > 8 || at + length > bytes.length) return { value: 0, length: 0 };
  const high = (first - 2 ** (8 - length)) * 2 ** (8 * (length - 1));
  return { value: high + big(bytes, at + 1, length - 1), length };
}

function floatAt(bytes: Buffer, at: number, length: number): number {
  if (at + length > bytes.length) return 0;
  if (length === 4) return bytes.readFloatBE(at);
  return length === 8 ? bytes.readDoubleBE(at) : 0;
}

/** ISO/IEC 14496-12: `mvhd` has the length; of a recording in fragments only `mehd` may have it. */
function mp4Seconds(bytes: Buffer): number {
  let [timescale, duration, ofFragments] = [0, 0, 0];
  for (let at = 0; at + 8 <= bytes.length;) {
    const isLong = big(bytes, at, 4) === 1;
    const size = isLong ? big(bytes, at + 8, 8) : big(bytes, at, 4);
    const content = at + (isLong ? 16 : 8);
    const name = bytes.toString('latin1', at + 4, at + 8);
    const isWide = big(bytes, content, 1) === 1;
    if (name === 'mvhd') {
      timescale = big(bytes, content + (isWide ? 20 : 12), 4);
      duration = isWide ? big(bytes, content + 24, 8) : big(bytes, content + 16, 4);
    }
    if (name === 'mehd') {
      ofFragments = isWide ? big(bytes, content + 4, 8) : big(bytes, content + 4, 4);
    }
    if (size < content - at) break;
    at = name === 'moov' || name === 'mvex' ? content : at + size;
  }
  // All ones: not known.
  const isKnown = duration > 0 && duration < 0xffff_ffff;
  return timescale === 0 ? 0 : (isKnown ? duration : ofFragments) / timescale;
}

/** A program that writes into a pipe does not know the length of `data`; then it goes to the end. */
function wavSeconds(bytes: Buffer): number {
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = little(bytes, at + 4, 4);
    if (name === 'fmt ') bytesPerSecond = little(bytes, at + 16, 4);
    if (name === 'data') {
      const rest = bytes.length - at - 8;
      return (size === 0 ? rest : Math.min(size, rest)) / bytesPerSecond;
    }
    at += 8 + size + (size % 2);
  }
  return 0;
}

/** RFC 9639, 8.2: 20 bits of the sample rate, then 36 bits of the number of samples. */
function flacSeconds(bytes: Buffer): number {
  const rate = big(bytes, 18, 3) >> 4;
  const samples = (big(bytes, 21, 1) % 16) * 2 ** 32 + big(bytes, 22, 4);
  return samples / rate;
}

/** The length of an ID3v2 tag before the sound: 7 bits in each of four bytes. */
function id3Length(bytes: Buffer): number {
  if (bytes.toString('latin1', 0, 3) !== 'ID3') return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (big(bytes, at, 1) % 128), 0);
  return Math.min(bytes.length, 10 + size);
}

interface Frame {
  readonly length: number;
  readonly seconds: number;
}

type FrameAt = (bytes: Buffer, at: number) => Frame | null;

/** Kilobits a second of layer III: MPEG-1, and MPEG-2 and 2.5 (ISO/IEC 11172-3 and 13818-3). */
const MP3_RATES = [
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
const MP3_SAMPLES = [44_100, 48_000, 32_000];

function mp3Frame(bytes: Buffer, at: number): Frame | null {
  const header = big(bytes, at, 4);
  const version = (header >>> 19) & 3;
  // The sync word, a version that exists, and layer III.
  if (header >>> 21 !== 0x7ff || version === 1 || ((header >>> 17) & 3) !== 1) return null;
  const isFirst = version === 3;
  const rate = MP3_RATES[isFirst ? 0 : 1]?.[((header >>> 12) & 15) - 1];
  const base = MP3_SAMPLES[(header >>> 10) & 3];
  if (rate === undefined || base === undefined) return null;
  const samplesPerSecond = base / (isFirst ? 1 : version === 2 ? 2 : 4);
  const samples = isFirst ? 1152 : 576;
  const padding = (header >>> 9) & 1;
  return {
    length: Math.floor(((samples / 8) * rate * 1000) / samplesPerSecond) + padding,
    seconds: samples / samplesPerSecond,
  };
}

const AAC_SAMPLES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
  7350,
];

/** ADTS (ISO/IEC 13818-7). */
function aacFrame(bytes: Buffer, at: number): Frame | null {
  const samplesPerSecond = AAC_SAMPLES[(big(bytes, at + 2, 1) >> 2) & 15];
  const length = (big(bytes, at + 3, 3) >> 5) & 0x1fff;
  if ((big(bytes, at, 2) & 0xfff6) !== 0xfff0 || samplesPerSecond === undefined) return null;
  const blocks = (big(bytes, at + 6, 1) & 3) + 1;
  return length < 7 ? null : { length, seconds: (blocks * 1024) / samplesPerSecond };
}

/** Two frames in a row, because one may be there by chance. */
function isFramed(bytes: Buffer, frameAt: FrameAt): boolean {
  const first = frameAt(bytes, 0);
  return first !== null && frameAt(bytes, first.length) !== null;
}

/** What is no frame, such as a damaged part or a tag at the end, is left out. */
function framedSeconds(bytes: Buffer, frameAt: FrameAt): number {
  let seconds = 0;
  for (let at = 0; at < bytes.length;) {
    const frame = frameAt(bytes, at);
    seconds += frame?.seconds ?? 0;
    at += frame?.length ?? 1;
  }
  return seconds;
}

/** The first frame may hold no sound but a note of the encoder. */
function mp3Seconds(bytes: Buffer): number {
  const first = mp3Frame(bytes, 0) ?? { length: 0, seconds: 0 };
  const isNote = /Xing|Info|VBRI/.test(bytes.toString('latin1', 0, Math.min(first.length, 64)));
  return framedSeconds(bytes, mp3Frame) - (isNote ? first.seconds : 0);
}

function aacSeconds(bytes: Buffer): number {
  return framedSeconds(bytes, aacFrame);
}
