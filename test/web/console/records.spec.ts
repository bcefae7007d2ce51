import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { actorInWords } from '../../../web/console/records/actor-in-words';
import { ACTIONS } from '../../../web/console/records/actions';
import {
  auditFiltersOf,
  auditQueryOf,
  auditSearchOf,
  isAboutCandidate,
} from '../../../web/console/records/audit-filters';
import { beginningOf, dayFrom, dayOf, endOf } from '../../../web/console/records/days';
import { fileNameIn, placeOf } from '../../../web/console/records/files';
import { isEnd } from '../../../web/console/records/key-end';
import { sameWords } from '../../../web/console/records/same-words';
import { hasRecords, tabsOf } from '../../../web/console/records/tabs';

const SOURCE = path.join(__dirname, '../../../src');
/** What the program notes, as each room declares it. */
const DECLARED = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(path.join(SOURCE, file), 'utf8'))
  .flatMap((text) => [...text.matchAll(/interface AuditActions \{([^}]*)\}/g)])
  .flatMap(([, names = '']) => [...names.matchAll(/'([^']+)': true/g)].map(([, name]) => name));

/** As a browser in Berlin has the day, its beginning and its end: a process has one time zone from its start. */
function inBerlin(day: string): string[] {
  const days = path.join(__dirname, '../../../web/console/records/days.ts');
  const script = `const { dayFrom, beginningOf, endOf } = require(${JSON.stringify(days)});
    process.stdout.write([dayFrom, beginningOf, endOf].map((of) => of('${day}')).join(' '));`;
  const register = path.join(__dirname, '../../../tools/support/swc-register.cjs');
  const env = { ...process.env, TZ: 'Europe/Berlin' };
  const told = execFileSync(process.execPath, ['-r', register, '-e', script], { env });
  return told.toString().split(' ');
}

const NOTHING = { actor: null, action: null, subject: null, from: null, to: null };

describe('filters of the audit', () => {
  test('are what the address says, and the address is what they say', () => {
    const search =
      '?actor=user+Ada&action=candidate.erase&subject=17&from=2026-11-01&to=2026-11-30';

    expect(auditSearchOf(auditFiltersOf(search))).toBe(search);
    expect(auditFiltersOf(search)).toEqual({
      actor: 'user Ada',
      action: 'candidate.erase',
      subject: '17',
      from: '2026-11-01',
      to: '2026-11-30',
    });
    expect(auditSearchOf(NOTHING)).toBe('');
  });

  test.each(['?from=yesterday', '?to=2026-02-30', '?from=2026-1-1', '?actor=', '?other=1'])(
    'leave out what an address cannot mean: %s',
    (search) => {
      expect(auditFiltersOf(search)).toEqual(NOTHING);
      expect(auditQueryOf(auditFiltersOf(search))).toEqual({});
    },
  );

  test('ask for whole days of the own calendar, the last one with its end', () => {
    const query = auditQueryOf({ ...NOTHING, from: '2026-11-30', to: '2026-11-30' });

    const [since, until] = [new Date(query.since ?? ''), new Date(query.until ?? '')];
    expect([dayOf(since), since.getHours()]).toEqual(['2026-11-30', 0]);
    expect([dayOf(until), until.getHours()]).toEqual(['2026-12-01', 0]);
  });

  test.each([
    ['transcript.read', true],
    ['candidate.erase', true],
    ['comment.write', true],
    ['reminder.request', true],
    ['score.replay', true],
    ['key.create', false],
    ['attention.close', false],
    ['audit.export', false],
  ])('know that %s is about a candidate: %s', (action, isAbout) => {
    expect(isAboutCandidate(action)).toBe(isAbout);
  });
});

test('the audit says each action in both languages', () => {
  expect(DECLARED.length).toBeGreaterThan(60);
  expect(Object.keys(ACTIONS.en).sort()).toEqual([...DECLARED].sort());
  expect(Object.keys(ACTIONS.ru)).toEqual(Object.keys(ACTIONS.en));
});

test.each([
  ['user Ada Lovelace', 'Ada Lovelace'],
  ['key crm', 'Key crm'],
  ['retention', 'By age'],
  ['ADMIN_TOKEN', 'ADMIN_TOKEN'],
])('%s is called %s', (actor, words) => {
  const texts = { actors: { retention: 'By age' }, key: (name: string) => `Key ${name}` };
  expect(actorInWords(actor, texts)).toBe(words);
});

describe('days', () => {
  test('begin and end at midnight', () => {
    for (const day of ['2026-12-31', '2028-02-29']) {
      expect(dayFrom(day)).toBe(day);
      expect(dayOf(new Date(beginningOf(day)))).toBe(day);
    }
    expect(dayOf(new Date(endOf('2026-12-31')))).toBe('2027-01-01');
  });

  test.each([
    ['2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  ])('begin and end at midnight where a clock is changed: %s', (day, begins, ends) => {
    expect(inBerlin(day)).toEqual([day, begins, ends]);
  });

  test.each([null, '', '2026-02-29', '30.11.2026', '2026-13-01', '2026-11-30T00:00'])(
    'are no %s',
    (text) => {
      expect(dayFrom(text)).toBeNull();
    },
  );

  test('are the end of a key only from today to a year from now', () => {
    const now = new Date('2026-11-30T12:00:00');
    const ends = ['2026-11-29', '2026-11-30', '2027-11-30', '2027-12-01', '2028-01-01', ''];

    expect(ends.map((day) => isEnd(day, now))).toEqual([false, true, true, false, false, false]);
  });
});

describe('a file', () => {
  test.each([
    [`attachment; filename="a_b.json"; filename*=UTF-8''%D0%B0.json`, 'а.json'],
    ['attachment; filename="audit.csv"', 'audit.csv'],
    [`attachment; filename="x.csv"; filename*=UTF-8''%E0%A4%A`, 'x.csv'],
    ['', 'colloquy'],
  ])('of %j is saved as %s', (disposition, name) => {
    expect(fileNameIn(disposition)).toBe(name);
  });

  test('is asked for with what is chosen alone', () => {
    expect(placeOf('/x', { a: 'Ann Lee', b: null, c: undefined, d: '' })).toBe('/x?a=Ann+Lee');
    expect(placeOf('/x', {})).toBe('/x');
  });
});

test.each([
  ['ada  lovelace ', 'Ada Lovelace', true],
  ['Ёлка', 'ёлка', true],
  ['Ada', 'Ada Lovelace', false],
  ['', 'Ada Lovelace', false],
])('%j confirms the erasure of %j: %s', (typed, name, isSure) => {
  expect(sameWords(typed, name)).toBe(isSure);
});

test('each role has the parts of the records that its scopes allow', () => {
  const recruiter = { scopes: ['candidates:export', 'candidates:erase'] };

  expect(tabsOf({ scopes: [...recruiter.scopes, 'keys:write'] })).toEqual([
    'audit',
    'candidates',
    'exports',
    'retention',
    'keys',
  ]);
  expect(tabsOf(recruiter)).toEqual(['candidates', 'exports', 'retention']);
  expect(hasRecords({ scopes: ['interviews:read'] })).toBe(false);
});
