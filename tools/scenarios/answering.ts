import { A, ALL, DONE, both, going, turn } from './words';
import type { Scenario } from './scenario';

/** Candidates who answer or ask. */
export const ANSWERING: readonly Scenario[] = [
  ...both('whole', 'answers', ALL, {
    good: {
      ...going(3, DONE.join(' ')),
      status: 'completed',
      labels: ['answer project', 'answer conflict', 'answer shifts'],
    },
    scripted: { ...going(3, DONE.join(' ')), status: 'completed' },
  }),
  ...both(
    'long',
    'answers',
    {
      en: [
        turn('I first wrote the plan, then asked everyone who used it. '.repeat(40).trim(), {
          text: 'So you began with a plan and then asked everyone who used it.',
        }),
      ],
      ru: [
        turn('Сначала написала план, потом спросила всех, кто им пользовался. '.repeat(40).trim(), {
          text: 'Значит, начали с плана, а потом спросили всех, кто им пользовался.',
        }),
      ],
    },
    { good: going(1, 'answered'), scripted: going(1, 'answered') },
  ),
  ...both(
    'little',
    'too-little',
    {
      en: [
        turn('Some backend things', { verdict: 'vague', text: 'Which backend thing was it?' }),
        turn('Just things', { verdict: 'vague' }),
      ],
      ru: [
        turn('Разный бэкенд', { verdict: 'vague', text: 'А какой именно?' }),
        turn('Ну разный', { verdict: 'vague' }),
      ],
    },
    { good: going(1, 'vague answered'), scripted: going(1, 'vague answered') },
  ),
  ...both(
    'probed',
    'follow-up',
    {
      en: [
        turn('I rebuilt the import and it got faster.', {
          verdict: 'follow_up',
          text: 'How did you measure that it got faster?',
        }),
        turn('We compared the logs of both weeks.', {
          verdict: 'follow_up',
          text: 'And what else?',
        }),
      ],
      ru: [
        turn('Переписала импорт, стало быстрее.', {
          verdict: 'follow_up',
          text: 'Как вы измерили, что стало быстрее?',
        }),
        turn('Сравнили журналы двух недель.', { verdict: 'follow_up', text: 'А что ещё?' }),
      ],
    },
    { good: going(1, 'follow_up answered'), scripted: going(2, 'answered answered') },
  ),
  ...both(
    'touched',
    'touched-on',
    {
      en: [
        turn('Our migration, and the team disagreed about it until we ran a trial.', {
          touches: '2',
          text: 'So it was the trial that settled it.',
        }),
      ],
      ru: [
        turn('Наша миграция, и команда о ней спорила, пока не сделали пробу.', {
          touches: '2',
          text: 'Значит, спор о миграции решила проба.',
        }),
      ],
    },
    { good: going(1, 'answered', { labels: ['answer project touches conflict'] }) },
  ),
  ...both(
    'touched-unknown',
    'touched-on',
    {
      en: [
        turn('A migration that I planned and ran alone.', {
          touches: '1, 9, none',
          text: 'So you planned it and ran it on your own.',
        }),
      ],
      ru: [
        turn('Миграция, которую планировал и делал один.', {
          touches: '1, 9, нет',
          text: 'Значит, миграция целиком была на вас.',
        }),
      ],
    },
    { good: going(1, 'answered', { labels: ['answer project'] }) },
  ),
  ...both(
    'meaning',
    'meaning',
    {
      en: [
        turn('What do you mean by proud', {
          verdict: 'clarify',
          text: 'Any work that you like to remember.',
        }),
        A.en,
      ],
      ru: [
        turn('В каком смысле гордиться', {
          verdict: 'clarify',
          text: 'Любая работа, которую приятно вспомнить.',
        }),
        A.ru,
      ],
    },
    { good: going(1, 'clarify answered'), scripted: going(1, 'clarify answered') },
  ),
  ...both(
    'repeat',
    'meaning',
    {
      en: [
        turn('Please repeat the question', {
          verdict: 'clarify',
          text: 'Of course: which project are you proud of?',
        }),
      ],
      ru: [
        turn('Повторите, пожалуйста, вопрос', {
          verdict: 'clarify',
          text: 'Конечно: каким проектом вы гордитесь?',
        }),
      ],
    },
    { good: going(0, 'clarify'), scripted: going(0, 'clarify') },
  ),
  ...both(
    'asks-unknown',
    'asks',
    {
      en: [turn('What is the salary?', { verdict: 'question', text: 'It is very good.' })],
      ru: [turn('Какая зарплата?', { verdict: 'question', text: 'Очень хорошая.' })],
    },
    {
      good: going(0, 'question', { attention: ['question'] }),
      scripted: going(0, 'question', { attention: ['question'] }),
    },
  ),
  ...both(
    'asks-progress',
    'asks',
    {
      en: [
        turn('Is this the first question?', {
          verdict: 'question',
          sources: '0',
          text: 'Yes, it is the first one.',
        }),
      ],
      ru: [
        turn('Это первый вопрос?', {
          verdict: 'question',
          sources: '0',
          text: 'Да, это первый вопрос.',
        }),
      ],
    },
    { good: going(0, 'question'), scripted: going(0, 'question', { hears: ['1'] }) },
  ),
  ...both(
    'asks-left',
    'asks',
    {
      en: [
        turn('How many questions are there in total?', {
          verdict: 'question',
          sources: 'progress',
          text: 'This is question 1 of 3.',
        }),
      ],
      ru: [
        turn('Сколько всего вопросов?', {
          verdict: 'question',
          sources: 'progress',
          text: 'Это вопрос 1 из 3.',
        }),
      ],
    },
    {
      good: going(0, 'question', { hears: [' 1 '] }),
      scripted: going(0, 'question', { hears: [' 1 '] }),
    },
  ),
  ...both(
    'asks-machine',
    'asks',
    {
      en: [
        turn('Am I talking to a machine?', {
          verdict: 'question',
          sources: 'disclosure',
          text: 'Yes, I am an AI interviewer; the hiring team reads your answers and decides.',
        }),
      ],
      ru: [
        turn('Я говорю с машиной?', {
          verdict: 'question',
          sources: 'disclosure',
          text: 'Да, я ИИ-интервьюер; ответы читает и решение принимает команда по найму.',
        }),
      ],
    },
    { good: going(0, 'question'), scripted: going(0, 'question') },
  ),
  ...both(
    'asks-readers',
    'asks',
    {
      en: [
        turn('Who will read my answers?', {
          verdict: 'question',
          sources: 'readers',
          text: 'The hiring team of Harbourline; Ada is responsible for the vacancy.',
        }),
      ],
      ru: [
        turn('Кто будет читать мои ответы?', {
          verdict: 'question',
          sources: 'readers',
          text: 'Команда по найму «Тихой гавани», за вакансию отвечает Ada.',
        }),
      ],
    },
    {
      good: going(0, 'question', { hears: ['Ada'] }),
      scripted: going(0, 'question', { hears: ['Ada'] }),
    },
  ),
  ...both(
    'asks-invented',
    'asks',
    {
      en: [
        turn('How many days of vacation are there?', {
          verdict: 'question',
          sources: '0',
          text: 'There are 28 days of vacation.',
        }),
      ],
      ru: [
        turn('Сколько дней отпуска?', {
          verdict: 'question',
          sources: '0',
          text: 'Отпуск 28 дней.',
        }),
      ],
    },
    {
      good: going(0, 'question', { attention: ['question'] }),
      scripted: going(0, 'question', { attention: ['question'] }),
    },
  ),
  ...both(
    'asks-inside',
    'asks-inside',
    {
      en: [
        turn('I led a migration. By the way, is the job remote?', {
          asks: 'yes',
          text: 'Thanks. Yes, fully remote.',
        }),
      ],
      ru: [
        turn('Вела миграцию всего биллинга. Кстати, работа удалённая?', {
          asks: 'yes',
          text: 'Спасибо. Да, полностью удалённая.',
        }),
      ],
    },
    {
      good: going(1, 'answered', { attention: ['question'] }),
      scripted: going(1, 'answered', { attention: ['question'] }),
    },
  ),
];
