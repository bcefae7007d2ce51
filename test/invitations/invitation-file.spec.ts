import { readInvitationFile } from '../../src/invitations/file/invitation-file';
import {
  InvitationFileError,
  type FileProblem,
  rowSentence,
} from '../../src/invitations/file/problems';
import { inCodePage, utf8, utf8WithMark, utf16be, utf16le } from './files';

const NOW = new Date('2026-11-29T12:00:00Z');

const RU = ['ФИО;Телефон;Почта', 'Иванов Пётр;+7 916 123-45-67;petr@example.org'];
const EN = ['Name,Phone,E-mail', 'Ada Lovelace,+44 20 7946 0958,ada@example.org'];
const PETR = 'Иванов Пётр / petr@example.org, +7 916 123-45-67';
const ADA = 'Ada Lovelace / ada@example.org, +44 20 7946 0958';

function crlf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\r\n`).join('');
}

function lf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function tabs(lines: readonly string[]): string[] {
  return lines.map((line) => line.replaceAll(/[;,]/g, '\t'));
}

/** A row in one line: what is stored, or the codes of its problems. */
async function rowsOf(bytes: Uint8Array, format: 'csv' | 'json' = 'csv'): Promise<string[]> {
  const { rows } = await readInvitationFile(bytes, format, NOW);
  return rows.map(({ given, externalId, problems }) => {
    if (given === null) return problems.map(({ code, column }) => `${code} ${column ?? ''}`).join();
    const { name = '', contact = '', telegramUsername = '', expiresAt, metadata } = given;
    return [
      `${name} / ${contact}`,
      ...(telegramUsername === '' ? [] : [`@${telegramUsername}`]),
      ...(externalId === null ? [] : [`#${externalId}`]),
      ...(expiresAt === undefined ? [] : [`until ${expiresAt}`]),
      ...(Object.keys(metadata).length === 0 ? [] : [JSON.stringify(metadata)]),
    ].join(' ');
  });
}

async function refusalOf(bytes: Uint8Array, format: 'csv' | 'json' = 'csv'): Promise<FileProblem> {
  try {
    await readInvitationFile(bytes, format, NOW);
  } catch (error) {
    if (error instanceof InvitationFileError) return error.problem;
    throw error;
  }
  throw new Error('the file was read');
}

