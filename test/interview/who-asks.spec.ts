import {
  disclosureOf,
  disclosureVersion,
  interviewerOf,
} from '../../src/interview/texts/disclosure';
import { telegramTextsOf } from '../../src/channels/telegram/texts/texts';
import { settingsForTests } from '../support/settings';

const WITHOUT = settingsForTests({});
const WITH = settingsForTests({ OPENAI_API_KEY: 'key' });

test.each([
  ['en', 'by a script of Crumb', 'neither a person nor an AI'],
  ['ru', 'скрипт компании «Crumb»', 'не человек и не ИИ'],
] as const)('without a model the disclosure says that a script asks (%s)', (language, ...said) => {
  const { text, version } = disclosureOf(WITHOUT, language, { company: 'Crumb' });

  for (const words of said) expect(text).toContain(words);
  expect(text).not.toMatch(/AI interviewer|ИИ-интервьюер|ИИ-сервис|AI service/);
  expect(version).not.toBe(disclosureVersion(WITH));
});

test.each(['en', 'ru'] as const)('with a model it says that an AI asks (%s)', (language) => {
  expect(disclosureOf(WITH, language, { company: 'Crumb' }).text).toMatch(
    /AI interviewer|ИИ-интервьюер/,
  );
});

test('who agreed to be asked by a script is not asked by a model that is set later', () => {
  expect(interviewerOf(WITH, disclosureVersion(WITHOUT))).toBe('script');
  expect(interviewerOf(WITH, disclosureVersion(WITH))).toBe('ai');
  expect(interviewerOf(WITH)).toBe('ai');
  expect(interviewerOf(WITHOUT, disclosureVersion(WITH))).toBe('script');
});

test.each(['en', 'ru'] as const)('the bot says who asks (%s)', (language) => {
  const { help, waysIn } = telegramTextsOf(language);

  expect(waysIn.script).toMatch(/a script asks|задаёт скрипт/);
  expect(waysIn.ai).toMatch(/AI interviewer|ИИ-интервьюер/);
  expect(help({ voices: false, interviewer: 'script' })).toMatch(/a script asks|задаёт скрипт/);
  expect(help({ voices: false, interviewer: 'ai' })).toMatch(/AI interviewer|ИИ-интервьюер/);
});
