import fc from 'fast-check';
import { audioContainerOf } from '../../../src/interview/voice/audio-container';
import { soundOf } from '../../../src/interview/voice/voice.service';
import * as recordings from '../../support/recordings';
import { JPG, PDF } from '../../support/sent-files';

test.each([
  ['Ogg with Opus', 'audio/ogg', recordings.oggOpus()],
  ['Ogg with Vorbis', 'audio/ogg', recordings.oggVorbis()],
  ['Ogg with a picture', 'audio/ogg', recordings.oggWithPicture()],
  ['WebM', 'audio/webm', recordings.webmWithLength()],
  ['WebM of a browser, without a length', 'audio/webm', recordings.webmWithoutLength()],
  ['MP4', 'audio/mp4', recordings.mp4()],
  ['MP4 in fragments', 'audio/mp4', recordings.mp4({ duration: 0, fragments: 4000 })],
  ['WAV', 'audio/wav', recordings.wav()],
  ['WAV from a pipe, size 0', 'audio/wav', recordings.wav(0)],
  ['WAV from a pipe, size -1', 'audio/wav', recordings.wav(0xffff_ffff)],
  ['FLAC', 'audio/flac', recordings.flac()],
  ['MP3', 'audio/mpeg', recordings.mp3()],
  ['MP3 with tags', 'audio/mpeg', recordings.mp3WithTags()],
  ['AAC', 'audio/aac', recordings.aac()],
])('%s is %s of four seconds', (_, mimeType, bytes) => {
  const found = audioContainerOf(bytes);

  expect(found?.mimeType).toBe(mimeType);
  expect(Math.abs((found?.durationS ?? 0) - 4)).toBeLessThan(0.05);
});

test.each([
  ['a picture', JPG],
  ['a PDF', PDF],
  ['text', Buffer.from('what was said')],
  ['nothing', Buffer.alloc(0)],
  ['zeros', Buffer.alloc(2000)],
])('%s is no audio', (_, bytes) => {
  expect(audioContainerOf(bytes)).toBeNull();
});

test('a damaged recording is still read to its end, and has a length or none', () => {
  const all = [
    ...[recordings.oggOpus(), recordings.webmWithLength(), recordings.mp4(), recordings.flac()],
    ...[recordings.wav(), recordings.mp3WithTags().subarray(0, 3000), recordings.aac()],
  ];
  const damage = fc.array(fc.tuple(fc.nat(3000), fc.nat(255)), { maxLength: 30 });
  fc.assert(
    fc.property(fc.constantFrom(...all), damage, fc.nat(3000), (whole, changes, length) => {
      const bytes = Buffer.from(whole.subarray(0, length));
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
      const durationS = audioContainerOf(bytes)?.durationS ?? null;
      expect(durationS === null || (Number.isFinite(durationS) && durationS > 0)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

const WORDS = Buffer.from('what was said'.repeat(1000));

test.each([
  ['the container, when it has a length', recordings.oggOpus(), 999, 4],
  ['the announcement, when it has none', recordings.mp4({ duration: 0 }), 7, 7],
  ['the announcement, of an unknown container', WORDS, 120, 120],
  ['nothing, when so few bytes cannot be that long', WORDS, 999, null],
  ['nothing, when the container cannot be right either', recordings.oggOpus(5000), 999, null],
])('a length comes from %s', (_, bytes, announced, durationS) => {
  const given = { mimeType: 'audio/ogg', durationS: announced, sizeBytes: bytes.length };
  expect(soundOf(bytes, given).durationS).toBe(durationS);
});

test.each([
  ['application/ogg', recordings.oggOpus(), 'audio/ogg'],
  ['video/ogg', recordings.oggWithPicture(), 'audio/ogg'],
  ['audio/ogg', recordings.mp3(), 'audio/mpeg'],
  ['application/octet-stream', recordings.mp3(), 'audio/mpeg'],
  ['', recordings.wav(), 'audio/wav'],
  ['video/webm', recordings.webmWithLength(), 'video/webm'],
  ['video/mp4', recordings.mp4(), 'video/mp4'],
  ['audio/x-m4a', recordings.mp4(), 'audio/x-m4a'],
  ['audio/x-m4a', recordings.wav(), 'audio/wav'],
  ['Audio/AMR; rate=8000', WORDS, 'audio/amr'],
])('announced as "%s", the bytes decide', (mimeType, bytes, type) => {
  const given = { mimeType, durationS: null, sizeBytes: bytes.length };
  expect(soundOf(bytes, given).mimeType).toBe(type);
});
