import { interviewerOf, isOfScript, coversRating } from '../../src/interview/texts/disclosure';
import { disclosureOf, disclosureVersion } from '../../src/interview/texts/disclosure';
import { LETTER_CODES } from '../../src/interview/texts/notices';
import { plainWishOf } from '../../src/interview/plan/phrases';
import { telegramTextsOf } from '../../src/channels/telegram/texts/texts';
import { sha256 } from '../../src/common/ids';
import { InterviewTerms } from '../../src/interview';
import { NOTICE_CODES } from '../../src/vacancies';
import { settingsForTests } from '../support/settings';

const SCRIPT = settingsForTests({});
const AI = settingsForTests({ OPENAI_API_KEY: 'key' });
const RATING = Object.assign(new InterviewTerms(AI), { isRated: true });
const ALL = { script: SCRIPT, ai: AI, rating: RATING };
const CASES = (['en', 'ru'] as const).flatMap((language) =>
  (['script', 'ai', 'rating'] as const).map((mode) => [language, mode] as const),
);

const FOR_ALL = { company: 'Crumb', notices: NOTICE_CODES };

/** What each law asks the notice to say, by words that stand for it. */
const SAID = {
  en: {
    all: [
      'What the program does',
      'What it relies on',
      'To object',
      'To have a person',
      'To correct',
    ],
    'us-co': ['SB 26-189', 'within 30 days', 'what part this program had', 'have a person review'],
    'us-ca': ['CCPA', 'to opt out', 'To ask for access', 'rejects nobody for using these rights'],
  },
  ru: {
    all: [
      'Что делает программа',
      'На что она опирается',
      'Чтобы возразить',
      'человек',
      'исправить',
    ],
    'us-co': ['SB 26-189', 'в течение 30 дней', 'какую роль сыграла', 'пересмотреть решение'],
    'us-ca': [
      'CCPA',
      'чтобы отказаться',
      'Чтобы получить доступ',
      'программа никому не отказывает',
    ],
  },
} as const;

test.each(
  (['en', 'ru'] as const).flatMap((language) =>
    NOTICE_CODES.map((code) => [code, language] as const),
  ),
)(
  'the notice %s stands below the disclosure with all that its law asks for (%s)',
  (code, language) => {
    const without = disclosureOf(AI, language, { company: 'Crumb' });
    const { text, version } = disclosureOf(AI, language, { company: 'Crumb', notices: [code] });

    expect(text.startsWith(`${without.text}\n\n`)).toBe(true);
    for (const words of [...SAID[language].all, ...SAID[language][code]])
      expect(text).toContain(words);
    expect(version).toBe(`${without.version}+${code}.2026-11`);
    for (const other of NOTICE_CODES.filter((one) => one !== code)) {
      expect(version).not.toContain(other);
      expect(text).not.toContain(SAID[language][other][0]);
    }
  },
);

test('a vacancy without notices has the disclosure and the version that it had', () => {
  expect(disclosureVersion(SCRIPT)).toBe('2026-11-script');
  expect(disclosureVersion(AI, [])).toBe('2026-11');
  expect(disclosureVersion(RATING, [])).toBe('2026-11-rating');
  expect(disclosureOf(AI, 'en', { company: 'Crumb' }).text).not.toContain('What the program does');
});

test('the order in which a vacancy lists its notices makes no other version', () => {
  expect(disclosureVersion(AI, ['us-ca', 'us-co'])).toBe(disclosureVersion(AI, ['us-co', 'us-ca']));
});

test.each(CASES)('the notices say only what is true of who asks (%s, %s)', (language, mode) => {
  const { text } = disclosureOf(ALL[mode], language, FOR_ALL);
  const is = (words: RegExp): boolean => words.test(text);

  expect(is(/a script asks the questions|скрипт задаёт вопросы/)).toBe(mode === 'script');
  expect(is(/an AI asks the questions of this vacancy|ИИ задаёт вопросы по этой/)).toBe(
    mode !== 'script',
  );
  expect(is(/it rates them against|он оценивает ответы по критериям/)).toBe(mode === 'rating');
  expect(is(/No AI reads or rates them|ИИ их не читает и не оценивает/)).toBe(mode === 'script');
});

test.each(CASES)(
  'all notices together fit into one message of Telegram (%s, %s)',
  (language, mode) => {
    const { text } = disclosureOf(ALL[mode], language, { ...FOR_ALL, company: 'c'.repeat(160) });
    const { openElsewhere, howToAnswer } = telegramTextsOf(language);
    const heading = 't'.repeat(322);

    expect(
      `${heading}\n\n${openElsewhere}\n\n${text}\n\n${howToAnswer}`.length,
    ).toBeLessThanOrEqual(4096);
  },
);

test.each(['en', 'ru'] as const)(
  'the words that a notice gives are understood as they are (%s)',
  (language) => {
    const { text } = disclosureOf(AI, language, FOR_ALL);
    const quoted = [
      ...text.matchAll(/(?:write|напишите)(?: в интервью| in the interview)? ["«]([^"»]+)["»]/g),
    ];
    const wishes = new Set(quoted.map(([, words = '']) => plainWishOf(words)));

    expect([...wishes].toSorted()).toEqual(['objection', 'person']);
  },
);

test('who agreed to notices is asked and rated as who agreed to the disclosure alone', () => {
  const [script, ai, rating] = [SCRIPT, AI, RATING].map((settings) =>
    disclosureVersion(settings, NOTICE_CODES),
  ) as [string, string, string];

  expect(interviewerOf(AI, script)).toBe('script');
  expect(interviewerOf(AI, ai)).toBe('ai');
  expect([script, ai, rating].map(isOfScript)).toEqual([true, false, false]);
  expect([script, ai, rating].map(coversRating)).toEqual([false, false, true]);
});

test('only Colorado asks for a letter after an adverse decision', () => {
  expect(LETTER_CODES).toEqual(['us-co']);
});

/** Of the words after the disclosure, in all forms. When they change, so does the notice's version. */
const WORDS_OF: Record<string, string> = {
  'us-co.2026-11': '020718f996dd9e14b9f430305cff887ef1a74324b835ded18bdb7c562d1f3ab4',
  'us-ca.2026-11': '700a5016eebacf03bcaef66f0eb330831e6c9bbcaee71756d704e5f5d8545cc8',
};

test.each(NOTICE_CODES)('the words of the notice %s change only with its version', (code) => {
  const texts = CASES.map(([language, mode]) => {
    const own = disclosureOf(ALL[mode], language, { company: 'Crumb' }).text;
    return disclosureOf(ALL[mode], language, { company: 'Crumb', notices: [code] }).text.slice(
      own.length,
    );
  });
  const version = disclosureVersion(AI, [code]).split('+')[1] ?? '';

  expect({ [version]: sha256(texts.join('\n')) }).toEqual({ [version]: WORDS_OF[version] });
});
