import type { UnitOfWork } from '../../../src/common/uow';
import { FileArchive } from '../../../src/interview/files/file.service';
import type { FileRepository } from '../../../src/interview/files/file.repository';
import { turnOfLoop } from '../../support/until';

const PART = 256 * 1024;
const FILE = { messageId: 'm', name: 'cv.pdf', mimeType: 'application/pdf' } as const;

/** A file whose parts are created when they are read; null after an erasure. */
function archive(sizeBytes: number) {
  const asked: number[] = [];
  const state = { isErased: false };
  const files = {
    part: (_tx: unknown, _id: string, { offset, length }: { offset: number; length: number }) => {
      asked.push(offset);
      const left = Math.min(length, sizeBytes - offset);
      return Promise.resolve(state.isErased ? null : Buffer.alloc(left, offset / PART));
    },
  };
  const uow = { commitOne: (_label: string, work: (tx: null) => unknown) => work(null) };
  const reader = new FileArchive(files as unknown as FileRepository);
  const stream = reader.read(uow as unknown as UnitOfWork, { ...FILE, sizeBytes });
  return { stream, asked, state };
}

test('reads at most one part ahead of a slow reader', async () => {
  const { stream, asked } = archive(80 * PART);
  const parts = stream[Symbol.asyncIterator]();

  await parts.next();
  await turnOfLoop();

  expect(asked.length).toBeLessThanOrEqual(3);
  await parts.return?.();
});

test('returns every byte once, also of a partial last part', async () => {
  const { stream, asked } = archive(2 * PART + 5);

  const parts = (await stream.toArray()) as Buffer[];

  expect(parts.map(({ length }) => length)).toEqual([PART, PART, 5]);
  expect(asked).toEqual([0, PART, 2 * PART]);
});

test('ends with an error when the file is erased meanwhile', async () => {
  const { stream, state } = archive(80 * PART);
  const parts = stream[Symbol.asyncIterator]();
  await parts.next();
  state.isErased = true;

  const rest = (async () => {
    for (;;) if ((await parts.next()).done === true) return;
  })();

  await expect(rest).rejects.toMatchObject({ code: 'file_unknown' });
});
