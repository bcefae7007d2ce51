import { type Language, NOTICE_CODES, type NoticeCode } from '../../vacancies';

/** What a notice has to say depends on who asks, and on whether the answers are rated. */
export type Processing = 'script' | 'ai' | 'ai-rating';

interface Notice {
  /** Of the row's own words and of the words below that all notices share. */
  readonly version: string;
  /** Its law asks for a letter after an adverse decision, of which a person is reminded. */
  readonly asksForLetter: boolean;
  readonly text: Readonly<Record<Language, string>>;
}

/**
 * A notice for each place, shown below the disclosure and agreed to with it. A change of its words, or of
 * those that all share, is a new version here (test/interview/notices.spec.ts holds the words of each).
 * Sources: docs/what-it-decides.md.
 */
const NOTICES: Readonly<Record<NoticeCode, Notice>> = {
  'us-co': {
    version: '2026-11',
    asksForLetter: true,
    text: {
      en: 'Colorado (SB 26-189, from 1 January 2027): where a program like this one influences a decision against you, the company has to tell you within 30 days, in plain words, what was decided and what part this program had in it, how to correct wrong data, and how to have a person review the decision.',
      ru: 'Колорадо (закон SB 26-189, с 1 января 2027 года): если такая программа повлияла на решение не в вашу пользу, компания должна в течение 30 дней простыми словами сообщить, что решено и какую роль сыграла эта программа, как исправить неверные данные и как попросить человека пересмотреть решение.',
    },
  },
  'us-ca': {
    version: '2026-11',
    asksForLetter: false,
    text: {
      en: 'California (CCPA rules on automated decisions, from 1 January 2027): to opt out, write "I object", or ask for a person instead of the program. To ask for access, take your data as above; ask a person of the team how they were used. The program rejects nobody for using these rights.',
      ru: 'Калифорния (правила CCPA об автоматизированных решениях, с 1 января 2027 года): чтобы отказаться, напишите «возражаю» или попросите человека вместо программы. Чтобы получить доступ к данным, скачайте их, как сказано выше; как они использованы, спросите у человека из команды. За то, что вы ими пользуетесь, программа никому не отказывает.',
    },
  },
};

const DOES: Readonly<Record<Language, Readonly<Record<Processing, string>>>> = {
  en: {
    script:
      'What the program does: a script asks the questions of this vacancy and keeps your answers for the people who decide. No AI reads or rates them.',
    ai: 'What the program does: an AI asks the questions of this vacancy, responds to what you write, and keeps your answers for the people who decide. It does not rate them.',
    'ai-rating':
      'What the program does: an AI asks the questions of this vacancy, responds to what you write, and keeps your answers for the people who decide. After the interview it rates them against the criteria of the vacancy; the rating may be shown to those people.',
  },
  ru: {
    script:
      'Что делает программа: скрипт задаёт вопросы по этой вакансии и сохраняет ваши ответы для людей, которые принимают решение. ИИ их не читает и не оценивает.',
    ai: 'Что делает программа: ИИ задаёт вопросы по этой вакансии, реагирует на то, что вы пишете, и сохраняет ваши ответы для людей, которые принимают решение. Оценок он не ставит.',
    'ai-rating':
      'Что делает программа: ИИ задаёт вопросы по этой вакансии, реагирует на то, что вы пишете, и сохраняет ваши ответы для людей, которые принимают решение. После интервью он оценивает ответы по критериям вакансии; эту оценку могут показать тем, кто решает.',
  },
};

const RELIES_ON: Readonly<Record<Language, Readonly<Record<'script' | 'ai', string>>>> = {
  en: {
    script: 'What it relies on: the questions of this vacancy and what you write here.',
    ai: 'What it relies on: what you write or say here, and the questions, criteria and documents of this vacancy.',
  },
  ru: {
    script: 'На что она опирается: на вопросы вакансии и на то, что вы здесь пишете.',
    ai: 'На что она опирается: на то, что вы здесь пишете или говорите, и на вопросы, критерии и документы вакансии.',
  },
};

/** By means that exist on both channels; the words in quotes are those of interview/plan/phrases.ts. */
const MEANS: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'To object: write "I object" in the interview. From then on no AI rates your answers, and the team is told.',
    'To have a person instead of the program, or with a question to the company: write "a person" in the interview, press “Ask for a person” on the page, or send /human in Telegram.',
    'To correct something: change your message, or write in the interview what is right; for your name or contact, ask for a person. To see your data: “Download my data” on the page, /mydata in Telegram.',
  ],
  ru: [
    'Чтобы возразить, напишите в интервью «возражаю». С этого момента ИИ ваши ответы не оценивает, а команда об этом узнает.',
    'Чтобы с вами говорил человек вместо программы или чтобы спросить компанию, напишите в интервью «человек», нажмите «Позвать человека» на странице или отправьте /human в Telegram.',
    'Чтобы что-то исправить, измените сообщение или напишите в интервью, как правильно; имя и контакт исправит человек. Чтобы увидеть свои данные: «Скачать мои данные» на странице, /mydata в Telegram.',
  ],
};

/** Paragraphs for these places; none where there is no notice. */
export function noticeParagraphs(
  codes: readonly NoticeCode[],
  language: Language,
  processing: Processing,
): string[] {
  const shown = NOTICE_CODES.filter((code) => codes.includes(code));
  if (shown.length === 0) return [];
  return [
    DOES[language][processing],
    RELIES_ON[language][processing === 'script' ? 'script' : 'ai'],
    ...MEANS[language],
    ...shown.map((code) => NOTICES[code].text[language]),
  ];
}

/** A disclosure's version, `+`, and each notice with its own: `2026-11-rating+us-co.2026-11`. */
export function withNotices(version: string, codes: readonly NoticeCode[]): string {
  const shown = NOTICE_CODES.filter((code) => codes.includes(code));
  return [version, ...shown.map((code) => `${code}.${NOTICES[code].version}`)].join('+');
}

/** The version of the disclosure alone. */
export function withoutNotices(version: string): string {
  return version.split('+', 1)[0] ?? version;
}

/** Places whose law asks for a letter after an adverse decision. */
export const LETTER_CODES: readonly NoticeCode[] = NOTICE_CODES.filter(
  (code) => NOTICES[code].asksForLetter,
);
