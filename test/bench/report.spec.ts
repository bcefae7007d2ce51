import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { disturbanceBetween } from '../../bench/lib/disturbance';
import { type Figure, report } from '../../bench/lib/report';
import { storedResults } from '../../bench/lib/stored-results';

const QUIET = { stolenPercent: 2, othersPercent: 1 };
const FIGURE: Figure = { name: 'a claim', value: 3.14159, unit: 'ms', bound: { atMost: 4 } };

let folder: string;
let printed: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'colloquy-report-'));
  printed = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = undefined;
  rmSync(folder, { recursive: true });
});

const file = (): string => path.join(folder, 'a-bench.json');

test('a quiet run is stored with its figures, and with what disturbed it a little', () => {
  report('a-bench', [FIGURE], ['five rounds'], { folder, disturbance: QUIET });

  const stored: unknown = JSON.parse(readFileSync(file(), 'utf8'));
  expect(stored).toMatchObject({
    bench: 'a-bench',
    figures: [{ name: 'a claim', value: 3.142, unit: 'ms', isMet: true }],
    notes: [
      'five rounds',
      "the host took 2 % of this machine's processors meanwhile",
      "other programs used 1 % of this machine's processors meanwhile",
    ],
  });
  expect(process.exitCode).toBeUndefined();
});

test.each([
  ['its control was slow', [{ ...FIGURE, isNoisy: true }], QUIET, 'the control was slow'],
  ['the host was busy', [FIGURE], { ...QUIET, stolenPercent: 10.5 }, 'the host took too much'],
  ['other programs were busy', [FIGURE], { ...QUIET, othersPercent: 5.5 }, 'other programs used'],
])('a run is printed and not stored when %s', (_, figures, disturbance, reason) => {
  report('a-bench', figures, [], { folder, disturbance });

  expect(printed).toContain('a claim');
  expect(printed).toMatch(new RegExp(`NOISY, so nothing is stored: ${reason}`));
  expect(existsSync(file())).toBe(false);
  expect(process.exitCode).toBe(75);
});

test('a noisy run leaves the last quiet result as it is', () => {
  report('a-bench', [FIGURE], [], { folder, disturbance: QUIET });
  const before = readFileSync(file(), 'utf8');

  report('a-bench', [{ ...FIGURE, value: 9, isNoisy: true }], [], { folder, disturbance: QUIET });

  expect(readFileSync(file(), 'utf8')).toBe(before);
});

test('a system that does not report its processors is not called noisy', () => {
  report('a-bench', [FIGURE], [], { folder, disturbance: null });

  expect(existsSync(file())).toBe(true);
});

test('no stored result is of a noisy run', () => {
  const noisy = [...storedResults().values()].filter(({ figures, notes }) => {
    const isControlSlow = figures.some((figure) => 'isNoisy' in figure && figure.isNoisy === true);
    return isControlSlow || notes.some((note) => note.includes('NOISY'));
  });

  expect(noisy.map(({ bench }) => bench)).toEqual([]);
});

test('stolen time is told from the time of other programs, and neither from waiting', () => {
  // user, nice, system, idle, iowait, irq, softirq, steal
  const before = { machine: [100, 0, 100, 1000, 50, 5, 5, 0], own: 50 };
  const after = { machine: [160, 20, 120, 1080, 90, 10, 15, 65], own: 100 };

  const { stolenPercent, othersPercent } = disturbanceBetween(before, after);

  // 180 ticks of work: 100 in programs, of which 50 are the bench's own, 15 in interrupts, 65 stolen.
  expect(stolenPercent).toBeCloseTo((100 * 65) / 180);
  expect(othersPercent).toBeCloseTo((100 * 50) / 300);
});
