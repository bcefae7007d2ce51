import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { benchDocuments, benchTable, missedBounds } from '../../bench/lib/bench-documents';
import { capacityOf } from '../../bench/lib/capacity-table';
import { growthChart, linesOf } from '../../bench/lib/growth-chart';
import { figureOf, type StoredResult, storedResults } from '../../bench/lib/stored-results';

const ROOT = path.join(__dirname, '..', '..');

function stored(bench: string, figures: StoredResult['figures']): StoredResult {
  return { bench, measuredAt: '2026-11-25T00:00:00.000Z', figures, notes: [] };
}

const GROWTH = stored('growth', [
  { name: 'append, median, 10 k', value: 1, unit: 'ms' },
  { name: 'append, median, 1 M', value: 10, unit: 'ms' },
  { name: 'append, over 10 k, 1 M', value: 10, unit: '×', bound: { atMost: 1.5 }, isMet: false },
]);

test('documents show the stored results (npm run bench table writes them)', async () => {
  const documents = benchDocuments();

  expect(documents.length).toBeGreaterThan(0);
  for (const { file, text } of documents) {
    expect(text).toBe(await readFile(path.join(ROOT, file), 'utf8'));
  }
});

test('the table names every stored bench, and each bound that was missed', () => {
  const others = ['claim of 16', 'erasure of a person'].map((name) => {
    return { name: `${name}, over 10 k, 1 M`, value: 1, unit: '×' };
  });
  const growth = stored('growth', [...GROWTH.figures, ...others]);
  const results = new Map([...storedResults(), ['growth', growth]]);

  const table = benchTable(results);

  for (const bench of results.keys()) expect(table).toContain(`bench/results/${bench}.json`);
  expect(table).toContain('0 of 1 met; missed: append, over 10 k, 1 M 10 ×');
});

test('every row of the table says in a sentence what it measures', () => {
  const rows = benchTable(storedResults()).split('\n').slice(2);

  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter((row) => !/\.json\) \| [^|]+\. \|/.test(row))).toEqual([]);
});

test('a bound that is missed without a sentence about it is an error', () => {
  expect(() => missedBounds(new Map([['growth', GROWTH]]))).toThrow(
    '"append, over 10 k, 1 M" of growth misses its bound: say why',
  );
  expect(missedBounds(new Map())).toBe('None.');
});

test('a figure that the table shows and the result lacks is an error', () => {
  const results = new Map([...storedResults(), ['growth', GROWTH]]);

  expect(() => benchTable(results)).toThrow('growth.json lacks "claim of 16, over 10 k, 1 M"');
});

test('the chart draws a line through the medians of each operation', () => {
  const [line, ...others] = linesOf(GROWTH);
  const chart = growthChart(GROWTH);

  expect(others).toEqual([]);
  expect(line).toEqual({
    name: 'append',
    points: [
      { messages: 10_000, ms: 1 },
      { messages: 1_000_000, ms: 10 },
    ],
  });
  // Both scales end at a power of ten: from the lower left corner to the upper right one.
  expect(chart).toContain('points="64.0,404.0 560.0,48.0"');
});

test('the capacity of a replica follows from its processor time when memory allows more streams', () => {
  const results = new Map([
    [
      'scale',
      stored('scale', [
        { name: 'replies at p99 within 50 ms', value: 800, unit: '' },
        { name: 'idle stream', value: 20, unit: 'kB' },
      ]),
    ],
    [
      'turn-cost',
      stored('turn-cost', [
        { name: 'processor of Node for a turn', value: 10, unit: 'ms' },
        { name: 'processor of PostgreSQL for a turn', value: 7, unit: 'ms' },
      ]),
    ],
    [
      'notion',
      stored('notion', [{ name: '40 changed, 50 ms: events ranked', value: 1200, unit: '' }]),
    ],
  ]);

  const { rows, first } = capacityOf(results);
  const value = (of: string, what: string): number | undefined =>
    rows.find((row) => row.of.startsWith(of) && row.what === what)?.value;

  // 0.7 s / 10 ms and 0.7 s / 7 ms; 1 event a second at 10 changes an hour for each board.
  expect(value('a replica', 'answers a second')).toBe(70);
  expect(value('a core', 'answers a second')).toBe(100);
  expect(value('a Notion workspace', 'boards')).toBe(360);
  expect(first).toContain('the processor of the replica');
});

test('a missing figure is an error that names the bench to run', () => {
  expect(() => figureOf(new Map(), 'scale', 'idle stream')).toThrow(
    'bench/results has no "idle stream" of scale: run npm run bench scale',
  );
});
