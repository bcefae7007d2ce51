import type { Language } from '../../src/vacancies';
import type { Ending, Meaning, Row, Scenario, ScenarioTurn } from './scenario';

/** One message, or several of one answer, and what a good model reads in it. */
export function turn(says: string | readonly string[], means: Meaning = {}): ScenarioTurn {
  return { says: typeof says === 'string' ? [says] : says, means };
}

/** Days without a word, and then perhaps an answer. */
export function silence(days: number, says: string | null = null): ScenarioTurn {
  return { says: says === null ? [] : [says], means: {}, silentDays: days };
}

type Words = Readonly<Record<Language, readonly ScenarioTurn[]>>;

interface Outcome {
  readonly good: Ending;
  readonly scripted?: Ending;
}

/** The same candidate in both languages. */
export function both(name: string, row: Row, words: Words, outcome: Outcome): Scenario[] {
  return (['en', 'ru'] as const).map((language) => ({
    id: `${language}-${name}`,
    row,
    language,
    turns: words[language],
    ...outcome,
  }));
}

export function one(
  id: string,
  row: Row,
  turns: readonly ScenarioTurn[],
  outcome: Outcome,
): Scenario {
  return { id, row, language: id.startsWith('ru') ? 'ru' : 'en', turns, ...outcome };
}

/** An interview that goes on. */
export function going(question: number, verdicts: string, more: Partial<Ending> = {}): Ending {
  return { status: 'active', question, verdicts: verdicts.split(' '), attention: [], ...more };
}

export const A = {
  en: turn('I moved our billing to a new service and led the migration myself.', {
    text: 'So you led the migration yourself.',
  }),
  ru: turn('Перенесла биллинг на новый сервис и сама вела миграцию.', {
    text: 'Значит, миграцию биллинга вели вы сами.',
  }),
};
export const B = {
  en: turn('We disagreed about tests; I showed both costs and we agreed on a trial.', {
    text: 'I see, in the end you agreed on a trial.',
  }),
  ru: turn('Спорили о тестах, я показала цену обоих путей, и решили попробовать.', {
    text: 'Понятно, в итоге решили попробовать.',
  }),
};
export const C = {
  en: turn('Shifts are fine with me, I have done them before.', {
    text: 'Alright, so shifts are nothing new to you.',
  }),
  ru: turn('Сменный график мне подходит, уже так работала.', {
    text: 'Хорошо, посменно вы уже работали.',
  }),
};
export const ALL = { en: [A.en, B.en, C.en], ru: [A.ru, B.ru, C.ru] };
export const DONE = ['answered', 'answered', 'answered'];
