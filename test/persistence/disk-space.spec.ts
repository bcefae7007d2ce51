import path from 'node:path';
import { diskOutcome } from '../../src/persistence/embedded';

const MB = 1024 ** 2;

/** A file system with so many bytes left, in which only `/data` exists. */
function withLeft(bytes: number) {
  return (folder: string) =>
    folder === '/data' || folder === '/'
      ? Promise.resolve({ bavail: bytes / 4096, bsize: 4096 })
      : Promise.reject(Object.assign(new Error('gone'), { code: 'ENOENT' }));
}

test.each([
  [100 * MB, 'problem', /^The disk \(\/data\) has 100 MB left, .*: free at least 2 GB\.$/],
  [1500 * MB, 'warning', /^The disk \(\/data\) has 1\.5 GB left: free some space/],
  [9000 * MB, 'ok', /^The disk \(\/data\) has 8\.8 GB left\.$/],
])('with %d bytes left is: %s', async (bytes, kind, sentence) => {
  expect(await diskOutcome('/data', 'The disk', withLeft(bytes))).toEqual({
    kind,
    sentence: expect.stringMatching(sentence) as string,
  });
});

test('of a folder that will be created is that of the folder above it', async () => {
  const found = await diskOutcome('/data/new/deep', 'The disk', withLeft(100 * MB));

  expect(found.sentence).toMatch(/^The disk \(\/data\/new\/deep\) has 100 MB left/);
});

test('of a folder that may not be read is a problem in one sentence', async () => {
  const refuse = (): Promise<never> =>
    Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }));

  expect(await diskOutcome('/data', 'The disk', refuse)).toEqual({
    kind: 'problem',
    sentence: 'The disk (/data) cannot be read (EACCES): check the folder and its rights.',
  });
});

test('is read from the real file system', async () => {
  const { sentence } = await diskOutcome(path.resolve('.'), 'The disk');

  expect(sentence).toMatch(/ has [\d.]+ [GM]B left/);
});
