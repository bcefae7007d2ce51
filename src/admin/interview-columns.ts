import type { ExportedInterview } from './interview-export';
import { type Column, csvDecimal, csvTime } from './list-file';

/** The columns of interviews in a spreadsheet. */
export const INTERVIEW_COLUMNS: readonly Column<ExportedInterview>[] = [
  { name: { en: 'Interview', ru: 'Интервью' }, cell: ({ id }) => id },
  { name: { en: 'Name', ru: 'Имя' }, cell: ({ candidate }) => candidate.name ?? '' },
  { name: { en: 'Contact', ru: 'Контакт' }, cell: ({ candidate }) => candidate.contact ?? '' },
  { name: { en: 'External id', ru: 'Внешний номер' }, cell: ({ externalId }) => externalId ?? '' },
  { name: { en: 'Vacancy', ru: 'Вакансия' }, cell: ({ vacancy }) => vacancy },
  {
    name: { en: 'State', ru: 'Состояние' },
    cell: ({ state }, language) => STATES[language][state],
  },
  { name: { en: 'Question', ru: 'Вопрос' }, cell: ({ progress }) => progress.question },
  { name: { en: 'Questions', ru: 'Всего вопросов' }, cell: ({ progress }) => progress.of },
  {
    name: { en: 'Without an answer', ru: 'Без ответа' },
    cell: ({ progress }) => progress.unanswered.length,
  },
  { name: { en: 'Channel', ru: 'Канал' }, cell: ({ channel }) => channel },
  { name: { en: 'Language', ru: 'Язык' }, cell: ({ language }) => language },
  {
    name: { en: 'Opened (UTC)', ru: 'Открыто (UTC)' },
    cell: ({ openedAt }) => csvTime(openedAt),
  },
  {
    name: { en: 'Last activity (UTC)', ru: 'Последнее событие (UTC)' },
    cell: ({ updatedAt }) => csvTime(updatedAt),
  },
  {
    name: { en: 'Score', ru: 'Оценка' },
    cell: ({ overall }, language) => csvDecimal(overall, language),
  },
  {
    name: { en: 'Decision', ru: 'Решение' },
    cell: ({ decision }, language) =>
      decision === null ? '' : DECISIONS[language][decision.isAdverse ? 'adverse' : 'favourable'],
  },
  {
    name: { en: 'Decided by', ru: 'Кто решил' },
    cell: ({ decision }) => decision?.decidedBy ?? '',
  },
  {
    name: { en: 'Decided (UTC)', ru: 'Когда решено (UTC)' },
    cell: ({ decision }) => csvTime(decision?.decidedAt ?? null),
  },
  { name: { en: 'Reason', ru: 'Причина' }, cell: ({ decision }) => decision?.reason ?? '' },
];

type State = ExportedInterview['state'];

const STATES: Readonly<Record<'en' | 'ru', Readonly<Record<State, string>>>> = {
  en: {
    opened: 'Opened',
    started: 'Candidate’s turn',
    waiting_for_us: 'Reply on its way',
    needs_person: 'Needs a person',
    finished: 'Finished',
    scored: 'Scored',
    decided: 'Decided',
    withdrawn: 'Withdrawn',
    expired: 'Expired',
  },
  ru: {
    opened: 'Открыто',
    started: 'Ждём кандидата',
    waiting_for_us: 'Готовится ответ',
    needs_person: 'Нужен человек',
    finished: 'Завершено',
    scored: 'Оценено',
    decided: 'Решение принято',
    withdrawn: 'Кандидат отказался',
    expired: 'Срок вышел',
  },
};

const DECISIONS = {
  en: { adverse: 'Against the candidate', favourable: 'In the candidate’s favour' },
  ru: { adverse: 'Отказ', favourable: 'В пользу кандидата' },
} as const;
