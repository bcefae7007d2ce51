import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { VacancyFileError, minutesOf, parseVacancy, readVacancyFile } from '../../src/vacancies';
import { ACCENT_BACKGROUNDS } from '../../src/vacancies/brand';
import { vacancyYaml } from '../../src/vacancies/vacancy-file';
import { vacancyDraft } from '../support/vacancies';

/** The fields of a vacancy's file that shape the candidate's page. */

/** A vacancy as a file gives it: its knockout names the fact. */
function draftOf(changes: Parameters<typeof vacancyDraft>[0] = {}) {
  const draft = vacancyDraft(changes);
  const questions = draft.plan.questions.map((one) =>
    one.kind === 'knockout'
      ? { ...one, knockOut: [{ name: 'early', fact: 'The candidate can start at four.' }] }
      : one,
  );
  return { ...draft, plan: { ...draft.plan, questions } };
}

const PLAIN = vacancyYaml(draftOf());

function problemsIn(source: string): string[] {
  try {
    parseVacancy(source, 'x.yaml');
  } catch (error) {
    if (error instanceof VacancyFileError) return error.message.split('\n');
    throw error;
  }
  return [];
}

/** The problems of the plain vacancy with these lines before it. */
function problemsWith(lines: string): string[] {
  return problemsIn(`${lines}\n${PLAIN}`);
}

