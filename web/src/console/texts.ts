/** The texts of the recruiter's page, once per language. */
import type { Language } from '../api/wire';
import { waitOf } from '../i18n/wait';
import type { LineLabel, Transcript } from './wire';

export interface ConsoleTexts {
  documentTitle: (candidate: string, vacancy: string) => string;
  loading: string;
  login: {
    title: string;
    lead: string;
    label: string;
    open: string;
    missing: string;
    refused: string;
    /** For somebody with an account. */
    account: string;
  };
  off: { title: string; text: string };
  incomplete: { title: string; text: string };
  gone: { title: string; text: string };
  unreachable: { title: string; text: string; retry: string };
  /** `waitS`: how long the server asks to wait, if it says so. */
  tooMany: { title: string; text: (waitS: number | null) => string; retry: string };
  lock: string;
  nameless: string;
  facts: {
    vacancy: string;
    contact: string;
    coverage: string;
    status: string;
    began: string;
    completed: string;
  };
  coverage: (coverage: Transcript['coverage']) => string;
  statuses: Record<Transcript['status'], string>;
  transcript: string;
  empty: string;
  speakers: { user: string; model: string; assistant: string; person: string; system: string };
  /** A channel without a name here is shown by its own. */
  channels: Readonly<Record<string, string>>;
  voice: (length: string | null) => string;
  play: string;
  playFailed: string;
  download: string;
  downloadFailed: string;
  fileArriving: string;
  fileNotKept: string;
  fileLocked: string;
  fileDeleted: string;
  player: (number: number) => string;
  noAudio: string;
  number: (number: number) => string;
  amends: (number: number) => string;
  edited: string;
  stopped: string;
  attachment: string;
  /** Somebody else wrote the message. */
  author: (author: { how: 'forwarded' | 'bot'; name: string | null }) => string;
  /** Before the number of a line, or the words of a message. */
  repliesTo: string;
  /** What a message was read as, without the line that it corrects. */
  label: (label: Pick<LineLabel, 'name' | 'question'>) => string;
  corrects: string;
  /** Before the number of a line. */
  touches: (question: number) => string;
  touchedIn: string;
  details: string;
  model: (name: string | null) => string;
  secondModel: string;
  prompt: (id: string) => string;
}

const en: ConsoleTexts = {
  documentTitle: (candidate, vacancy) => `${candidate}, ${vacancy}: transcript`,
  loading: 'Loading the interview',
  login: {
    title: 'Sign in to read this interview',
    lead: 'It is for the hiring team only. Enter the admin token; this tab remembers it until you close it.',
    label: 'Admin token',
    open: 'Sign in',
    missing: 'Please enter the token.',
    refused: 'This token is not right. Whoever runs Colloquy here has set it as ADMIN_TOKEN.',
    account: 'Sign in with your account',
  },
  off: {
    title: 'Transcripts are switched off',
    text: 'This server has no admin token, so nobody can read interviews here. Whoever runs it can set ADMIN_TOKEN.',
  },
  incomplete: {
    title: 'This link is incomplete',
    text: 'It names no interview. Please open it again from the task in Notion.',
  },
  gone: {
    title: 'This interview is no longer here',
    text: 'The candidate may have had their data erased. Then everything was deleted, and nobody can read it again.',
  },
  unreachable: {
    title: 'The server isn’t responding',
    text: 'The interview is safe. Please check the connection and try again.',
    retry: 'Try again',
  },
  tooMany: {
    title: 'Too many attempts',
    text: (waitS) =>
      `The interview is safe. Please try again in ${waitS === null ? 'a few minutes' : waitOf(waitS, 'en')}.`,
    retry: 'Try again',
  },
  lock: 'Sign out',
  nameless: 'No name',
  facts: {
    vacancy: 'Vacancy',
    contact: 'Contact',
    coverage: 'Coverage',
    status: 'Status',
    began: 'Started',
    completed: 'Finished',
  },
  coverage: ({ counted, of, asked, answered }) =>
    `${asked} of ${of} ${counted === 'must-ask' ? 'must-ask questions' : 'questions'} asked, ${answered} answered`,
  statuses: {
    new: 'not started',
    declined: 'no consent',
    active: 'in progress',
    completed: 'finished',
    withdrawn: 'ended by the candidate',
    handed_over: 'handed over to a person',
    expired: 'expired: the candidate was silent for days',
  },
  transcript: 'Transcript',
  empty: 'Nothing has been said yet.',
  speakers: {
    user: 'Candidate',
    model: 'Interviewer (AI)',
    assistant: 'Interviewer',
    person: 'Hiring team',
    system: 'Note',
  },
  channels: { web: 'web page', telegram: 'Telegram' },
  voice: (length) => (length === null ? 'voice message' : `voice message, ${length}`),
  play: 'Play',
  playFailed: 'The recording could not be loaded. Please try again.',
  download: 'Download',
  downloadFailed: 'The file could not be loaded. Please try again.',
  fileArriving: 'the file is still arriving',
  fileNotKept: 'the file was not saved',
  fileLocked: 'the file needs a password',
  fileDeleted: 'deleted: its retention period is over',
  player: (number) => `Recording of No. ${number}`,
  noAudio: 'no recording is kept',
  number: (number) => `No. ${number}`,
  amends: (number) => `corrects No. ${number}`,
  edited: 'edited',
  stopped: 'The candidate stopped the reply here.',
  attachment: 'came with something other than text; it is still in the channel',
  author: ({ how, name }) => {
    if (how === 'bot') return `written by the bot ${name ?? ''}, not by the candidate`;
    return `forwarded${name === null ? '' : ` from ${name}`}: not the candidate’s own words`;
  },
  repliesTo: 'replies to',
  label: ({ name, question }) => {
    const of = question === null ? 'an earlier answer' : `question ${question}`;
    return {
      answer: `answers ${of}`,
      addition: `added to ${of}`,
      correction: question === null ? `corrects ${of}` : `corrects the answer to ${of}`,
      question: 'asks a question',
      aside: 'not an answer',
    }[name];
  },
  corrects: 'corrects',
  touches: (question) => `touches on question ${question}`,
  touchedIn: 'touched on before in',
  details: 'Details',
  model: (name) => `Model: ${name ?? 'unknown'}`,
  secondModel: 'The second model: the first one was away',
  prompt: (id) => `Prompt: ${id}`,
};

