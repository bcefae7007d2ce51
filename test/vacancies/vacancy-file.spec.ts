import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { VacancyFileError, parseVacancy, readVacancyFile } from '../../src/vacancies';

const EXAMPLES = resolve(__dirname, '../../examples');

const GOOD = `slug: baker
language: en
title: Baker
company: Crumb
owner:
  name: Ada
  notionUserId: 5f2c7a10-94be-4d0a-8c3e-2b1f60d7a911
greeting: Hello
closing: Bye
questions:
  - id: first
    text: What did you bake last?
    rubric: Names a bread.
  - id: second
    text: Can you start at four?
    kind: knockout
    mustAsk: true
    rubric: Yes or no.
    followUp: Four in the morning?
    knockOut: [{ name: early, fact: The candidate can start at four. }]
`;

function problemsIn(source: string): string[] {
  try {
    parseVacancy(source, 'x.yaml');
  } catch (error) {
    if (error instanceof VacancyFileError) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('a vacancy file', () => {
  test('becomes a draft, with defaults for what it leaves out', () => {
    const draft = parseVacancy(GOOD, 'x.yaml');

    expect(draft).toEqual({
      slug: 'baker',
      language: 'en',
      title: 'Baker',
      company: 'Crumb',
      owner: { name: 'Ada', notionUserId: '5f2c7a10-94be-4d0a-8c3e-2b1f60d7a911' },
      plan: {
        greeting: 'Hello',
        closing: 'Bye',
        questions: [
          {
            id: 'first',
            text: 'What did you bake last?',
            kind: 'open',
            mustAsk: false,
            rubric: 'Names a bread.',
          },
          {
            id: 'second',
            text: 'Can you start at four?',
            kind: 'knockout',
            mustAsk: true,
            rubric: 'Yes or no.',
            followUp: 'Four in the morning?',
            knockOut: [{ name: 'early', fact: 'The candidate can start at four.' }],
          },
        ],
      },
    });
  });

  test('may leave out the Notion user of its owner', () => {
    const draft = parseVacancy(GOOD.replace(/^ {2}notionUserId: .*\n/m, ''), 'x.yaml');

    expect(draft.owner).toEqual({ name: 'Ada' });
  });

  test('names documents in its folder', () => {
    const draft = parseVacancy(`${GOOD}knowledge:\n  - docs/о нас.ru.md\n  - a.txt\n`, 'x.yaml');

    expect(draft.knowledge).toEqual(['docs/о нас.ru.md', 'a.txt']);
  });

  test.each([
    '../secret.md',
    'docs/../../secret.md',
    '/etc/passwd.txt',
    './a.md',
    'docs//a.md',
    '..\\\\secret.md',
    'C:/a.md',
    '.md/',
    'a.pdf',
    '"a\\0.md"',
    '7',
  ])('names no document like %s', (name) => {
    expect(problemsIn(`${GOOD}knowledge:\n  - a.md\n  - ${name}\n`)).toEqual([
      "x.yaml:23: knowledge[1]: expected the path of a .md or .txt file inside this file's folder, like docs/team.en.md",
    ]);
  });

  test('names each document once, and not too many', () => {
    expect(problemsIn(`${GOOD}knowledge: [a.md, b.md, a.md]\n`)).toEqual([
      'x.yaml:21: knowledge[2]: expected each file once',
    ]);
    const many = Array.from({ length: 21 }, (_, index) => `${String(index)}.md`).join(', ');
    expect(problemsIn(`${GOOD}knowledge: [${many}]\n`)).toEqual([
      'x.yaml:21: knowledge: expected at most 20 documents',
    ]);
    expect(problemsIn(`${GOOD}knowledge: a.md\n`)).toEqual([
      'x.yaml:21: knowledge: expected a list of files',
    ]);
  });

  test('is refused with all its problems at once, each with its line, path and reason', () => {
    const source = GOOD.replace('language: en', 'language: de')
      .replace('  name: Ada\n', '')
      .replace('closing: Bye', 'clsoing: Bye')
      .replace('What did you bake last?', 'x'.repeat(601))
      .replace('mustAsk: true', 'mustAsk: perhaps')
      .replace('id: second', 'id: first');

    expect(problemsIn(source)).toEqual([
      'x.yaml:1: closing: is missing',
      'x.yaml:2: language: expected ru or en',
      'x.yaml:5: owner.name: is missing',
      'x.yaml:8: clsoing: is not a known key',
      'x.yaml:11: questions[0].text: expected 1 to 600 characters',
      'x.yaml:13: questions[1].id: expected an id of its own; questions[0] has it',
      'x.yaml:16: questions[1].mustAsk: expected true or false',
    ]);
  });

  test.each([
    ['is empty', '', 'x.yaml:1: expected a mapping of keys to values'],
    ['is a list', '- a\n- b\n', 'x.yaml:1: expected a mapping of keys to values'],
    [
      'holds a NUL',
      GOOD.replace('Hello', '"\\0"'),
      'x.yaml:8: greeting: expected text without NUL',
    ],
    ['holds half a pair', GOOD.replace('Hello', '"\\ud800"'), 'x.yaml:8: greeting: expected text'],
    ['has a blank text', GOOD.replace('Hello', '"  "'), 'x.yaml:8: greeting: expected 1 to 2000'],
    ['has a number for text', GOOD.replace('Baker', '7'), 'x.yaml:3: title: expected text'],
    [
      'has a bad slug',
      GOOD.replace('baker', 'The Baker'),
      'x.yaml:1: slug: expected 1 to 64 of a-z',
    ],
    [
      'has a bad owner',
      GOOD.replace('-8c3e-', '-'),
      'x.yaml:7: owner.notionUserId: expected the UUID',
    ],
    [
      'may skip a knockout',
      GOOD.replace('mustAsk: true', 'mustAsk: false'),
      'x.yaml:17: questions[1].mustAsk: expected true, because a knockout question is always asked',
    ],
    [
      'has a knockout without a fact',
      GOOD.replace(/ {4}knockOut: .*\n/, ''),
      'x.yaml:14: questions[1].knockOut: expected at least one fact, because the rubric of a knockout question is no statement that an answer can confirm',
    ],
    ['repeats a key', `${GOOD}slug: again\n`, 'x.yaml:21: Map keys must be unique'],
    [
      'has no questions',
      GOOD.replace(/questions:[^]*/, 'questions: []\n'),
      'x.yaml:10: questions: expected 1 to 30 questions',
    ],
    ['does not close a quote', `${GOOD}more: "text`, 'x.yaml:21: '],
  ])('that %s is refused with one problem', (_, source, expected) => {
    const problems = problemsIn(source);

    expect(problems).toHaveLength(1);
    expect(problems[0]?.startsWith(expected) ? expected : problems[0]).toBe(expected);
  });

  test('refuses aliases that multiply without end', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x]'];
    for (const [from, to] of [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
      ['d', 'e'],
    ] as const) {
      bomb.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(', ')}]`);
    }

    expect(problemsIn(bomb.join('\n'))[0]).toMatch(/^x\.yaml:1: .*alias/i);
  });

  test.each([
    ['brackets', '['.repeat(60)],
    ['objects', `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`],
    ['brackets beside quoted ones', '["]",'.repeat(60)],
    ['dashes', `${'- '.repeat(60)}x`],
    ['dashes and an explicit key', `${'- '.repeat(50)}? x`],
    ['indents', Array.from({ length: 110 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
  ])('that nests %s beyond the bound is refused before it is parsed', (_, source) => {
    expect(problemsIn(source)).toEqual([expect.stringMatching(/nested too deeply$/)]);
  });

  test('of too many parts is refused before it is parsed', () => {
    expect(problemsIn('- a\n'.repeat(60_000))).toEqual([
      expect.stringMatching(/^x\.yaml:\d+: the file has too many parts$/),
    ]);
  });

  test('that is missing, a folder, too large or not UTF-8 is named with the reason', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vacancy-'));
    const large = join(folder, 'large.yaml');
    const latin = join(folder, 'latin.yaml');
    await writeFile(large, '#'.repeat(300_000));
    await writeFile(latin, Buffer.from([0x74, 0xe9]));

    await expect(readVacancyFile(join(folder, 'no.yaml'))).rejects.toThrow('there is no such file');
    await expect(readVacancyFile(folder)).rejects.toThrow('is a folder, not a file');
    await expect(readVacancyFile(large)).rejects.toThrow('expected at most 256 kB');
    await expect(readVacancyFile(latin)).rejects.toThrow('expected UTF-8 text');

    await rm(folder, { recursive: true });
  });
});

describe('the examples', () => {
  const files = readdirSync(EXAMPLES).filter((name) => name.endsWith('.yaml'));

  test('are one Russian and one English vacancy of different companies', async () => {
    const drafts = await Promise.all(files.map((name) => readVacancyFile(join(EXAMPLES, name))));

    expect(drafts.map(({ language }) => language).sort()).toEqual(['en', 'ru']);
    expect(new Set(drafts.map(({ company }) => company)).size).toBe(2);
  });

  test.each(files)(
    '%s has 6 to 8 questions, a knock-out, must-ask flags and rubrics',
    async (name) => {
      const { plan } = await readVacancyFile(join(EXAMPLES, name));

      expect(plan.questions.length).toBeGreaterThanOrEqual(6);
      expect(plan.questions.length).toBeLessThanOrEqual(8);
      expect(plan.questions.some(({ kind }) => kind === 'knockout')).toBe(true);
      expect(plan.questions.some(({ mustAsk }) => mustAsk)).toBe(true);
      expect(plan.questions.some(({ mustAsk }) => !mustAsk)).toBe(true);
      expect(plan.questions.every(({ rubric }) => rubric.length > 20)).toBe(true);
      const probed = plan.questions.filter(({ criteria }) => criteria !== undefined);
      expect(probed.length).toBeGreaterThan(0);
      for (const one of probed) {
        expect(one).toMatchObject({ followUps: 1, probe: expect.any(String) as string });
      }
    },
  );
});
