/** The texts of the pages in front of the interviews, once per language. */
import type { Language } from '../api/wire';

export interface FrontTexts {
  otherLanguage: { language: Language; name: string };
  front: {
    title: string;
    lead: string;
    invited: { title: string; text: string };
    examples: string;
    example: (company: string, language: Language) => string;
    others: string;
    recruiters: { title: string; text: string };
    api: { title: string; text: string };
    handbook: { title: string; text: string };
  };
  recruiters: {
    title: string;
    lead: string;
    label: string;
    note: string;
    open: string;
    unreadable: string;
    off: string;
  };
  notFound: { title: string; text: string; home: string };
  unavailable: { title: string; text: string; again: string };
}

const en: FrontTexts = {
  otherLanguage: { language: 'ru', name: 'Русский' },
  front: {
    title: 'Job interviews in writing',
    lead: 'Colloquy interviews candidates by chat, on the web or in Telegram, at their own pace. People read the answers, and people decide.',
    invited: {
      title: 'Have you been invited?',
      text: 'Open the link in your invitation. It takes you straight to your interview.',
    },
    examples: 'Try an example interview',
    example: (company, language) => `${company}, in ${language === 'ru' ? 'Russian' : 'English'}`,
    others: 'For the team',
    recruiters: { title: 'Hiring team', text: 'Open the console' },
    api: { title: 'Developers', text: 'Use the API' },
    handbook: { title: 'Handbook', text: 'See how it works' },
  },
  recruiters: {
    title: 'Read an interview',
    lead: 'Interviews are kept for the hiring team. Open one from its task in Notion, or enter its ID here; you are then asked for the admin token.',
    label: 'Interview ID or link',
    note: 'The attention list shows the ID of each interview that needs a person.',
    open: 'Open the interview',
    unreadable: 'This contains no interview ID. An ID has 36 characters.',
    off: 'This server has no admin token, so nobody can read interviews here. Whoever runs it can set ADMIN_TOKEN.',
  },
  notFound: {
    title: 'There is no page here',
    text: 'The address may be incomplete. If you have been invited to an interview, open the link in your invitation again.',
    home: 'Go to the front page',
  },
  unavailable: {
    title: 'This page cannot be opened right now',
    text: 'Nothing is lost. Please try again in a minute.',
    again: 'Try again',
  },
};

const ru: FrontTexts = {
  otherLanguage: { language: 'en', name: 'English' },
  front: {
    title: 'Интервью в\u00a0переписке',
    lead: 'Colloquy проводит интервью с кандидатами в переписке: на сайте или в Telegram, в удобном темпе. Ответы читают люди, и решение принимают тоже люди.',
    invited: {
      title: 'Вас пригласили?',
      text: 'Откройте ссылку из приглашения: она ведёт прямо к вашему интервью.',
    },
    examples: 'Пройдите интервью для примера',
    example: (company, language) =>
      `${company}, на ${language === 'ru' ? 'русском' : 'английском'} языке`,
    others: 'Для команды',
    recruiters: { title: 'Рекрутерам', text: 'Открыть консоль' },
    api: { title: 'Разработчикам', text: 'Описание API' },
    handbook: { title: 'Справочник', text: 'Как всё устроено' },
  },
  recruiters: {
    title: 'Прочитать интервью',
    lead: 'Интервью может прочитать только команда по найму. Откройте его из задачи в Notion или введите здесь его номер; затем понадобится токен администратора.',
    label: 'Номер интервью или ссылка',
    note: 'Номера интервью, в которых нужен человек, есть в списке для команды.',
    open: 'Открыть интервью',
    unreadable: 'Здесь нет номера интервью. В номере 36 знаков.',
    off: 'На этом сервере не задан токен администратора, поэтому интервью здесь никто не прочитает. Его можно задать в ADMIN_TOKEN.',
  },
  notFound: {
    title: 'Такой страницы нет',
    text: 'Возможно, адрес скопирован не полностью. Если вас пригласили на интервью, откройте ссылку из приглашения ещё раз.',
    home: 'На главную страницу',
  },
  unavailable: {
    title: 'Страница сейчас не открывается',
    text: 'Ничего не потеряно. Попробуйте ещё раз через минуту.',
    again: 'Попробовать ещё раз',
  },
};

export const frontTexts: Record<Language, FrontTexts> = { en, ru };
