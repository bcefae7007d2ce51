/** The texts of the report, once per language. */
import type { Language } from '../../../src/api/wire';
import { useLanguage } from '../../language';

export interface ReportTexts {
  title: string;
  print: string;
  back: string;
  vacancy: string;
  contact: string;
  state: string;
  began: string;
  ended: string;
  /** The number of a question. */
  question: (number: number) => string;
  noAnswer: string;
  notAsked: string;
  addition: string;
  correction: string;
  voice: string;
  file: string;
  quotes: string;
  ratings: string;
  criterion: string;
  own: string;
  model: string;
  mark: (mark: number | null) => string;
  noMark: string;
  facts: Record<'yes' | 'no' | 'with_conditions' | 'unclear', string>;
  rateFirst: string;
  /** What the model and colleagues gave is not in the report. */
  withoutOthers: string;
  showOthers: string;
  showOthersText: string;
  overall: string;
  also: string;
  decision: string;
  undecided: string;
  adverse: string;
  favourable: string;
  by: (name: string, moment: string) => string;
  printed: (name: string, moment: string) => string;
  confidential: string;
}

const en: ReportTexts = {
  title: 'Report of an interview',
  print: 'Print',
  back: 'To the interview',
  vacancy: 'Vacancy',
  contact: 'Contact',
  state: 'State',
  began: 'Started',
  ended: 'Finished',
  question: (number) => `Question ${number}`,
  noAnswer: 'No answer',
  notAsked: 'Not asked',
  addition: 'Addition',
  correction: 'Correction',
  voice: 'Spoken',
  file: 'File',
  quotes: 'Quotes',
  ratings: 'Ratings',
  criterion: 'Criterion',
  own: 'You',
  model: 'Model',
  mark: (mark) => (mark === null ? 'not asked' : `${mark} of 5`),
  noMark: '—',
  facts: { yes: 'yes', no: 'no', with_conditions: 'with conditions', unclear: 'unclear' },
  rateFirst: 'Ratings of others can be in the report once you have rated the answer.',
  withoutOthers: 'Without what the model and colleagues gave',
  showOthers: 'Add what others gave',
  showOthersText:
    'The report has only your own ratings. If you add what the model and colleagues gave, your ratings can no longer be changed.',
  overall: 'Overall score',
  also: 'Also said',
  decision: 'Decision',
  undecided: 'Nobody has decided yet.',
  adverse: 'Against the candidate',
  favourable: 'In favour of the candidate',
  by: (name, moment) => `${name}, ${moment}`,
  printed: (name, moment) => `Printed by ${name} on ${moment}`,
  confidential: 'Confidential: personal data of a candidate',
};

const ru: ReportTexts = {
  title: 'Отчёт об интервью',
  print: 'Печать',
  back: 'К интервью',
  vacancy: 'Вакансия',
  contact: 'Контакт',
  state: 'Состояние',
  began: 'Начало',
  ended: 'Конец',
  question: (number) => `Вопрос ${number}`,
  noAnswer: 'Ответа нет',
  notAsked: 'Не задан',
  addition: 'Дополнение',
  correction: 'Исправление',
  voice: 'Голосом',
  file: 'Файл',
  quotes: 'Цитаты',
  ratings: 'Оценки',
  criterion: 'Критерий',
  own: 'Вы',
  model: 'Модель',
  mark: (mark) => (mark === null ? 'не спрошено' : `${mark} из 5`),
  noMark: '—',
  facts: { yes: 'да', no: 'нет', with_conditions: 'с условиями', unclear: 'неясно' },
  rateFirst: 'Оценки других можно добавить в отчёт, когда вы сами оцените этот ответ.',
  withoutOthers: 'Без оценок модели и коллег',
  showOthers: 'Добавить оценки других',
  showOthersText:
    'В отчёте только ваши оценки. Если добавить оценки модели и коллег, свои изменить уже не получится.',
  overall: 'Общий балл',
  also: 'Кроме того, сказано',
  decision: 'Решение',
  undecided: 'Решения пока нет.',
  adverse: 'Отказать кандидату',
  favourable: 'Продолжить с кандидатом',
  by: (name, moment) => `${name}, ${moment}`,
  printed: (name, moment) => `Печать: ${name}, ${moment}`,
  confidential: 'Не для распространения: персональные данные кандидата',
};

const TEXTS: Readonly<Record<Language, ReportTexts>> = { en, ru };

export function useReportTexts(): ReportTexts {
  return TEXTS[useLanguage().language];
}