describe('files that spreadsheets write', () => {
  const FILES: readonly (readonly [title: string, bytes: Uint8Array, rows: readonly string[]])[] = [
    ['Excel, Russian, CSV', inCodePage('windows-1251', crlf(RU)), [PETR]],
    ['Excel, Russian, CSV UTF-8', utf8WithMark(crlf(RU)), [PETR]],
    ['Excel, Russian, Unicode text', utf16le(crlf(tabs(RU))), [PETR]],
    ['Excel, English, CSV', inCodePage('windows-1252', crlf(EN)), [ADA]],
    ['Excel, English, CSV UTF-8', utf8WithMark(crlf(EN)), [ADA]],
    ['Excel, English, Unicode text', utf16le(crlf(tabs(EN))), [ADA]],
    [
      'Excel, Russian names in English CSV UTF-8',
      utf8WithMark(crlf([RU[0] ?? '', RU[1] ?? ''])),
      [PETR],
    ],
    ['Excel with sep=;', utf8WithMark(`sep=;\r\n${crlf(RU)}`), [PETR]],
    [
      'Excel with sep=; in windows-1251',
      inCodePage('windows-1251', `sep=;\r\n${crlf(RU)}`),
      [PETR],
    ],
    ['Excel with sep=,', utf8(`sep=,\r\n${crlf(EN)}`), [ADA]],
    ['sep= of a tab', utf8(`sep=\t\r\n${crlf(tabs(EN))}`), [ADA]],
    ['sep= in quotes', utf8(`"sep=;"\r\n${crlf(RU)}`), [PETR]],
    ['sep= with the cells of a later save', utf8(`sep=;;;\r\n${crlf(RU)}`), [PETR]],
    ['sep= that is wrong by now', utf8(`sep=,\r\n${crlf(RU)}`), [PETR]],
    ['sep= of a bar', utf8('sep=|\nname|email\nAda|ada@example.org\n'), ['Ada / ada@example.org']],
    ['LibreOffice, Russian', utf8(lf(RU)), [PETR]],
    ['LibreOffice, English', utf8(lf(EN)), [ADA]],
    [
      'LibreOffice, all cells quoted',
      utf8('"Name","E-mail"\n"Ada","ada@example.org"\n'),
      ['Ada / ada@example.org'],
    ],
    ['LibreOffice, windows-1251', inCodePage('windows-1251', lf(RU)), [PETR]],
    ['LibreOffice, UTF-16', utf16le(lf(RU)), [PETR]],
    ['UTF-16 big-endian, which csv-parse does not read', utf16be(crlf(RU)), [PETR]],
    [
      'Google, Russian',
      utf8(crlf(['ФИО,Почта', 'Иванов Пётр,petr@example.org'])),
      ['Иванов Пётр / petr@example.org'],
    ],
    ['Google, English, no last line end', utf8(crlf(EN).trimEnd()), [ADA]],
    ['Google, TSV', utf8(crlf(tabs(RU))), [PETR]],
    ['Numbers, Russian', utf8(crlf(RU)), [PETR]],
    ['two byte order marks', utf8(`\uFEFF\uFEFF${lf(EN)}`), [ADA]],
    ['line ends of old Macs', utf8(EN.join('\r')), [ADA]],
    [
      'mixed line ends',
      utf8(`${EN[0] ?? ''}\r\n${EN[1] ?? ''}\n${EN[1] ?? ''}\r${EN[1] ?? ''}`),
      [ADA, ADA, ADA],
    ],
    [
      'windows-1251 under an English header',
      inCodePage('windows-1251', 'name\nИванова Анна\nПетров Пётр\n'),
      ['Иванова Анна / ', 'Петров Пётр / '],
    ],
    [
      'windows-1251 with Ukrainian letters',
      inCodePage('windows-1251', 'name\nШевченко Тарас Григорович\nКоцюбинський Михайло\n'),
      ['Шевченко Тарас Григорович / ', 'Коцюбинський Михайло / '],
    ],
    [
      'a dash of the code page, no other sign',
      inCodePage('windows-1251', 'name,place\nAda,London – Bath\n'),
      ['Ada /  {"place":"London – Bath"}'],
    ],
    ['a column without a separator', utf8('Имя\nИванов Пётр\n'), ['Иванов Пётр / ']],
    [
      'leading empty rows and empty columns',
      utf8(';;\n\nИмя;Почта;;\nПётр;petr@example.org;;\n;;;\n'),
      ['Пётр / petr@example.org'],
    ],
    [
      'first, middle and last names',
      utf8('Фамилия;Имя;Отчество\nИванов;Пётр;Ильич\n'),
      ['Пётр Ильич Иванов / '],
    ],
    [
      'a whole name beside a first name',
      utf8('full name,first name\nAda Lovelace,Ada\n'),
      ['Ada Lovelace / '],
    ],
    [
      'headers with signs, spaces and case',
      utf8('Ф. И. О. *;  E-MAIL ;External_ID;Действует до\nПётр;p@example.org;7;2026-12-31\n'),
      ['Пётр / p@example.org #7 until 2027-01-01T00:00:00.000Z'],
    ],
    [
      'own columns become metadata',
      utf8('name,Источник,Score\nAda,hh.ru,"7,5"\n'),
      ['Ada /  {"Источник":"hh.ru","Score":"7,5"}'],
    ],
    [
      'commas in a comment beside semicolons',
      utf8('Имя;Комментарий\nПётр;да, нет, может быть\n'),
      ['Пётр /  {"Комментарий":"да, нет, может быть"}'],
    ],
    [
      'a quoted line break',
      utf8('name,comment\r\nAda,"one\r\ntwo"\r\nBob,x\r\n'),
      ['Ada /  {"comment":"one\\ntwo"}', 'Bob /  {"comment":"x"}'],
    ],
    [
      'a line break within a name',
      utf8('name;email\n"Иванов\nПётр";p@example.org\n'),
      ['Иванов Пётр / p@example.org'],
    ],
    [
      'quotation marks within a cell',
      utf8('name,company\nAda,"Acme" Ltd\nBob,Ltd "Acme"\nCid,"Acme ""Best"" Ltd"\n'),
      [
        'Ada /  {"company":"\\"Acme\\" Ltd"}',
        'Bob /  {"company":"Ltd \\"Acme\\""}',
        'Cid /  {"company":"Acme \\"Best\\" Ltd"}',
      ],
    ],
    ['a dash for nothing', utf8('name,phone,telegram,note\nAda,-,–,-\n'), ['Ada /  {"note":"-"}']],
    [
      'spaces beside quotation marks',
      utf8('name, email, note\n"Ada" , "ada@example.org", "x"\n'),
      ['Ada / ada@example.org {"note":"\\"x\\""}'],
    ],
    [
      'numbers kept as text',
      utf8('name,phone,externalId\nAda,"=""79161234567""","=""00123"""\n'),
      ['Ada / 79161234567 #00123'],
    ],
    ['numbers with an apostrophe', utf8("name,phone\nAda,'+79161234567\n"), ['Ada / +79161234567']],
    [
      'a phone number with a fraction',
      utf8('name,phone\nAda,79161234567.0\n'),
      ['Ada / 79161234567'],
    ],
    [
      'Telegram as people write it',
      utf8('tg\n@Anna_K\nhttps://t.me/Anna_K\nanna_k\n'),
      [' /  @anna_k', ' /  @anna_k', ' /  @anna_k'],
    ],
    [
      'days that can be read in one way',
      utf8(
        'name;until;срок\nA;;31.12.2026\nB;;2026-12-31 00:00:00\nC;;12/31/2026\nD;;12/12/2026\nE;;31.12.2026 0:00\nF;;2026-12-31T10:00:00+03:00\n',
      ),
      [
        ...['A', 'B', 'C'].map((name) => `${name} /  until 2027-01-01T00:00:00.000Z`),
        'D /  until 2026-12-13T00:00:00.000Z',
        'E /  until 2027-01-01T00:00:00.000Z',
        'F /  until 2026-12-31T07:00:00.000Z',
      ],
    ],
    ['an address in Cyrillic', utf8('email\nпочта@пример.рф\n'), [' / почта@пример.рф']],
  ];

  test.each(FILES)('are read: %s', async (_title, bytes, rows) => {
    expect(await rowsOf(bytes)).toEqual(rows);
  });
});

