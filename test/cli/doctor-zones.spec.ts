import { zoneOutcomes } from '../../src/cli/doctor-zones';

/** What `doctor` says about the clocks of Node and PostgreSQL. */

const AT = ['2026-06-01T12:00:00Z', '2026-12-01T12:00:00Z'].map((text) => new Date(text));
/** British Columbia keeps summer time from November 2026 on: UTC-7 in newer rules, UTC-8 in older ones. */
const VANCOUVER = { timeZone: 'America/Vancouver', hours: [5, 3] };

test('a zone in which both show the same is well', () => {
  const read = [{ timeZone: 'Europe/Dublin', hours: [13, 12] }];
  expect(zoneOutcomes(read, AT)).toEqual([
    { kind: 'ok', sentence: 'Node and PostgreSQL show the same time in the time zone in use.' },
  ]);
});

test('a zone in which they differ is a warning with the first such day', () => {
  const [outcome] = zoneOutcomes([VANCOUVER], AT);
  expect(outcome?.kind).toBe('warning');
  expect(outcome?.sentence).toContain('different times in America/Vancouver on 2026-12-01');
});

test('a zone that only one of them knows is a warning', () => {
  const read = [
    { timeZone: 'Asia/Calcutta', hours: null },
    { timeZone: 'Asia/Atlantis', hours: null },
  ];
  const sentences = zoneOutcomes(read, AT).map(({ kind, sentence }) => `${kind}: ${sentence}`);
  expect(sentences).toEqual([
    expect.stringContaining('warning: PostgreSQL does not know the time zone Asia/Calcutta'),
    expect.stringContaining('warning: Node does not know the time zone Asia/Atlantis'),
  ]);
});
