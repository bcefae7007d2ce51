/** The pages of invitations: filters, the message, the file of links, and what the browser keeps. */
import { dictionaries } from '../../../web/console/texts/dictionary';
import type { Invitation } from '../../../web/console/invitations/calls';
import { firstDay, lastDay } from '../../../web/console/invitations/days';
import { filtersOf, isFiltered, queryOf, searchOf } from '../../../web/console/invitations/filters';
import { lineOf } from '../../../web/console/invitations/many/kept-imports';
import { linksFile } from '../../../web/console/invitations/many/links-file';
import { decoded } from '../../../web/console/invitations/many/table';
import { messageOf } from '../../../web/console/invitations/message';
import { nameOf, renamed, stageOf } from '../../../web/console/invitations/row';
import { en } from '../../../web/console/invitations/en';
import { ru } from '../../../web/console/invitations/ru';

describe('filters', () => {
  test('an address gives the filters that made it', () => {
    const filters = { state: 'expired', vacancy: 'night-baker', text: 'Ada & Ю' } as const;

    expect(filtersOf(searchOf(filters))).toEqual(filters);
    expect(queryOf({ state: null, vacancy: null, text: ' ' })).toEqual({});
  });

  test.each(['?state=begun', '?vacancy=', '?text='])('%j means nothing', (search) => {
    expect(isFiltered(filtersOf(search))).toBe(false);
  });
});

describe('a row', () => {
  const one = {
    state: 'opened',
    interviewState: 'begun',
    isLatest: true,
    externalId: 'crm-1',
    candidate: { id: 'c', name: null, contact: null },
  } as Invitation;

  test('says how far the interview is, or that another invitation has taken its place', () => {
    expect(stageOf(one)).toBe('begun');
    expect(stageOf({ ...one, state: 'invited', interviewState: null })).toBe('invited');
    expect(stageOf({ ...one, state: 'revoked' })).toBe('revoked');
    expect(stageOf({ ...one, state: 'revoked', isLatest: false })).toBe('replaced');
  });

  test('is called by the name, else by the contact, else by the external id', () => {
    expect(nameOf(one)).toBe('crm-1');
    expect(nameOf({ ...one, candidate: { ...one.candidate, contact: 'a@example.org' } })).toBe(
      'a@example.org',
    );
  });
});

describe('the message', () => {
  const invited = {
    ...{ name: 'Ада', title: 'Ночной пекарь', company: 'Гавань', minutes: 21 },
    ...{ web: 'https://c.example/i/x', telegram: 'https://t.me/b?start=x' },
    validUntil: '2026-12-14T10:00:00.000Z',
  };

  test.each([
    ['ru', [/Ада/, /«Ночной пекарь»/, /Гавань/, /около 21 минуты/, /14 декабря 2026/]],
    ['en', [/Hello Ада/, /“Ночной пекарь”/, /about 21 minutes/, /14 December 2026/]],
  ] as const)('has all that a candidate needs (%s)', (language, parts) => {
    const text = messageOf(invited, language);

    for (const part of parts) expect(text).toMatch(part);
    expect(text).toContain(invited.web);
    expect(text).toContain(invited.telegram);
    expect(messageOf({ ...invited, telegram: null, name: null }, language)).not.toMatch(
      /Telegram|null/,
    );
  });
});

describe('the file of links', () => {
  const words = { line: 'Line', externalId: 'Id', web: 'Link', telegram: 'TG', pin: 'PIN' };
  const link = { web: 'https://c.example/i/x', telegram: null, pin: '1111-2222-3333' };

  test('has the person’s own columns beside the links, and runs no formula', () => {
    const rows = [
      { line: 2, externalId: null, link, cells: ['Ada, K', '=HYPERLINK("x")', '+44 20'] },
      { line: 3, externalId: 'c', link, cells: null },
    ];
    const text = linksFile(rows, {
      headers: ['Name', 'Note', 'Phone'],
      ...{ words, language: 'en' },
    });

    expect(text).toBe(
      '\uFEFFLine,Name,Note,Phone,Link,TG,PIN\r\n' +
        `2,"Ada, K","'=HYPERLINK(""x"")",+44 20,https://c.example/i/x,,1111-2222-3333\r\n` +
        '3,,,,https://c.example/i/x,,1111-2222-3333\r\n',
    );
  });

  test('without the person’s rows it names lines and external ids; Excel in Russian splits at ;', () => {
    const text = linksFile([{ line: 2, externalId: 'crm-1', link, cells: null }], {
      headers: null,
      ...{ words, language: 'ru' },
    });

    expect(text).toBe(
      '\uFEFFLine;Id;Link;TG;PIN\r\n2;crm-1;https://c.example/i/x;;1111-2222-3333\r\n',
    );
  });
});

test('the line of a row is that of the person’s file, in a corrected import too', () => {
  expect(lineOf({ addedLines: 1, lines: null }, { row: 3, line: 5 })).toBe(4);
  expect(lineOf({ addedLines: 0, lines: [7, 9] }, { row: 2, line: 3 })).toBe(9);
  expect(lineOf(null, { row: 2, line: 3 })).toBe(3);
});

test.each([
  ['UTF-8 with its mark', [0xef, 0xbb, 0xbf, 0xd0, 0x90], 'А'],
  ['UTF-16', [0xff, 0xfe, 0x10, 0x04], 'А'],
  ['windows-1251', [0xc0, 0xe4, 0xe0], 'Ада'],
  ['a workbook', [0x50, 0x4b, 0x03, 0x04, 0x00, 0x00], null],
])('a file in %s is shown as far as it is text', (_, bytes, text) => {
  expect(decoded(Uint8Array.from(bytes))).toBe(text);
});

test('the server’s sentences name the columns as the person does', () => {
  const nameOfColumn = (column: string) => (column === 'email' ? 'Mail box' : undefined);

  expect(renamed('"email" is not one e-mail address.', nameOfColumn)).toBe(
    '"Mail box" is not one e-mail address.',
  );
  expect(renamed('«email» — не один адрес, «телефон» пуст.', nameOfColumn)).toBe(
    '«Mail box» — не один адрес, «телефон» пуст.',
  );
});

test('the days of the field reach from today over a year less a day', () => {
  const now = new Date(2026, 10, 30, 23, 59);

  expect([firstDay(now), lastDay(now)]).toEqual(['2026-11-30', '2027-11-29']);
});

test('both languages say the same problems in words of their own', () => {
  expect(Object.keys(ru.problems)).toEqual(Object.keys(en.problems));
  for (const [code, words] of Object.entries(ru.problems))
    expect([code, words]).not.toEqual([code, en.problems[code]]);
  expect(dictionaries.ru.invitations).not.toBe(dictionaries.en.invitations);
});