describe('files that are refused as a whole', () => {
  const FILES: readonly (readonly [title: string, bytes: Uint8Array, problem: FileProblem])[] = [
    ['nothing', utf8(''), { code: 'empty' }],
    ['spaces only', utf8(' \r\n\r\n'), { code: 'empty' }],
    ['separators only', utf8(';;;\n;;;\n'), { code: 'header_unknown', line: 1 }],
    ['a header only', utf8(crlf([RU[0] ?? ''])), { code: 'no_rows' }],
    ['XLSX and ODS', utf8('PK\u0003\u0004rest'), { code: 'workbook' }],
    ['XLS', Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1), { code: 'workbook' }],
    ['gzip', Uint8Array.of(0x1f, 0x8b, 8), { code: 'packed' }],
    ['PDF', utf8('%PDF-1.7'), { code: 'document' }],
    ['a page of an error', utf8('<!doctype html><p>Sign in'), { code: 'document' }],
    ['JSON as CSV', utf8('[{"name":"Ada"}]'), { code: 'json' }],
    ['UTF-16 without its mark', utf16le(lf(EN)).subarray(2), { code: 'utf16_without_mark' }],
    [
      'UTF-16 with half a character',
      utf16le('name\nA\uD800da\n'),
      { code: 'utf16_broken', line: 2 },
    ],
    ['UTF-32', Uint8Array.of(0xff, 0xfe, 0, 0, 65, 0, 0, 0), { code: 'utf32' }],
    ['UTF-16 that is cut off', utf16le(lf(EN)).subarray(0, -1), { code: 'utf16_broken', line: 2 }],
    [
      'UTF-8 with bytes of another encoding',
      Buffer.concat([utf8(lf(RU)), inCodePage('windows-1251', 'Я')]),
      { code: 'utf8_broken', line: 3 },
    ],
    ['KOI8-R', inCodePage('koi8-r', lf(RU)), { code: 'other_encoding', name: 'koi8-r' }],
    ['DOS', inCodePage('ibm866', lf(RU)), { code: 'other_encoding', name: 'ibm866' }],
    [
      'ISO 8859-5',
      inCodePage('iso-8859-5', lf(RU)),
      { code: 'other_encoding', name: 'iso-8859-5' },
    ],
    [
      'KOI8-R in small letters under an English header',
      inCodePage('koi8-r', 'name\nсмирнов пётр\nиванова анна\n'),
      { code: 'unknown_encoding' },
    ],
    [
      'French in windows-1252',
      inCodePage('windows-1252', 'name\nZoë Lefèvre\n'),
      { code: 'unknown_encoding' },
    ],
    [
      'Greek',
      inCodePage('windows-1253', 'name\nΓιώργος Παπαδόπουλος\nΕλένη Δημητρίου\n'),
      { code: 'unknown_encoding' },
    ],
    [
      'a header whose letters are lost',
      inCodePage('windows-1252', crlf(RU)),
      { code: 'header_lost' },
    ],
    [
      'no header',
      utf8('Ada,ada@example.org\nBob,bob@example.org\n'),
      { code: 'header_unknown', line: 1 },
    ],
    [
      'a title above the header',
      utf8('Кандидаты ноября;;\nИмя;Почта;\nПётр;p@example.org;\n'),
      { code: 'header_unknown', line: 1 },
    ],
    [
      'two equal columns',
      utf8('name,Note,note\nAda,1,2\n'),
      { code: 'header_twice', column: 'Note', other: 'note' },
    ],
    [
      'two columns of one meaning',
      utf8('Имя;Почта;E-mail\nПётр;;p@example.org\n'),
      { code: 'header_twice', column: 'Почта', other: 'E-mail' },
    ],
    [
      'a separator that is none',
      utf8('sep=#\nname#email\n'),
      { code: 'separator_unknown', name: '#' },
    ],
    [
      'a megabyte of separators in one line, which takes no longer than any other',
      utf8(`sep=${','.repeat(1_000_000)}`),
      { code: 'header_unknown', line: 1 },
    ],
    [
      'a quotation mark that is not closed',
      utf8('name,note\nAda,x\nBob,"y\nCid,z\n'),
      { code: 'quote_open', line: 3 },
    ],
    [
      'one below sep= that is not closed',
      utf8('sep=,\nname,note\nAda,"x\nBob,y\n'),
      { code: 'quote_open', line: 3 },
    ],
    ['one in the header', utf8('name,"note\nAda,x\n'), { code: 'quote_open', line: 1 }],
    [
      'one that another row closes',
      utf8('name,note\nAda,"x\nBob,"y"\nCid,z\n'),
      { code: 'quote_open', line: 2 },
    ],
    [
      'one that closes after another cell',
      utf8('name,note,size\n"Ada,x,1\nBob,y,"\nCid,z,3\n'),
      { code: 'quote_open', line: 2 },
    ],
    [
      'a column more than are taken',
      utf8(`name,${Array.from({ length: 60 }, (_, at) => `c${at}`).join()}\nAda\n`),
      { code: 'too_many_columns', count: 61, max: 60 },
    ],
    [
      'a name of a column that is a text',
      utf8(`name,${'x'.repeat(65)}\nAda,1\n`),
      { code: 'header_too_long', count: 2, max: 64 },
    ],
    [
      'a row more than are taken',
      utf8(`name\n${'Ada\n'.repeat(10_001)}`),
      { code: 'too_many_rows', count: 10_001, max: 10_000 },
    ],
  ];

  test.each(FILES)('%s', async (_title, bytes, problem) => {
    expect(await refusalOf(bytes)).toEqual(problem);
  });

  test('say it in English and in Russian, with all places filled in', () => {
    for (const [, , problem] of FILES) {
      const error = new InvitationFileError(problem);
      expect(error.message).toMatch(/^[A-Z][^{}]+\.$/);
      expect(error.sentence('ru')).toMatch(/^[А-ЯA-Z][^{}]+\.$/);
      expect(error.message).not.toContain('"?"');
    }
  });
});

