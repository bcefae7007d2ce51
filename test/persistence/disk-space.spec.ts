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

describe('the free disk space', () => {
  test.each([
    [100, 'problem', /^The disk \(\/data\) has 100 MB left, .*: free at least 2 GB\.$/],
    [1500, 'warning', /^The disk \(\/data\) has 1\.5 GB left: free some space/],
    [9000, 'ok', /^The disk \(\/data\) has 8\.8 GB left\.$/],
  ])('of %i MB is reported as: %s', async (megabytes, kind, sentence) => {
    expect(await diskOutcome('/data', 'The disk', withLeft(megabytes * MB))).toEqual({
      kind,
      sentence: expect.stringMatching(sentence) as string,
    });
  });

  test('of a folder that does not exist yet is that of the folder above it', async () => {
    const found = await diskOutcome('/data/new/deep', 'The disk', withLeft(100 * MB));

    expect(found.sentence).toMatch(/^The disk \(\/data\/new\/deep\) has 100 MB left/);
  });

  test('of a folder that may not be read is reported as a problem in one sentence', async () => {
    const refuse = (): Promise<never> =>
      Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }));

    expect(await diskOutcome('/data', 'The disk', refuse)).toEqual({
      kind: 'problem',
      sentence: 'The disk (/data) cannot be read (EACCES): check the folder and its rights.',
    });
  });

  test('of this machine is read from its file system', async () => {
    const { sentence } = await diskOutcome(path.resolve('.'), 'The disk');

    expect(sentence).toMatch(/ has [\d.]+ [GM]B left/);
  });
});
