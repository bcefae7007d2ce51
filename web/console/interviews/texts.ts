/** The words of the live list: what waits, who reads, views, and what is done with several interviews at once. */
import type { Language } from '../../src/api/wire';
import { useLanguage } from '../language';
import type { Action, Fate } from './calls';

type Refusal = NonNullable<Fate['refusal']>;

interface InterviewTexts {
  waiting: string;
  others: string;
  more: (count: number) => string;
  fewer: string;
  seen: string;
  reading: (names: string) => string;
  changes: (count: number) => string;
  showChanges: string;
  gone: string;
  select: (name: string) => string;
  selected: (count: number) => string;
  clear: string;
  actions: Record<'remind' | 'close' | 'reissue', string>;
  bar: string;
  /** What an action did, with how many. */
  done: Record<Action, (count: number) => string>;
  notDone: (count: number) => string;
  refusals: Record<Refusal, string>;
  undo: string;
  dismiss: string;
  fates: string;
  reminderAt: string;
  linksOnce: string;
  copyOne: string;
  copy: (name: string) => string;
  copyAll: string;
  copied: string;
  notCopied: string;
  pin: string;
  views: {
    label: string;
    all: string;
    save: string;
    title: string;
    name: string;
    nameMissing: string;
    action: string;
    delete: (name: string) => string;
    deleteTitle: (name: string) => string;
    deleteText: string;
    deleteAction: string;
    full: string;
  };
}

const NUMBERS = { en: new Intl.NumberFormat('en'), ru: new Intl.NumberFormat('ru') };
const RULES = new Intl.PluralRules('ru');

function interviewsEn(count: number): string {
  return `${NUMBERS.en.format(count)} interview${count === 1 ? '' : 's'}`;
}

/** `forms`: with 1, with 2, with 5. */
function ofRu(count: number, forms: readonly [string, string, string]): string {
  const rule = RULES.select(count);
  const form = rule === 'one' ? forms[0] : rule === 'few' ? forms[1] : forms[2];
  return `${NUMBERS.ru.format(count)} ${form}`;
}

const en: InterviewTexts = {
  waiting: 'Waiting for a person',
  others: 'All others',
  more: (count) => `Show ${NUMBERS.en.format(count)} more`,
  fewer: 'Show fewer',
  seen: 'Last seen',
  reading: (names) => `Reading now: ${names}`,
  changes: (count) => `${NUMBERS.en.format(count)} change${count === 1 ? '' : 's'} in the list`,
  showChanges: 'Show',
  gone: 'No longer belongs here',
  select: (name) => `Select ${name}`,
  selected: (count) => `${NUMBERS.en.format(count)} selected`,
  clear: 'Clear',
  actions: { remind: 'Remind now', close: 'Close', reissue: 'New links' },
  bar: 'Actions for the selected interviews',
  done: {
    remind: (count) => `A reminder will go to ${NUMBERS.en.format(count)}`,
    cancel_reminder: (count) => `No reminder goes to ${NUMBERS.en.format(count)}`,
    close: (count) => `${interviewsEn(count)} closed`,
    reopen: (count) => `${interviewsEn(count)} open again`,
    reissue: (count) => `New links for ${interviewsEn(count)}`,
    restore_link: (count) => `The earlier links of ${interviewsEn(count)} work again`,
  },
  notDone: (count) => `Not done for ${NUMBERS.en.format(count)}:`,
  refusals: {
    unknown: 'is not there any more',
    not_waiting: 'is not being waited for',
    reply_owed: 'is waiting for our reply',
    reminded_lately: 'was reminded within the last 12 hours',
    unwanted: 'has asked to stop or to talk to a person',
    sent_already: 'the reminder has been sent',
    ended: 'has ended already',
    held: 'a colleague has this interview now',
    not_closed: 'was not closed in the last 24 hours, or has gone on since',
    no_invitation: 'came by the open link, which stays the same',
    not_restorable: 'the new link was used already, or is older than 10 minutes',
    vacancy_closed: 'the vacancy is closed',
    failed: 'did not work; try again',
  },
  undo: 'Undo',
  dismiss: 'Close this note',
  fates: 'What was done',
  reminderAt: 'Sent at',
  linksOnce: 'The links are shown only now. The earlier ones no longer work.',
  copy: (name) => `Copy the link of ${name}`,
  copyOne: 'Copy',
  copyAll: 'Copy all',
  copied: 'Copied',
  notCopied: 'The browser does not copy it here. Select the text and copy it.',
  pin: 'PIN',
  views: {
    label: 'Saved views',
    all: 'Everybody',
    save: 'Save this view',
    title: 'Save this view',
    name: 'Name',
    nameMissing: 'Enter a name for the view.',
    action: 'Save',
    delete: (name) => `Delete the view “${name}”`,
    deleteTitle: (name) => `Delete the view “${name}”?`,
    deleteText: 'Only the view goes. The interviews stay as they are.',
    deleteAction: 'Delete',
    full: 'You have 30 views. Delete one first.',
  },
};