describe('rows that are refused alone', () => {
  const ROWS: readonly (readonly [title: string, csv: string, problem: string])[] = [
    ['a phone number of Excel in English', 'phone\n7.9E+10\n', 'exponent phone'],
    ['a phone number of Excel in Russian', 'Телефон\n"7,9E+10"\n', 'exponent Телефон'],
    ['the same with a Cyrillic letter', 'Телефон\n"7,9Е+10"\n', 'exponent Телефон'],
    ['a number that was an id', 'name,externalId\nAda,1.23457E+12\n', 'exponent externalId'],
    ['a number in a column of the caller', 'name,Work\nAda,7.9E+10\n', 'exponent Work'],
    ['a phone number that was rounded', 'phone\n79160000000\n', 'rounded phone'],
    ['too few digits', 'phone\n12-34\n', 'phone_invalid phone'],
    ['two phone numbers', 'phone\n"+79161234567, +79161234568"\n', 'phone_invalid phone'],
    ['words for a phone number', 'phone\nask Anna\n', 'phone_invalid phone'],
    ['a name of question marks', 'name\n?????? ????\n', 'letters_lost name'],
    ['a name that has lost a letter', 'name\nBj?rn\n', 'letters_lost name'],
    ['a name of replacement signs', 'name\n\uFFFD\uFFFD\uFFFD\n', 'letters_lost name'],
    ['a name read in the wrong encoding', 'name\nРџС‘С‚СЂ\n', 'letters_garbled name'],
    ['the same in Latin letters', 'name\nÐ˜Ð²Ð°Ð½\n', 'letters_garbled name'],
    ['a name that is a number', 'name\n12345\n', 'name_invalid name'],
    ['a name that is an address', 'name\nada@example.org\n', 'name_invalid name'],
    ['a name that is too long', `name\n${'a'.repeat(121)}\n`, 'too_long name'],
    [
      'a first and a last name that are',
      `firstName,lastName\n${'a'.repeat(80)},${'b'.repeat(80)}\n`,
      'too_long firstName, lastName',
    ],
    ['a formula', 'name\n=A1&B1\n', 'formula name'],
    ['an error of a spreadsheet', 'telegram\n#NAME?\n', 'spreadsheet_error telegram'],
    ['the same in Russian', 'Имя\n#ИМЯ?\n', 'spreadsheet_error Имя'],
    ['a NUL', 'name\nA\0da\n', 'unstorable name'],
    ['a control character', 'name\nA\u0007da\n', 'control name'],
    ['an e-mail address without a domain', 'email\nada@example\n', 'email_invalid email'],
    ['two e-mail addresses', 'email\n"a@example.org; b@example.org"\n', 'email_invalid email'],
    ['a name before the address', 'email\nAda <ada@example.org>\n', 'email_invalid email'],
    ['two dots in an address', 'email\nada..l@example.org\n', 'email_invalid email'],
    ['a Telegram name that is too short', 'telegram\n@ab\n', 'telegram_invalid telegram'],
    ['a phone number for Telegram', 'telegram\n+79161234567\n', 'telegram_invalid telegram'],
    ['a day with two readings', 'name,until,срок\nAda,,05/06/2026\n', 'date_ambiguous срок'],
    [
      'the same beside a clear one',
      'name,срок\nAda,31/12/2026\nBob,03/12/2026\n',
      'date_ambiguous срок',
    ],
    ['a short year', 'name,срок\nAda,31.12.26\n', 'date_ambiguous срок'],
    ['a day that has changed its order', 'name,срок\nAda,12.31.2026\n', 'date_order срок'],
    ['the same with the year first', 'name,срок\nAda,2026-31-12\n', 'date_order срок'],
    ['a day that is a number', 'name,срок\nAda,46387\n', 'date_number срок'],
    ['a day that does not exist', 'name,срок\nAda,31.02.2027\n', 'date_invalid срок'],
    ['a day in words', 'name,срок\nAda,31 декабря\n', 'date_invalid срок'],
    ['a day that is over', 'name,срок\nAda,2026-11-28\n', 'date_past срок'],
    ['a day beyond a year', 'name,срок\nAda,2028-01-01\n', 'date_far срок'],
    ['a cell too many', 'name,note\nAda,yes,no\n', 'more_cells '],
    ['a row of totals', 'name,срок,Всего\n,,25\n', 'nothing_known '],
    ['an id that is too long', `name,id\nAda,${'1'.repeat(201)}\n`, 'too_long id'],
    ['a text that is too long', `name,note\nAda,${'x'.repeat(2001)}\n`, 'too_long note'],
    ['an id twice', 'name,id\nAda,7\nBob,7\n', 'external_id_twice id'],
  ];

  test.each(ROWS)('%s', async (_title, csv, problem) => {
    expect((await rowsOf(utf8(csv))).at(-1)).toBe(problem);
  });

  test('all at once, by their numbers and lines, and harm no other', async () => {
    const csv = 'name,email\r\nAda,"ada@example\n.org"\r\n\r\n?,nobody\r\nBob,bob@example.org\r\n';

    const { rows } = await readInvitationFile(utf8(csv), 'csv', NOW);

    expect(
      rows.map(({ n, line, problems }) => [n, line, problems.map(({ code }) => code)]),
    ).toEqual([
      [1, 2, ['email_invalid']],
      [2, 5, ['letters_lost', 'email_invalid']],
      [3, 6, []],
    ]);
  });

  test('300 of 1,000 leave 700', async () => {
    const lines = Array.from({ length: 1000 }, (_, at) => (at % 10 < 3 ? `?,${at}` : `Ada,${at}`));

    const { rows } = await readInvitationFile(utf8(`name,id\n${lf(lines)}`), 'csv', NOW);

    expect(rows.filter(({ given }) => given !== null)).toHaveLength(700);
    expect(rows.filter(({ problems }) => problems.length > 0)).toHaveLength(300);
  });

  test('say it in both languages without a value of the row', async () => {
    for (const [, csv] of ROWS) {
      const { rows } = await readInvitationFile(utf8(csv), 'csv', NOW);
      for (const problem of rows.flatMap(({ problems }) => problems)) {
        const { en, ru } = rowSentence(problem);
        expect(en).toMatch(/^[A-Z"][^{}]+\.$/);
        expect(ru).toMatch(/^[А-Я«][^{}]+\.$/);
        expect(en).not.toContain('ada@');
      }
    }
  });
});

describe('JSON', () => {
  test('is a list, or an object with one, with metadata of any form', async () => {
    const rows = [
      { name: 'Ada', email: 'ada@example.org', externalId: 7, metadata: { tags: ['a', 1, null] } },
      { telegram: '@Anna_K', phone: 79161234567, validUntil: '2026-12-31', name: null },
    ];
    const read = [
      'Ada / ada@example.org #7 {"tags":["a",1,null]}',
      ' / 79161234567 @anna_k until 2027-01-01T00:00:00.000Z',
    ];

    expect(await rowsOf(utf8(JSON.stringify(rows)), 'json')).toEqual(read);
    expect(await rowsOf(utf8WithMark(JSON.stringify({ invitations: rows })), 'json')).toEqual(read);
  });

  test.each([
    ['a text', '"Ada"', 'not_an_object '],
    ['an unknown field', '{"name":"Ada","mail":"x"}', 'unknown_field mail'],
    ['a field that is an address', '{"name":"Ada","ada@example.org":1}', 'unknown_field ?'],
    ['an object for a text', '{"name":{}}', 'not_text name'],
    ['a number with a fraction', '{"phone":7.9}', 'not_text phone'],
    ['metadata that is a list', '{"name":"Ada","metadata":[]}', 'metadata_invalid '],
    [
      'metadata that is too large',
      `{"name":"Ada","metadata":{"x":"${'y'.repeat(9000)}"}}`,
      'metadata_too_large ',
    ],
    [
      'metadata with half a character',
      String.raw`{"name":"Ada","metadata":{"x":["\ud800"]}}`,
      'unstorable metadata',
    ],
    ['metadata with a name of nothing', '{"name":"Ada","metadata":{" ":1}}', 'metadata_key '],
    ['half a character', String.raw`{"name":"\ud800"}`, 'unstorable name'],
    ['nothing', '{}', 'nothing_known '],
  ])('refuses a row alone: %s', async (_title, row, problem) => {
    expect(await rowsOf(utf8(`[{"name":"Bob"},${row}]`), 'json')).toEqual(['Bob / ', problem]);
  });

  test.each([
    ['half a document', '[{"name":', 'not_json'],
    ['a text', '"Ada"', 'not_rows'],
    ['an object of something else', '{"rows":[]}', 'not_rows'],
    ['an empty list', '[]', 'no_rows'],
  ] as const)('is refused as a whole: %s', async (_title, text, code) => {
    expect(await refusalOf(utf8(text), 'json')).toEqual({ code });
  });

  test('is refused in another encoding', async () => {
    const bytes = inCodePage('windows-1251', '[{"name":"Пётр"}]');

    expect((await refusalOf(bytes, 'json')).code).toBe('not_json');
  });
});
