import type { Readable } from 'node:stream';
import { type Column, csvDecimal, csvTime, listFile } from '../../src/admin/list-file';

interface Row {
  readonly n: number;
}

const COLUMNS: readonly Column<Row>[] = [{ name: { en: 'N', ru: 'Н' }, cell: ({ n }) => n }];
const CSV = { format: 'csv', language: 'en' } as const;
const PAGES = 1000;
/** What streams read ahead of their reader. */
const AHEAD = 5;

/** Pages of one row, and how many of them were read. */
function counted(failsAt = Infinity) {
  const state = { read: 0, isEnded: false };
  async function* pages(): AsyncGenerator<readonly Row[], void, undefined> {
    try {
      for (let n = 0; n < PAGES; n += 1) {
        state.read += 1;
        if (n === failsAt) throw new Error('the database is away');
        yield [{ n }];
        await Promise.resolve();
      }
    } finally {
      state.isEnded = true;
    }
  }
  return { state, file: { name: 'list', field: 'items', columns: COLUMNS, pages: pages() } };
}

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const piece of stream) text += String(piece);
  return text;
}

describe('a list as a file', () => {
  test('is read no further than it is sent', async () => {
    const { state, file } = counted();

    const stream = (await listFile(CSV, file)).getStream();
    const readBefore = state.read;
    const pieces = stream[Symbol.asyncIterator]();
    for (let n = 0; n < 10; n += 1) await pieces.next();

    expect(readBefore).toBe(1);
    expect(state.read).toBeLessThan(10 + AHEAD);
  });

  test('is read no further when its reader goes away', async () => {
    const { state, file } = counted();
    const stream = (await listFile(CSV, file)).getStream();

    for await (const _ of stream) break;
    await new Promise((resolve) => setImmediate(resolve));

    expect(stream.destroyed).toBe(true);
    expect(state.isEnded).toBe(true);
    expect(state.read).toBeLessThan(AHEAD);
  });

  test('is whole: every row once, under the names of its columns', async () => {
    const csv = await textOf((await listFile(CSV, counted().file)).getStream());
    const form = { format: 'json', language: 'ru' } as const;
    const json = await textOf((await listFile(form, counted().file)).getStream());

    const numbers = Array.from({ length: PAGES }, (_, n) => n);
    expect(csv).toBe(`\uFEFFN\r\n${numbers.map((n) => `${String(n)}\r\n`).join('')}`);
    expect(JSON.parse(json)).toEqual({ items: numbers.map((n) => ({ n })) });
  });

  test('is an error, and no file, when its first page cannot be read', async () => {
    await expect(listFile(CSV, counted(0).file)).rejects.toThrow('away');
  });

  test('is cut off and does not end when a later page cannot be read', async () => {
    const stream = (await listFile(CSV, counted(3).file)).getStream();

    await expect(textOf(stream)).rejects.toThrow('away');
  });

  test('without rows has its columns, or an empty list', async () => {
    async function* none(): AsyncGenerator<readonly Row[], void, undefined> {
      await Promise.resolve();
      yield [];
    }
    const file = { name: 'list', field: 'items', columns: COLUMNS };

    const csv = await listFile({ ...CSV, language: 'ru' }, { ...file, pages: none() });
    const json = await listFile({ ...CSV, format: 'json' }, { ...file, pages: none() });

    expect(await textOf(csv.getStream())).toBe('\uFEFFН\r\n');
    expect(JSON.parse(await textOf(json.getStream()))).toEqual({ items: [] });
  });
});

test('moments and decimals are written as spreadsheets of the language read them', () => {
  expect(csvTime('2026-11-25T09:31:03.115Z')).toBe('2026-11-25 09:31:03');
  expect(csvTime(null)).toBe('');
  expect(csvDecimal(3.5, 'ru')).toBe('3,5');
  expect(csvDecimal(3.5, 'en')).toBe('3.5');
  expect(csvDecimal(null, 'ru')).toBe('');
});
