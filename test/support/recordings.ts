/** Recordings of four seconds, built by the formats' documents; only what tells them apart and their length. */

const SECONDS = 4;

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u32le(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function oggPage(serial: number, samples: number | null, packet: Buffer): Buffer {
  const head = Buffer.alloc(27);
  head.write('OggS');
  head.fill(0xff, 6, 14);
  if (samples !== null) head.writeBigUInt64LE(BigInt(samples), 6);
  head.writeUInt32LE(serial, 14);
  head.writeUInt8(1, 26);
  return Buffer.concat([head, Buffer.from([packet.length]), packet]);
}

function opusHead(skipped: number): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead\x01\x01', 'latin1');
  head.writeUInt16LE(skipped, 10);
  return head;
}

export function oggOpus(seconds = SECONDS): Buffer {
  return Buffer.concat([
    oggPage(7, 0, opusHead(312)),
    oggPage(7, 0, Buffer.from('OpusTags')),
    oggPage(7, null, Buffer.alloc(200, 1)),
    oggPage(7, 48_000 * seconds + 312, Buffer.alloc(200, 1)),
  ]);
}

export function oggVorbis(): Buffer {
  const head = Buffer.alloc(30);
  head.write('\x01vorbis', 'latin1');
  head.writeUInt32LE(44_100, 12);
  return Buffer.concat([oggPage(9, 0, head), oggPage(9, 44_100 * SECONDS, Buffer.alloc(90, 1))]);
}

/** A video in Ogg, of which only the sound counts. */
export function oggWithPicture(): Buffer {
  const theora = oggPage(1, 0, Buffer.from('\x80theora and more', 'latin1'));
  return Buffer.concat([theora, oggOpus(), oggPage(1, 99_999_999, Buffer.alloc(50, 1))]);
}

function element(id: number[], content: Buffer, size?: number[]): Buffer {
  return Buffer.concat([Buffer.from([...id, ...(size ?? [0x80 | content.length])]), content]);
}

const EBML = element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], Buffer.from('webm')));
const UNKNOWN = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];

function webmCluster(timeMs: number, blockMs: number): Buffer {
  const block = Buffer.concat([
    Buffer.from([0x81, blockMs >> 8, blockMs & 255, 0x80]),
    Buffer.alloc(60, 1),
  ]);
  const time = Buffer.from([timeMs >> 8, timeMs & 255]);
  const parts = [element([0xe7], time), element([0xa3], block)];
  return element([0x1f, 0x43, 0xb6, 0x75], Buffer.concat(parts), UNKNOWN);
}

function webm(info: Buffer[]): Buffer {
  const scale = element([0x2a, 0xd7, 0xb1], Buffer.from([0x0f, 0x42, 0x40]));
  const inside = [
    element([0x15, 0x49, 0xa9, 0x66], Buffer.concat([scale, ...info])),
    webmCluster(0, 0),
    webmCluster(3000, 1000),
  ];
  const segment = element([0x18, 0x53, 0x80, 0x67], Buffer.concat(inside), UNKNOWN);
  return Buffer.concat([EBML, segment]);
}

/** As Chromium's MediaRecorder writes it: without a length, and everything of unknown size. */
export function webmWithoutLength(): Buffer {
  return webm([]);
}

export function webmWithLength(): Buffer {
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE(SECONDS * 1000);
  return webm([element([0x44, 0x89], duration)]);
}

function box(name: string, content: Buffer): Buffer {
  return Buffer.concat([u32(8 + content.length), Buffer.from(name), content]);
}

/** `duration` in milliseconds. */
export function mp4({ brand = 'M4A ', duration = SECONDS * 1000, fragments = 0 } = {}): Buffer {
  const mvhd = box(
    'mvhd',
    Buffer.concat([Buffer.alloc(12), u32(1000), u32(duration), Buffer.alloc(80)]),
  );
  const mvex = box('mvex', box('mehd', Buffer.concat([u32(0), u32(fragments)])));
  return Buffer.concat([
    box('ftyp', Buffer.from(`${brand}\0\0\0\0`)),
    box('mdat', Buffer.alloc(400, 1)),
    box('moov', Buffer.concat([mvhd, ...(fragments === 0 ? [] : [mvex])])),
  ]);
}

/** `size`: what the header says of the sound; a program that writes into a pipe does not know it. */
export function wav(size = 8000 * SECONDS): Buffer {
  const format = Buffer.concat([
    Buffer.from([1, 0, 1, 0]),
    u32le(8000),
    u32le(8000),
    Buffer.from([1, 0, 8, 0]),
  ]);
  return Buffer.concat([
    Buffer.from('RIFF\xff\xff\xff\xffWAVE', 'latin1'),
    Buffer.concat([Buffer.from('LIST'), u32le(3), Buffer.from('abc\0')]),
    Buffer.concat([Buffer.from('fmt '), u32le(16), format]),
    Buffer.concat([Buffer.from('data'), u32le(size), Buffer.alloc(8000 * SECONDS)]),
  ]);
}

export function flac(): Buffer {
  const info = Buffer.alloc(34);
  // 16,000 samples a second in 20 bits; the number of all samples begins with zeros.
  info.writeUIntBE(16_000 << 4, 10, 3);
  info.writeUInt32BE(16_000 * SECONDS, 14);
  return Buffer.concat([Buffer.from('fLaC\x80\0\0\x22', 'latin1'), info, Buffer.alloc(400, 1)]);
}

/** MPEG-1, layer III, 128 kbit/s at 48 kHz: 384 bytes and 24 ms a frame. */
function mp3Frames(count: number, firstSays = ''): Buffer {
  const frame = Buffer.alloc(384);
  frame.writeUInt32BE(0xfffb9400);
  const first = Buffer.from(frame);
  first.write(firstSays, 36);
  return Buffer.concat([...(firstSays === '' ? [] : [first]), ...Array<Buffer>(count).fill(frame)]);
}

const MP3_FRAMES = Math.round(SECONDS / 0.024);

export function mp3(): Buffer {
  return mp3Frames(MP3_FRAMES);
}

/** With a cover in front, LAME's note in the first frame, and a tag at the end. */
export function mp3WithTags(): Buffer {
  const cover = Buffer.alloc(300, 0xff);
  const head = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 2, 44]);
  const tag = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125)]);
  return Buffer.concat([head, cover, mp3Frames(MP3_FRAMES, 'Info'), tag]);
}

/** ADTS at 16 kHz: 64 ms a frame. */
export function aac(): Buffer {
  const length = 100;
  const header = [
    0xff,
    0xf1,
    0x60,
    0x40 | (length >> 11),
    (length >> 3) & 255,
    (length & 7) << 5,
    0xfc,
  ];
  const frame = Buffer.concat([Buffer.from(header), Buffer.alloc(length - 7, 1)]);
  return Buffer.concat(Array<Buffer>((SECONDS / 0.064 + 0.5) | 0).fill(frame));
}
