/** What something that waits for a person is called, on every page. */
import type { Language } from '../src/api/wire';
import type { ItemKind } from './inbox/calls';
import { useLanguage } from './language';

type KindNames = Readonly<Record<ItemKind, string>>;

const NAMES: Readonly<Record<Language, KindNames>> = {
  en: {
    handed_over: 'Needs a person',
    question: 'Question',
    expired: 'Answer without a reply',
    unanalysed: 'Answer not read',
    objection: 'Objection',
    disputed: 'Score in doubt',
    letter: 'Letter missing',
    silent: 'Silent for days',
    blocked: 'Cannot be reached',
    unknown: 'Delivery uncertain',
    full: 'No room left',
    dead: 'Work given up',
    waiting: 'Work waits',
    stalled: 'No progress',
    model: 'The model fails',
    braked: 'Board held back',
  },
  ru: {
    handed_over: 'Нужен человек',
    question: 'Вопрос',
    expired: 'Ответ остался без отклика',
    unanalysed: 'Ответ не прочитан',
    objection: 'Возражение',
    disputed: 'Спорная оценка',
    letter: 'Нет письма',
    silent: 'Молчит несколько дней',
    blocked: 'Не получает сообщений',
    unknown: 'Доставка под вопросом',
    full: 'Нет места',
    dead: 'Работа не удалась',
    waiting: 'Работа ждёт',
    stalled: 'Нет движения',
    model: 'Модель не отвечает',
    braked: 'Доска остановлена',
  },
};

export function useKindNames(): KindNames {
  return NAMES[useLanguage().language];
}
