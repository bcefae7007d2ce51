/** The words of the inbox, once per language. */
import type { Owner } from '../../src/api/wire';
import { useLanguage } from '../language';
import type { ItemKind } from './calls';

interface KindTexts {
  name: string;
  /** What has happened, and what a person does about it. */
  text: string;
}

export interface InboxTexts {
  lead: string;
  filters: string;
  kind: string;
  anyKind: string;
  vacancy: string;
  anyVacancy: string;
  noVacancy: string;
  showAll: string;
  shown: (count: number, hasMore: boolean) => string;
  empty: { title: string; text: string };
  nothing: { title: string; text: string };
  kinds: Record<ItemKind, KindTexts>;
  nameless: string;
  waits: (duration: string) => string;
  /** Of the same trouble. */
  under: (count: number) => string;
  /** What waits: the question of the candidate, or the one that was put to them. */
  asks: string;
  wasAsked: string;
  /** A program, by its name. */
  program: (name: string) => string;
  /** Null: the signed-in person. */
  heldBy: (who: string | null) => string;
  more: string;

  item: {
    back: string;
    gone: { title: string; text: string };
    erased: { title: string; text: string };
    owner: string;
    owners: Record<Owner, string>;
    readInterview: string;
    reason: string;
    closed: (by: string) => string;
    resolution: string;
    held: (who: string, since: string) => string;
    heldByYou: (since: string) => string;
    free: string;
    claim: string;
    release: string;
    takeFrom: (who: string) => string;
    takeFromTitle: (who: string) => string;
    takeFromText: string;
    takeOver: string;
    handBack: string;
    close: string;
    replay: string;
    readers: (names: string) => string;
  };
  told: {
    claimed: string;
    released: string;
    takenOver: string;
    handedBack: string;
    closed: string;
    replayed: string;
    sent: string;
    answered: string;
    answeredAndKept: string;
  };
  problems: Readonly<Record<string, string>>;
  talk: {
    title: string;
    empty: string;
    older: string;
    olderFailed: string;
    lost: string;
    speakers: { user: string; assistant: string; person: string; system: string };
    kinds: { voice: string; file: string };
    partial: string;
    writing: string;
    collecting: string;
    candidateTypes: (name: string) => string;
    teamTypes: string;
  };
  box: {
    reply: string;
    answer: string;
    /** What sending it does. */
    replyNote: string;
    takesOver: string;
    answerNote: string;
    send: string;
    takeOverAndSend: string;
    sendAnswer: string;
    keep: string;
    question: string;
    questionNote: string;
    questionMissing: string;
    missing: string;
    left: (count: number) => string;
    keys: string;
  };
  closing: {
    title: string;
    text: string;
    /** Of an interview that a person has. */
    stays: string;
    reason: string;
    missing: string;
    action: string;
  };
}

const NUMBERS = { en: new Intl.NumberFormat('en'), ru: new Intl.NumberFormat('ru') };

