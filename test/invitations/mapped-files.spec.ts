/**
 * What the console makes of a spreadsheet whose columns a person has named: the server reads from it the chosen
 * columns, each row in the line of the person's own file.
 */
import { readInvitationFile } from '../../src/invitations/file/invitation-file';
import { correctedText, sentRowsOf } from '../../web/console/invitations/many/correction';
import {
  type Choice,
  choicesOf,
  guessed,
  mappingProblem,
  peopleOf,
  sentOf,
} from '../../web/console/invitations/many/mapping';
import { readTable } from '../../web/console/invitations/many/table';

const NOW = new Date('2026-11-30T10:00:00Z');
const columnName = (number: number): string => `Column ${String(number)}`;

interface ReadRow {
  readonly line: number | null;
  readonly [field: string]: unknown;
}

/** What the server reads: its line, and what it knows of the person. */
async function readByServer(text: string): Promise<ReadRow[]> {
  const { rows } = await readInvitationFile(Buffer.from(text), 'csv', NOW);
  return rows.map(({ line, externalId, given, problems }) => ({
    line,
    ...(externalId === null ? {} : { externalId }),
    ...(given === null ? { problems: problems.map(({ code }) => code) } : given),
  }));
}

function sent(text: string, choices?: readonly Choice[], hasHeader?: boolean) {
  const table = readTable(text);
  const guess = guessed(table);
  const mapping = { hasHeader: hasHeader ?? guess.hasHeader, choices: choices ?? guess.choices };
  return sentOf(table, mapping, columnName);
}

describe('which columns are known', () => {
  test.each([
    ['name,email\nAda,ada@example.org\n', true, ['name', 'email']],
    ['ФИО;Почта;Город\nАда;ada@example.org;Лондон', true, ['name', 'email', 'own']],
    ['Who\tWhere to write\nAda Lovelace\tada@example.org', true, ['own', 'own']],
    ['Ada Lovelace\tada@example.org\t+44 20 7946 0000', false, ['name', 'email', 'phone']],
    ['email,почта\na@example.org,b@example.org', true, ['email', 'own']],
    ['name,\nAda,', true, ['name', 'leave']],
  ])('%j', (text, hasHeader, choices) => {
    expect(guessed(readTable(text))).toEqual({ hasHeader, choices });
  });

  test('a column that says who is invited is needed, and each field once', () => {
    expect(mappingProblem({ hasHeader: true, choices: ['own', 'validUntil'] })).toBe('nobody');
    expect(mappingProblem({ hasHeader: true, choices: ['email', 'email'] })).toBe('twice');
    expect(mappingProblem({ hasHeader: true, choices: ['email', 'own', 'leave'] })).toBeNull();
  });
});

describe('how a table is read', () => {
  test.each([
    ['a,b\n1,2', ','],
    ['a;b\n1,5;2', ';'],
    ['a\tb\n1, 2\t3', '\t'],
    ['name;note, or two\nAda;x', ';'],
    ['sep=;\nname;email\nAda;a@example.org', ';'],
  ])('the delimiter of %j is %j', (text, delimiter) => {
    expect(readTable(text).delimiter).toBe(delimiter);
  });

  test('quotation marks hold delimiters, line ends and themselves', () => {
    const { rows } = readTable('name,note\r\n"Lovelace, Ada","says ""hi""\r\ntwice"\r\n\r\nBob,x');

    expect(rows.map(({ line, cells }) => [line, ...cells])).toEqual([
      [2, 'Lovelace, Ada', 'says "hi"\ntwice'],
      [5, 'Bob', 'x'],
    ]);
  });

  test('a mark that is never closed loses no row below it', () => {
    const { rows } = readTable('name,note\n"Ada,x\nBob,y');

    expect(rows.map(({ cells }) => cells[0])).toEqual(['"Ada', 'Bob']);
  });

  test('ten thousand rows are read', () => {
    const lines = Array.from({ length: 10_000 }, (_, at) => `Person ${String(at)},p@example.org`);
    const { rows } = readTable(`name,email\n${lines.join('\n')}`);

    expect(rows).toHaveLength(10_000);
    expect(rows.at(-1)).toMatchObject({ line: 10_001, cells: ['Person 9999', 'p@example.org'] });
  });
});