describe('the accent', () => {
  test('may be one colour, which is made lighter for the dark page', () => {
    const { accent } = parseVacancy(`accent: "#1D5A4B"\n${PLAIN}`, 'x.yaml');

    expect(accent?.light).toBe('#1d5a4b');
    expect(problemsWith(`accent: { light: "#1d5a4b", dark: "${accent?.dark ?? ''}" }`)).toEqual([]);
  });

  test('that is hard to read is refused with its line, its contrast and what helps', () => {
    expect(problemsWith('accent: "#ffcc00"')).toEqual([
      'x.yaml:1: accent: expected a contrast of at least 4.5 to 1 with #f5f2ea of the light page, ' +
        'but #ffcc00 has 1.3 to 1; choose a darker colour',
    ]);
    expect(problemsWith('accent:\n  light: "#1d5a4b"\n  dark: "#1d5a4b"')).toEqual([
      'x.yaml:3: accent.dark: expected a contrast of at least 4.5 to 1 with #1f1e1a of the dark page, ' +
        'but #1d5a4b has 2.0 to 1; choose a lighter colour',
    ]);
  });

  test.each([
    ['green', 'x.yaml:1: accent: expected a colour like "#1d5a4b", in quotes'],
    ['#1d5a4b', 'x.yaml:1: accent: expected a mapping of keys to values'],
    ['{ light: "#1d5a4b" }', 'x.yaml:1: accent.dark: is missing'],
    ['{ light: "#1d5a4b", dark: "#ffffff", more: 1 }', 'x.yaml:1: accent.more: is not a known key'],
  ])('is refused as %s', (accent, problem) => {
    expect(problemsWith(`accent: ${accent}`)).toEqual([problem]);
  });

  test('is measured against the colours of the page', () => {
    const tokens = readFileSync(resolve(__dirname, '../../web/src/styles/tokens.css'), 'utf8');
    const [light = '', dark = ''] = tokens.split('prefers-color-scheme: dark');
    const { light: bright, dark: dim } = ACCENT_BACKGROUNDS;

    expect([light, dark].map((css) => /--paper: (#\w+)/.exec(css)?.[1])).toEqual([
      bright.page,
      dim.page,
    ]);
    expect(/--on-accent: (#\w+)/.exec(light)?.[1]).toBe('#fff');
    expect(/--card: (#\w+)/.exec(dark)?.[1]).toBe(dim.other);
  });
});

describe('the logo', () => {
  const SVG = '<?xml version="1.0"?>\n<!-- ours -->\n<svg xmlns="http://www.w3.org/2000/svg"/>';
  const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);
  const WEBP = Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1');
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vacancy-'));
    file = join(folder, 'x.yaml');
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function withLogo(name: string, content: string | Buffer | null) {
    await writeFile(file, `# A vacancy\nlogo: ${name}\n${PLAIN}`);
    if (content !== null) await writeFile(join(folder, name), content);
    return readVacancyFile(file);
  }

  test.each([
    ['a.svg', SVG, 'image/svg+xml'],
    ['a.png', PNG, 'image/png'],
    ['a.webp', WEBP, 'image/webp'],
    // What a picture is, is told by its content.
    ['b.svg', PNG, 'image/png'],
  ])('%s is read from the folder of the file', async (name, content, mediaType) => {
    const { logoFile } = await withLogo(name, content);

    expect(logoFile).toMatchObject({ name, mediaType, content: Buffer.from(content) });
    expect(logoFile?.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    ['is missing', null, 'there is no such file'],
    ['is no picture', '<html><svg></svg></html>', 'expected a PNG, SVG or WebP picture'],
    [
      'is too large',
      Buffer.concat([PNG, Buffer.alloc(65_536)]),
      'expected a picture of at most 64 kB',
    ],
  ])('that %s is refused with its line', async (_, content, reason) => {
    await expect(withLogo('a.png', content)).rejects.toThrow(`${file}:2: logo: a.png: ${reason}`);
  });

  test('cannot be a file outside the folder', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'outside-'));
    await writeFile(join(outside, 'a.png'), PNG);
    await symlink(join(outside, 'a.png'), join(folder, 'a.png'));

    await expect(withLogo('a.png', null)).rejects.toThrow(
      "logo: a.png: expected a file inside the vacancy's folder",
    );
    expect(problemsWith('logo: ../a.png')[0]).toContain(
      'expected the path of a .png, .svg or .webp',
    );
    await rm(outside, { recursive: true });
  });
});

describe('the duration', () => {
  test.each([
    [1, 5],
    [7, 15],
    [8, 20],
    [30, 75],
  ])('of %d questions is about %d minutes', (count, minutes) => {
    const { plan } = vacancyDraft();
    const questions = Array.from({ length: count }, () => plan.questions[0] as never);

    expect(minutesOf({ ...plan, questions })).toBe(minutes);
  });

  test('is what the file says, in whole minutes', () => {
    const { plan } = parseVacancy(`minutes: 12\n${PLAIN}`, 'x.yaml');

    expect(minutesOf(plan)).toBe(12);
    const problem = 'x.yaml:1: minutes: expected a whole number of minutes, from 1 to 240';
    for (const wrong of ['0', '241', '1.5', 'long']) {
      expect(problemsWith(`minutes: ${wrong}`)).toEqual([problem]);
    }
  });
});

test('the receipt is off unless the file says true', () => {
  const receipt = (text: string) => parseVacancy(`${text}${PLAIN}`, 'x.yaml').plan.receipt;

  expect([receipt(''), receipt('receipt: false\n'), receipt('receipt: true\n')]).toEqual([
    undefined,
    undefined,
    true,
  ]);
  expect(problemsWith('receipt: maybe')).toEqual(['x.yaml:1: receipt: expected true or false']);
});

describe('the notices', () => {
  test.each([
    ['[us-ca, us-co]', ['us-co', 'us-ca']],
    ['[us-ca]', ['us-ca']],
    ['[]', undefined],
  ])('are %s in a file, in one order, and come back from a draft', (written, notices) => {
    const draft = parseVacancy(`notices: ${written}\n${PLAIN}`, 'x.yaml');

    expect(draft.notices).toEqual(notices);
    expect(parseVacancy(vacancyYaml(draft), 'x.yaml')).toEqual(draft);
  });

  test('have one sentence for each mistake, with its line', () => {
    expect(problemsWith('notices: us-co')).toEqual([
      'x.yaml:1: notices: expected a list of us-co, us-ca',
    ]);
    expect(problemsWith('notices: [us-co, us-ny]')).toEqual([
      'x.yaml:1: notices[1]: expected us-co or us-ca',
    ]);
    expect(problemsWith('notices: [us-co, us-ca, us-co]')).toEqual([
      'x.yaml:1: notices[2]: expected each code once',
    ]);
  });
});

describe('reminders', () => {
  const planOf = (text: string) => parseVacancy(`${text}\n${PLAIN}`, 'x.yaml').plan;

  test('are 0 to 5, in the time zone of the candidates', () => {
    expect(planOf('reminders: 0\ntimeZone: Asia/Almaty')).toMatchObject({
      reminders: 0,
      timeZone: 'Asia/Almaty',
    });
    expect(planOf('reminders: 5').reminders).toBe(5);
    expect(planOf('')).not.toHaveProperty('reminders');
  });

  test('have one sentence for each mistake, with its line', () => {
    for (const wrong of ['-1', '6', '1.5', 'two', '"2"']) {
      expect(problemsWith(`reminders: ${wrong}`)).toEqual([
        'x.yaml:1: reminders: expected a whole number from 0 to 5',
      ]);
    }
    expect(problemsIn(`reminders: 1\ntimeZone: Almaty\n${PLAIN}`)).toEqual([
      'x.yaml:2: timeZone: expected a time zone, like Europe/Dublin',
    ]);
  });
});

describe('the promised reply', () => {
  test('is a number of business days', () => {
    const days = (text: string) =>
      parseVacancy(`replyWithin: ${text}\n${PLAIN}`, 'x.yaml').plan.replyWithinDays;

    expect([days('1 business day'), days('5 business days')]).toEqual([1, 5]);
    const problem = 'x.yaml:1: replyWithin: expected 1 to 99 business days, like "5 business days"';
    for (const wrong of ['5 days', '0 business days', '100 business days', '5']) {
      expect(problemsWith(`replyWithin: ${wrong}`)).toEqual([problem]);
    }
  });

  test('is counted where its owner works', () => {
    const owned = (more: string) => PLAIN.replace('  name: Ada\n', `  name: Ada\n${more}`);

    const { owner } = parseVacancy(owned('  country: IE\n  timeZone: Europe/Dublin\n'), 'x.yaml');

    expect(owner).toMatchObject({ name: 'Ada', country: 'IE', timeZone: 'Europe/Dublin' });
    expect(problemsIn(owned('  country: Ireland\n  timeZone: Dublin\n'))).toEqual([
      'x.yaml:7: owner.country: expected a country code of ISO 3166, like IE',
      'x.yaml:8: owner.timeZone: expected a time zone, like Europe/Dublin',
    ]);
    expect(problemsIn(owned('  country: QQ\n'))).toHaveLength(1);
  });
});

test("greeting and closing may be one text for each language, the vacancy's own among them", () => {
  const translated = PLAIN.replace(/^closing: .*$/m, 'closing:\n  en: Bye.\n  ru: Пока.');

  expect(parseVacancy(translated, 'x.yaml').plan).toMatchObject({
    closing: 'Bye.',
    translations: { closing: { ru: 'Пока.' } },
  });
  expect(parseVacancy(PLAIN, 'x.yaml').plan).not.toHaveProperty('translations');
  expect(problemsIn(translated.replace('  en: Bye.\n', ''))).toEqual([
    expect.stringMatching(/^x\.yaml:\d+: closing: expected a text in the vacancy's language, en$/),
  ]);
});

test('every field survives being written as YAML and read again', () => {
  const draft = draftOf({
    accent: { light: '#1d5a4b', dark: '#93cfb9' },
    logo: 'logos/a.svg',
    owner: { name: 'Ada', country: 'IE', timeZone: 'Europe/Dublin' },
    plan: {
      ...vacancyDraft().plan,
      translations: { greeting: { ru: 'Здравствуйте.' }, closing: { ru: 'Спасибо.' } },
      minutes: 12,
      replyWithinDays: 1,
      reminders: 3,
      timeZone: 'Asia/Almaty',
      receipt: true,
    },
    knowledge: ['a.md'],
  });

  expect(parseVacancy(vacancyYaml(draft), 'x.yaml')).toEqual(draft);
});