const en: InboxTexts = {
  lead: 'What needs a person, the longest waiting first.',
  filters: 'Filter the inbox',
  kind: 'Kind',
  anyKind: 'Everything',
  vacancy: 'Vacancy',
  anyVacancy: 'Any vacancy',
  noVacancy: 'No such vacancy',
  showAll: 'Show everything',
  shown: (count, hasMore) =>
    `${NUMBERS.en.format(count)} ${count === 1 ? 'item' : 'items'}${hasMore ? ', and more' : ''}`,
  empty: {
    title: 'Nothing needs a person',
    text: 'Candidates who ask for somebody, questions without an answer and work that has failed appear here.',
  },
  nothing: {
    title: 'Nothing of this kind',
    text: 'Choose another kind or vacancy.',
  },
  kinds: {
    handed_over: {
      name: 'Needs a person',
      text: 'The interviewer is silent until a person hands the interview back. Write to the candidate.',
    },
    question: {
      name: 'Question',
      text: 'The vacancy’s documents have no answer. The interview goes on meanwhile.',
    },
    expired: {
      name: 'Answer without a reply',
      text: 'An answer got no reply in time. Have it done again, or write to the candidate.',
    },
    unanalysed: {
      name: 'Answer not read',
      text: 'An answer is stored, but no model could read it. Please read it yourself.',
    },
    objection: {
      name: 'Objection',
      text: 'The candidate objects to automated processing. Nothing is scored: people read the answers.',
    },
    disputed: {
      name: 'Score in doubt',
      text: 'The scorings of an answer disagree, or none is usable. Please rate it yourself.',
    },
    letter: {
      name: 'Letter missing',
      text: 'The law asks for a letter about a decision against the candidate.',
    },
    silent: {
      name: 'Silent for days',
      text: 'The candidate did not answer the reminders, and the interview has ended.',
    },
    blocked: {
      name: 'Cannot be reached',
      text: 'The candidate takes no messages there any more. Reach them in another way.',
    },
    unknown: {
      name: 'Delivery uncertain',
      text: 'A message may have arrived or not. Have it sent again if the candidate does not know it.',
    },
    full: {
      name: 'No room left',
      text: 'A limit was reached, so something was not taken.',
    },
    dead: {
      name: 'Work given up',
      text: 'It has failed too often. When its cause is gone, have it done again.',
    },
    waiting: {
      name: 'Work waits',
      text: 'It is still tried. This closes by itself when it succeeds.',
    },
    stalled: {
      name: 'No progress',
      text: 'It goes on by itself, but has not moved for some time.',
    },
    model: {
      name: 'The model fails',
      text: 'Most requests to the model fail. This closes by itself when they succeed again.',
    },
    braked: {
      name: 'Board held back',
      text: 'A run would have changed unusually much in Notion, so it was stopped.',
    },
  },
  nameless: 'No name yet',
  waits: (duration) => `Waiting for ${duration}`,
  under: (count) => `${NUMBERS.en.format(count)} more of the same`,
  asks: 'Asks',
  wasAsked: 'Was asked',
  program: (name) => `${name} (program)`,
  heldBy: (who) => (who === null ? 'You have it' : `${who} has it`),
  more: 'Show more',

  item: {
    back: 'Inbox',
    gone: {
      title: 'This is not here any more',
      text: 'The candidate was erased, or the address is incomplete.',
    },
    erased: {
      title: 'This candidate was erased',
      text: 'Everything about them is deleted, also what you were writing. There is nothing left to do.',
    },
    owner: 'Who replies',
    owners: {
      model: 'The interviewer',
      asked: 'The candidate waits for a person',
      person: 'A person',
    },
    readInterview: 'Read the whole interview',
    reason: 'Details',
    closed: (by) => `Closed by ${by}`,
    resolution: 'What was done',
    held: (who, since) => `${who} has it since ${since}.`,
    heldByYou: (since) => `You have it since ${since}.`,
    free: 'Nobody has it.',
    claim: 'I’ll take it',
    release: 'Let go',
    takeFrom: (who) => `Take it from ${who}`,
    takeFromTitle: (who) => `Take it from ${who}?`,
    takeFromText:
      'They cannot write any more, and see that you have it. What they have typed stays on their page.',
    takeOver: 'Take over',
    handBack: 'Hand back',
    close: 'Close',
    replay: 'Do it again',
    readers: (names) => `Also reading: ${names}`,
  },
  told: {
    claimed: 'It is yours.',
    released: 'Somebody else can take it now.',
    takenOver: 'You have the interview. The interviewer is silent until you hand it back.',
    handedBack: 'The interviewer goes on where it stopped.',
    closed: 'Closed.',
    replayed: 'It is done again.',
    sent: 'Sent.',
    answered: 'The answer is sent, and the interview goes on.',
    answeredAndKept: 'The answer is sent, and the next candidate gets it at once.',
  },
  problems: {
    attention_held: 'Somebody else has taken it meanwhile. What you have typed is kept.',
    attention_closed: 'Somebody has closed it meanwhile. What you have typed is kept.',
    attention_unknown: 'It is not here any more: the candidate was erased.',
    conversation_unknown: 'It is not here any more: the candidate was erased.',
    conversation_closed: 'The candidate has withdrawn, so nobody can write to them here.',
    conversation_with_model: 'The interviewer has this interview already.',
    attention_not_replayable: 'This cannot be done again. You can close it.',
    job_not_dead: 'This has been done again already.',
    document_refused: 'The vacancy’s documents have no room for more. Nothing was sent.',
    scope_missing: 'Your role does not allow this.',
  },
  talk: {
    title: 'The interview',
    empty: 'Nothing was said yet.',
    older: 'Show earlier messages',
    olderFailed: 'They could not be loaded. Try again.',
    lost: 'The connection is lost. New messages appear when it is back.',
    speakers: {
      user: 'Candidate',
      assistant: 'Interviewer',
      person: 'Hiring team',
      system: 'Note',
    },
    kinds: { voice: 'recording', file: 'file' },
    partial: 'stopped',
    writing: 'The interviewer is writing',
    collecting: 'The candidate is still answering',
    candidateTypes: (name) => `${name} is typing…`,
    teamTypes: 'A colleague is typing…',
  },
  box: {
    reply: 'Your message',
    answer: 'Your answer',
    replyNote: 'The candidate reads it as written by a person.',
    takesOver: 'The interview pauses until you hand it back.',
    answerNote: 'The candidate gets it at once, and the interview goes on.',
    send: 'Send',
    takeOverAndSend: 'Take over and send',
    sendAnswer: 'Send the answer',
    keep: 'Also add it to the vacancy’s documents',
    question: 'The question, in your own words',
    questionNote: 'It stays when the candidate is erased, so leave out who asked.',
    questionMissing: 'Enter the question under which the answer is found.',
    missing: 'Write something first.',
    left: (count) => `${NUMBERS.en.format(count)} characters left`,
    keys: 'Ctrl with Enter sends; on a Mac, Cmd.',
  },
  closing: {
    title: 'Close this?',
    text: 'It leaves the inbox. Your reason stays with it.',
    stays: 'The interview stays with a person: hand it back if it is to go on.',
    reason: 'What was done',
    missing: 'Say in a few words what was done.',
    action: 'Close',
  },
};