const ru: InterviewTexts = {
  waiting: 'Ждут человека',
  others: 'Остальные',
  more: (count) => `Показать ещё ${NUMBERS.ru.format(count)}`,
  fewer: 'Свернуть',
  seen: 'На связи',
  reading: (names) => `Сейчас читает: ${names}`,
  changes: (count) => `${ofRu(count, ['изменение', 'изменения', 'изменений'])} в списке`,
  showChanges: 'Показать',
  gone: 'Уже не отсюда',
  select: (name) => `Выбрать: ${name}`,
  selected: (count) => `Выбрано: ${NUMBERS.ru.format(count)}`,
  clear: 'Снять выбор',
  actions: { remind: 'Напомнить', close: 'Закрыть', reissue: 'Новые ссылки' },
  bar: 'Действия с выбранными интервью',
  done: {
    remind: (count) => `Напоминание уйдёт: ${NUMBERS.ru.format(count)}`,
    cancel_reminder: (count) => `Напоминание отменено: ${NUMBERS.ru.format(count)}`,
    close: (count) => `Закрыто интервью: ${NUMBERS.ru.format(count)}`,
    reopen: (count) => `Снова открыто интервью: ${NUMBERS.ru.format(count)}`,
    reissue: (count) => `Новых ссылок: ${NUMBERS.ru.format(count)}`,
    restore_link: (count) => `Прежних ссылок снова действует: ${NUMBERS.ru.format(count)}`,
  },
  notDone: (count) => `Не сделано (${NUMBERS.ru.format(count)}):`,
  refusals: {
    unknown: 'такого интервью больше нет',
    not_waiting: 'интервью сейчас не ждёт кандидата',
    reply_owed: 'кандидат ждёт нашего ответа',
    reminded_lately: 'уже напоминали за последние 12 часов',
    unwanted: 'просил остановиться или позвать человека',
    sent_already: 'напоминание уже отправлено',
    ended: 'интервью уже завершено',
    held: 'этим интервью сейчас занимается коллега',
    not_closed: 'не закрывали за последние 24 часа, или оно уже продолжилось',
    no_invitation: 'пришёл по открытой ссылке, она не меняется',
    not_restorable: 'новой ссылкой уже воспользовались, или прошло 10 минут',
    vacancy_closed: 'вакансия закрыта',
    failed: 'не получилось, попробуйте ещё раз',
  },
  undo: 'Отменить',
  dismiss: 'Убрать сообщение',
  fates: 'Что сделано',
  reminderAt: 'Уйдёт',
  linksOnce: 'Ссылки видны только сейчас. Прежние больше не действуют.',
  copy: (name) => `Скопировать ссылку: ${name}`,
  copyOne: 'Скопировать',
  copyAll: 'Скопировать все',
  copied: 'Скопировано',
  notCopied: 'Браузер здесь не копирует. Выделите текст и скопируйте сами.',
  pin: 'PIN',
  views: {
    label: 'Сохранённые виды',
    all: 'Все',
    save: 'Сохранить вид',
    title: 'Сохранить вид',
    name: 'Название',
    nameMissing: 'Введите название.',
    action: 'Сохранить',
    delete: (name) => `Удалить вид «${name}»`,
    deleteTitle: (name) => `Удалить вид «${name}»?`,
    deleteText: 'Исчезнет только вид, интервью останутся как есть.',
    deleteAction: 'Удалить',
    full: 'Видов уже 30. Сначала удалите один.',
  },
};

const TEXTS: Readonly<Record<Language, InterviewTexts>> = { en, ru };

export function useInterviewTexts(): InterviewTexts {
  return TEXTS[useLanguage().language];
}