const ru: ConsoleTexts = {
  documentTitle: (candidate, vacancy) => `${candidate}, ${vacancy}: запись интервью`,
  loading: 'Открываем интервью',
  login: {
    title: 'Войдите, чтобы прочитать интервью',
    lead: 'Его может читать только команда по найму. Введите токен администратора: эта вкладка запомнит его, пока вы её не закроете.',
    label: 'Токен администратора',
    open: 'Войти',
    missing: 'Пожалуйста, введите токен.',
    refused: 'Этот токен не подходит. Его задал в ADMIN_TOKEN тот, кто запускает здесь Colloquy.',
    account: 'Войти в свою учётную запись',
  },
  off: {
    title: 'Чтение интервью выключено',
    text: 'На этом сервере не задан токен администратора, поэтому прочитать интервью здесь никто не может. Токен задаётся в ADMIN_TOKEN.',
  },
  incomplete: {
    title: 'Ссылка неполная',
    text: 'В ней нет номера интервью. Откройте её, пожалуйста, ещё раз из задачи в Notion.',
  },
  gone: {
    title: 'Этого интервью здесь больше нет',
    text: 'Возможно, кандидат попросил удалить свои данные: тогда всё удалено, и прочитать его уже нельзя.',
  },
  unreachable: {
    title: 'Сервер не отвечает',
    text: 'Интервью в сохранности. Проверьте, пожалуйста, соединение и попробуйте ещё раз.',
    retry: 'Попробовать ещё раз',
  },
  tooMany: {
    title: 'Слишком много попыток',
    text: (waitS) =>
      `С интервью ничего не случилось. Попробуйте ещё раз через ${waitS === null ? 'несколько минут' : waitOf(waitS, 'ru')}.`,
    retry: 'Попробовать ещё раз',
  },
  lock: 'Выйти',
  nameless: 'Без имени',
  facts: {
    vacancy: 'Вакансия',
    contact: 'Контакт',
    coverage: 'Вопросы',
    status: 'Статус',
    began: 'Начато',
    completed: 'Завершено',
  },
  coverage: ({ counted, of, asked, answered }) =>
    `Задано ${counted === 'must-ask' ? 'обязательных вопросов' : 'вопросов'}: ${asked} из ${of}, с ответом: ${answered}`,
  statuses: {
    new: 'не начато',
    declined: 'согласия нет',
    active: 'идёт',
    completed: 'завершено',
    withdrawn: 'кандидат отказался',
    handed_over: 'передано человеку',
    expired: 'закончено: кандидат долго не отвечал',
  },
  transcript: 'Запись интервью',
  empty: 'Пока ничего не сказано.',
  speakers: {
    user: 'Кандидат',
    model: 'Интервьюер (ИИ)',
    assistant: 'Интервьюер',
    person: 'Команда по найму',
    system: 'Примечание',
  },
  channels: { web: 'веб-страница', telegram: 'Telegram' },
  voice: (length) => (length === null ? 'голосовое сообщение' : `голосовое сообщение, ${length}`),
  play: 'Послушать',
  playFailed: 'Запись не загрузилась. Попробуйте, пожалуйста, ещё раз.',
  download: 'Скачать',
  downloadFailed: 'Файл не загрузился. Попробуйте, пожалуйста, ещё раз.',
  fileArriving: 'файл ещё загружается',
  fileNotKept: 'файл не сохранён',
  fileLocked: 'файл открывается только с паролем',
  fileDeleted: 'удалён: срок хранения истёк',
  player: (number) => `Запись к сообщению № ${number}`,
  noAudio: 'записи нет',
  number: (number) => `№ ${number}`,
  amends: (number) => `исправляет № ${number}`,
  edited: 'изменено',
  stopped: 'Здесь кандидат остановил ответ.',
  attachment: 'кроме текста в нём было что-то ещё; оно осталось в канале',
  author: ({ how, name }) => {
    if (how === 'bot') return `написал бот ${name ?? ''}, а не кандидат`;
    return `переслано${name === null ? '' : `, автор: ${name}`}; это не слова кандидата`;
  },
  repliesTo: 'ответ на',
  label: ({ name, question }) =>
    ({
      answer: question === null ? 'ответ' : `ответ на вопрос ${question}`,
      addition: question === null ? 'дополнение' : `дополнение к вопросу ${question}`,
      correction: question === null ? 'исправление' : `исправление к вопросу ${question}`,
      question: 'вопрос кандидата',
      aside: 'не ответ',
    })[name],
  corrects: 'исправляет',
  touches: (question) => `затронут вопрос ${question}`,
  touchedIn: 'об этом уже говорилось:',
  details: 'Подробности',
  model: (name) => `Модель: ${name ?? 'неизвестна'}`,
  secondModel: 'Вторая модель: первая была недоступна',
  prompt: (id) => `Промпт: ${id}`,
};

export const consoleTexts: Record<Language, ConsoleTexts> = { en, ru };
