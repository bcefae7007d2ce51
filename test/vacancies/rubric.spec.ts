import { resolve } from 'node:path';
import {
  VacancyFileError,
  canonicalRubric,
  parseVacancy,
  readVacancyFile,
  rubricHash,
  rubricOf,
} from '../../src/vacancies';
import { vacancyYaml } from '../../src/vacancies/vacancy-file';

const EXAMPLES = resolve(__dirname, '../../examples');

const HEAD = `slug: baker
language: en
title: Baker
company: Crumb
owner:
  name: Ada
greeting: Hello
closing: Bye
questions:
  - id: bread
    text: What did you bake last?
`;

const ANCHORS = `        anchors:
          1: Nothing.
          2: A loaf.
          3: A good loaf.
          4: A very good loaf.
          5: The best loaf.
`;

const GOOD = `${HEAD}    rubric:
      - name: crust
        weight: 60
${ANCHORS}      - name: crumb
        weight: 40
${ANCHORS}    knockOut:
      - name: early
        fact: The candidate can start at four.
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

function questionIn(source: string) {
  const [question] = parseVacancy(source, 'x.yaml').plan.questions;
  if (question === undefined) throw new Error('the file has no question');
  return question;
}

describe('a rubric', () => {
  test('as a list has criteria with anchors, facts, and a text for readers of text', () => {
    const question = questionIn(GOOD);
    const { criteria, facts } = rubricOf(question);

    expect(criteria.map(({ name, weight }) => [name, weight])).toEqual([
      ['crust', 60],
      ['crumb', 40],
    ]);
    expect(criteria[0]?.anchors?.[5]).toBe('The best loaf.');
    expect(facts).toEqual([{ name: 'early', fact: 'The candidate can start at four.' }]);
    expect(question.rubric).toMatch(/^crust \(60 %\)\. 1: Nothing\. 2: A loaf\./);
  });

  test('as one text is one criterion without anchors', () => {
    const { criteria, facts } = rubricOf(questionIn(`${HEAD}    rubric: Names a bread.\n`));

    expect(criteria).toEqual([{ name: 'answer', weight: 100, anchors: null }]);
    expect(facts).toEqual([]);
  });

  test('of a knockout question is a fact and never a score', () => {
    const knockOut = '    knockOut: [{ name: early, fact: The candidate can start at four. }]';
    const source = `${HEAD}    kind: knockout\n    mustAsk: true\n    rubric: Can start at four.\n${knockOut}\n`;
    const { criteria, facts } = rubricOf(questionIn(source));

    expect(criteria).toEqual([]);
    expect(facts).toEqual([{ name: 'early', fact: 'The candidate can start at four.' }]);
  });

  test('of a knockout question that was imported without a fact stays the same version', () => {
    const question = questionIn(`${HEAD}    rubric: Can start at four.\n`);
    const { criteria, facts } = rubricOf({ ...question, kind: 'knockout', mustAsk: true });

    expect(criteria).toEqual([]);
    expect(facts).toEqual([{ name: 'condition', fact: 'Can start at four.' }]);
  });

  test('of a question that is not scored has no criterion', () => {
    const { criteria } = rubricOf(questionIn(`${HEAD}    scored: false\n    rubric: A date.\n`));

    expect(criteria).toEqual([]);
  });

  test('as a list of an open question allows one follow-up, unless the file says otherwise', () => {
    const followUpsIn = (more: string) => questionIn(`${GOOD}${more}`).followUps;

    expect(followUpsIn('')).toBe(1);
    expect(followUpsIn('    followUps: 0\n')).toBe(0);
    expect(followUpsIn('    followUps: 2\n')).toBe(2);
    expect(questionIn(`${HEAD}    rubric: Names a bread.\n`)).not.toHaveProperty('followUps');
  });

  test('as a list allows a probe without a number of follow-ups, as one text does not', () => {
    const probe = '    probe: Which oven?\n';

    expect(questionIn(`${GOOD}${probe}`).probe).toBe('Which oven?');
    for (const source of [
      `${HEAD}    rubric: A bread.\n${probe}`,
      `${GOOD}    followUps: 0\n${probe}`,
    ]) {
      expect(problemsIn(source).join()).toContain('expected followUps of 1 or 2 beside it');
    }
  });

  test('without a follow-up is written as a file that reads to the same draft', () => {
    const draft = parseVacancy(`${GOOD}    followUps: 0\n`, 'x.yaml');

    expect(parseVacancy(vacancyYaml(draft), 'y.yaml')).toEqual(draft);
  });

  test('is written as a file that reads to the same draft', () => {
    const draft = parseVacancy(GOOD, 'x.yaml');

    expect(parseVacancy(vacancyYaml(draft), 'y.yaml')).toEqual(draft);
  });
});

describe('the hash of a rubric', () => {
  const hashOf = (source: string) => rubricHash(rubricOf(questionIn(source)));

  test('does not depend on the order of keys and on the form of Unicode', () => {
    const reordered = GOOD.replace(
      '      - name: crust\n        weight: 60\n',
      '      - weight: 60\n        name: crust\n',
    );
    expect(hashOf(reordered)).toBe(hashOf(GOOD));
    expect(hashOf(GOOD.replaceAll('loaf', 'p\u00e2t\u00e9'))).toBe(
      hashOf(GOOD.replaceAll('loaf', 'pa\u0302te\u0301')),
    );
  });

  test.each([
    ['an anchor', GOOD.replace('The best loaf', 'The finest loaf')],
    ['a weight', GOOD.replace('60', '70').replace('40', '30')],
    ['a name', GOOD.replace('crumb', 'taste')],
    ['a fact', GOOD.replace('at four', 'at five')],
    ['the question', GOOD.replace('bake last', 'bake first')],
  ])('changes with %s', (_what, changed) => {
    expect(hashOf(changed)).not.toBe(hashOf(GOOD));
  });

  test('is of the canonical form, which is JSON', () => {
    const rubric = rubricOf(questionIn(GOOD));

    expect(JSON.parse(canonicalRubric(rubric))).toMatchObject({ questionId: 'bread' });
    expect(rubricHash(rubric)).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('mistakes in a rubric are named with their line', () => {
  test.each([
    [
      'no anchors',
      `${HEAD}    rubric:\n      - name: crust\n        weight: 100\n`,
      'x.yaml:13: questions[0].rubric[0].anchors: is missing: expected what an answer with each mark from 1 to 5 shows',
    ],
    [
      'one anchor missing',
      GOOD.replace('          3: A good loaf.\n', ''),
      'x.yaml:15: questions[0].rubric[0].anchors.3: is missing',
    ],
    [
      'an anchor too many',
      GOOD.replace('          1: Nothing.\n', '          0: Less.\n          1: Nothing.\n'),
      'x.yaml:16: questions[0].rubric[0].anchors.0: is not a known key',
    ],
    [
      'weights that do not add up',
      GOOD.replace('weight: 40', 'weight: 30'),
      'x.yaml:12: questions[0].rubric: expected weights that add up to 100, not 90',
    ],
    [
      'a name twice',
      GOOD.replace('name: crumb', 'name: crust'),
      'x.yaml:21: questions[0].rubric[1].name: expected a name of its own in this question',
    ],
    [
      'a number in place of a rubric',
      `${HEAD}    rubric: 5\n`,
      'x.yaml:12: questions[0].rubric: expected text or a list of criteria',
    ],
    ['no rubric', HEAD, 'x.yaml:10: questions[0].rubric: is missing'],
    [
      'criteria for a knockout question',
      GOOD.replace('    rubric:', '    kind: knockout\n    mustAsk: true\n    rubric:'),
      'x.yaml:14: questions[0].rubric: expected text, because a knockout question is never scored; list facts as knockOut',
    ],
    [
      'a fact without its text',
      GOOD.replace('        fact: The candidate can start at four.\n', ''),
      'x.yaml:30: questions[0].knockOut[0].fact: is missing',
    ],
  ])('%s', (_what, source, problem) => {
    expect(problemsIn(source)).toEqual([problem]);
  });
});

test.each(['backend-engineer.en.yaml', 'support-lead.ru.yaml'])(
  'the example %s has anchors for at least three questions',
  async (file) => {
    const { plan } = await readVacancyFile(resolve(EXAMPLES, file));
    const anchored = plan.questions.filter(({ criteria }) => criteria !== undefined);

    expect(anchored.length).toBeGreaterThanOrEqual(3);
  },
);