describe('what is sent', () => {
  test('the person’s own file, where the server knows its columns', () => {
    expect(sent('name,email,City\nAda,ada@example.org,London\n').isUnchanged).toBe(true);
  });

  test('chosen names above the same lines, also with empty lines, `sep=` and names of two lines', async () => {
    const text =
      'sep=;\n\n"Who\nis it";Mail box;Town\nAda King;ada@example.org;London\n\nBob;bob@example.org;\n';
    const made = sent(text, ['name', 'email', 'own']);

    expect(made).toMatchObject({ isUnchanged: false, addedLines: 0 });
    expect(await readByServer(made.text)).toEqual([
      { line: 5, name: 'Ada King', contact: 'ada@example.org', metadata: { Town: 'London' } },
      { line: 7, name: 'Bob', contact: 'bob@example.org', metadata: {} },
    ]);
    // As the server counts in the person's own file.
    const own = text.replace('"Who\nis it"', '"name\n"');
    expect((await readByServer(own)).map(({ line }) => line)).toEqual([5, 7]);
  });

  test('without a header one is added, and the lines are told less by it', async () => {
    const made = sent('\nAda King\tada@example.org\n\nBob\tb@example.org');

    expect(made.addedLines).toBe(1);
    expect(
      (await readByServer(made.text)).map(({ line }) => (line ?? 0) - made.addedLines),
    ).toEqual([2, 4]);
  });

  test('a column that is left out is not sent, and its line ends move no row', async () => {
    const text = 'name,Salary,email\nAda,"10\n20",ada@example.org\n\nBob,30,bob@example.org\n';
    const made = sent(text, ['name', 'leave', 'email']);

    expect(made.text).not.toMatch(/Salary|10|20|30/);
    expect(await readByServer(made.text)).toEqual([
      { line: 2, name: 'Ada', contact: 'ada@example.org', metadata: {} },
      { line: 5, name: 'Bob', contact: 'bob@example.org', metadata: {} },
    ]);
  });

  test('a known name that a person calls a field of their own stays one', async () => {
    const made = sent('name,id,Name of friend\nAda,7,Bob', ['name', 'own', 'own']);

    expect(await readByServer(made.text)).toEqual([
      { line: 2, name: 'Ada', metadata: { 'id 2': '7', 'Name of friend': 'Bob' } },
    ]);
  });

  test('columns without names, with the same name or a long one have names of their own', async () => {
    const long = 'x'.repeat(80);
    const text = `name,,Note,note,${long}\nAda,1,2,3,4`;
    const table = readTable(text);
    const choices = choicesOf(table, true);
    const made = sentOf(table, { hasHeader: true, choices }, columnName);

    const [row] = await readByServer(made.text);
    expect(row?.['metadata']).toEqual({
      'Column 2': '1',
      Note: '2',
      'note 2': '3',
      [long.slice(0, 60)]: '4',
    });
  });

  test('a row that the server refuses has the line of the person’s file', async () => {
    const made = sent('Who,Mail box\nAda,ada@example.org\nBob,nowhere\n???,c@example.org', [
      'name',
      'email',
    ]);

    expect(await readByServer(made.text)).toEqual([
      { line: 2, name: 'Ada', contact: 'ada@example.org', metadata: {} },
      { line: 3, problems: ['email_invalid'] },
      { line: 4, problems: ['letters_lost'] },
    ]);
  });
});

describe('corrected rows', () => {
  const table = readTable(
    'Who,Mail box,Salary\nAda,ada@example.org,1\n"Bob\nSmith",nowhere,2\nCy,c@,3',
  );
  const mapping = { hasHeader: true, choices: ['name', 'email', 'leave'] as const };

  test('what was sent is found by the line of the person’s file, under their own names', () => {
    const rows = sentRowsOf(table, mapping, columnName);

    expect(rows.names).toEqual(['name', 'email']);
    expect(rows.headers).toEqual(['Who', 'Mail box']);
    expect([...rows.rows]).toEqual([
      [2, ['Ada', 'ada@example.org']],
      [3, ['Bob Smith', 'nowhere']],
      [5, ['Cy', 'c@']],
    ]);
    expect(peopleOf(table, mapping)).toHaveLength(3);
  });

  test('only they are sent, and each keeps its line; an emptied row is left out', async () => {
    const { text, lines } = correctedText(
      ['name', 'email'],
      [
        { line: 3, cells: ['Smith, "Bob"', 'bob@example.org'] },
        { line: 4, cells: ['', ' '] },
        { line: 5, cells: ['Cy\nYoung', 'cy@example.org'] },
      ],
    );

    expect(lines).toEqual([3, 5]);
    const read = await readByServer(text);
    expect(read.map(({ name, contact }) => [name, contact])).toEqual([
      ['Smith, "Bob"', 'bob@example.org'],
      ['Cy Young', 'cy@example.org'],
    ]);
  });
});