function thingsInRussian(count: number): string {
  const form = new Intl.PluralRules('ru').select(count);
  const noun = form === 'one' ? 'дело' : form === 'few' ? 'дела' : 'дел';
  return `${NUMBERS.ru.format(count)} ${noun}`;
}

const ru: InboxTexts = {
  lead: 'Что требует человека. Сверху — кто ждёт дольше всех.',
  filters: 'Отбор входящих',
  kind: 'Что случилось',
  anyKind: 'Всё',
  vacancy: 'Вакансия',
  anyVacancy: 'Любая вакансия',
  noVacancy: 'Такой вакансии нет',
  showAll: 'Показать всё',
  shown: (count, hasMore) => `${thingsInRussian(count)}${hasMore ? ' и ещё' : ''}`,
  empty: {
    title: 'Человек сейчас не нужен',
    text: 'Здесь появятся кандидаты, которые зовут человека, вопросы без ответа и работа, которая не удалась.',
  },
  nothing: {
    title: 'Такого сейчас нет',
    text: 'Выберите другой повод или вакансию.',
  },
  kinds: {
    handed_over: {
      name: 'Нужен человек',
      text: 'Интервьюер молчит, пока интервью ему не вернут. Напишите кандидату.',
    },
    question: {
      name: 'Вопрос',
      text: 'В документах вакансии нет ответа. Интервью тем временем продолжается.',
    },
    expired: {
      name: 'Ответ остался без отклика',
      text: 'На ответ кандидата вовремя не откликнулись. Повторите или напишите сами.',
    },
    unanalysed: {
      name: 'Ответ не прочитан',
      text: 'Ответ сохранён, но модель не смогла его прочитать. Прочитайте его сами.',
    },
    objection: {
      name: 'Возражение',
      text: 'Кандидат против автоматической обработки. Оценок не будет, ответы читают люди.',
    },
    disputed: {
      name: 'Спорная оценка',
      text: 'Оценки ответа расходятся или не годятся. Оцените его сами.',
    },
    letter: {
      name: 'Нет письма',
      text: 'Закон требует письма о решении не в пользу кандидата.',
    },
    silent: {
      name: 'Молчит несколько дней',
      text: 'Кандидат не откликнулся на напоминания, и интервью завершилось.',
    },
    blocked: {
      name: 'Не получает сообщений',
      text: 'Там кандидат больше не принимает сообщения. Свяжитесь иначе.',
    },
    unknown: {
      name: 'Доставка под вопросом',
      text: 'Неизвестно, дошло ли сообщение. Отправьте ещё раз, если кандидат его не видел.',
    },
    full: {
      name: 'Нет места',
      text: 'Достигнут предел, поэтому что-то не принято.',
    },
    dead: {
      name: 'Работа не удалась',
      text: 'Слишком много неудачных попыток. Когда причина устранена, повторите.',
    },
    waiting: {
      name: 'Работа ждёт',
      text: 'Попытки продолжаются. Закроется само, когда получится.',
    },
    stalled: {
      name: 'Нет движения',
      text: 'Продолжается само, но давно не сдвинулось.',
    },
    model: {
      name: 'Модель не отвечает',
      text: 'Большинство запросов к модели не удаётся. Закроется само, когда они снова пойдут.',
    },
    braked: {
      name: 'Доска остановлена',
      text: 'Изменений в Notion было бы необычно много, поэтому они остановлены.',
    },
  },
  nameless: 'Имя пока неизвестно',
  waits: (duration) => `Ждёт ${duration}`,
  under: (count) => `Ещё по той же причине: ${NUMBERS.ru.format(count)}`,
  asks: 'Спрашивает',
  wasAsked: 'Вопрос интервью',
  program: (name) => `${name} (программа)`,
  heldBy: (who) => (who === null ? 'Занимаетесь вы' : `Занимается ${who}`),
  more: 'Показать ещё',

  item: {
    back: 'Входящие',
    gone: {
      title: 'Этого здесь больше нет',
      text: 'Данные кандидата удалены, или адрес неполный.',
    },
    erased: {
      title: 'Данные кандидата удалены',
      text: 'Удалено всё, в том числе то, что вы писали. Делать больше ничего не нужно.',
    },
    owner: 'Кто отвечает',
    owners: {
      model: 'Интервьюер',
      asked: 'Кандидат ждёт человека',
      person: 'Человек',
    },
    readInterview: 'Прочитать всё интервью',
    reason: 'Подробности',
    closed: (by) => `Закрыто: ${by}`,
    resolution: 'Что сделано',
    held: (who, since) => `Этим занимается ${who}, с ${since}.`,
    heldByYou: (since) => `Этим занимаетесь вы, с ${since}.`,
    free: 'Этим никто не занят.',
    claim: 'Закрепить за собой',
    release: 'Отпустить',
    takeFrom: (who) => `Забрать себе (сейчас: ${who})`,
    takeFromTitle: (who) => `Забрать себе? Сейчас этим занимается ${who}`,
    takeFromText:
      'Писать отсюда коллега больше не сможет и увидит, что дело у вас. Набранный текст у коллеги останется.',
    takeOver: 'Взять интервью на себя',
    handBack: 'Вернуть интервьюеру',
    close: 'Закрыть',
    replay: 'Повторить',
    readers: (names) => `Тоже читают: ${names}`,
  },
  told: {
    claimed: 'Теперь этим занимаетесь вы.',
    released: 'Теперь это может взять кто-то другой.',
    takenOver: 'Интервью у вас. Интервьюер молчит, пока вы его не вернёте.',
    handedBack: 'Интервьюер продолжает с того же места.',
    closed: 'Закрыто.',
    replayed: 'Выполняется ещё раз.',
    sent: 'Отправлено.',
    answered: 'Ответ отправлен, интервью продолжается.',
    answeredAndKept: 'Ответ отправлен, следующий кандидат получит его сразу.',
  },
  problems: {
    attention_held: 'Этим уже занялся кто-то другой. Набранный текст сохранён.',
    attention_closed: 'Это уже закрыто. Набранный текст сохранён.',
    attention_unknown: 'Этого больше нет: данные кандидата удалены.',
    conversation_unknown: 'Этого больше нет: данные кандидата удалены.',
    conversation_closed: 'Кандидат отказался от интервью, написать здесь ему нельзя.',
    conversation_with_model: 'Интервью уже у интервьюера.',
    attention_not_replayable: 'Это нельзя повторить. Можно закрыть.',
    job_not_dead: 'Это уже повторили.',
    document_refused: 'В документах вакансии больше нет места. Ничего не отправлено.',
    scope_missing: 'Ваша роль этого не позволяет.',
  },
  talk: {
    title: 'Интервью',
    empty: 'Пока никто ничего не сказал.',
    older: 'Показать раньше',
    olderFailed: 'Не удалось загрузить. Попробуйте ещё раз.',
    lost: 'Нет связи. Новые сообщения появятся, когда она вернётся.',
    speakers: { user: 'Кандидат', assistant: 'Интервьюер', person: 'Команда', system: 'Заметка' },
    kinds: { voice: 'запись', file: 'файл' },
    partial: 'остановлено',
    writing: 'Интервьюер пишет',
    collecting: 'Кандидат ещё отвечает',
    candidateTypes: (name) => `${name} пишет…`,
    teamTypes: 'Коллега пишет…',
  },
  box: {
    reply: 'Ваше сообщение',
    answer: 'Ваш ответ',
    replyNote: 'Кандидат увидит, что пишет человек.',
    takesOver: 'Интервью остановится, пока вы его не вернёте.',
    answerNote: 'Кандидат получит его сразу, интервью продолжится.',
    send: 'Отправить',
    takeOverAndSend: 'Взять интервью и отправить',
    sendAnswer: 'Отправить ответ',
    keep: 'Добавить и в документы вакансии',
    question: 'Вопрос вашими словами',
    questionNote: 'Он останется, когда данные кандидата удалят: не пишите, кто спросил.',
    questionMissing: 'Введите вопрос, по которому найдут ответ.',
    missing: 'Сначала напишите что-нибудь.',
    left: (count) => `Осталось знаков: ${NUMBERS.ru.format(count)}`,
    keys: 'Отправить: Ctrl и Enter, на Mac Cmd.',
  },
  closing: {
    title: 'Закрыть?',
    text: 'Дело уйдёт из входящих. Ваше пояснение останется при нём.',
    stays: 'Интервью остаётся у человека: верните его, если оно должно продолжаться.',
    reason: 'Что сделано',
    missing: 'Скажите коротко, что сделано.',
    action: 'Закрыть',
  },
};

const inboxTexts = { en, ru };

export function useInboxTexts(): InboxTexts {
  return inboxTexts[useLanguage().language];
}
