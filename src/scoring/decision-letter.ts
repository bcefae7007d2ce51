import { isOfScript } from '../interview';
import type { Language } from '../vacancies';

/**
 * What the letter about an adverse decision reads of a decision file's payload (decision-file.ts), as it is
 * in JSON. It reads nothing else, so the letter names only what the file holds.
 */
export interface LetterSource {
  readonly decisions: readonly {
    readonly decidedBy: string;
    readonly reason: string;
    readonly decidedAt: string;
    readonly isAdverse: boolean;
  }[];
  readonly interviews: readonly LetterInterview[];
}

interface LetterInterview {
  readonly vacancy: { readonly title: string; readonly company: string };
  readonly consent: {
    readonly version: string;
    readonly accepted: boolean;
    readonly at: string;
  } | null;
  readonly questions: readonly { readonly id: string; readonly text: string }[];
  readonly answers: Readonly<Record<string, readonly unknown[]>>;
  readonly objectedAt: string | null;
  readonly ratings: readonly { readonly mark: number | null; readonly ratedAt: string }[];
  readonly runs: readonly LetterRun[];
}

interface LetterRun {
  readonly startedAt: string;
  readonly inShadow: readonly string[];
  readonly samples: readonly {
    readonly questionId: string;
    readonly kind: string;
    readonly item: string;
    readonly model: string;
  }[];
}

interface Words {
  readonly subject: string;
  readonly decision: string;
  readonly decided: (day: string, by: string, reason: string) => string;
  readonly basis: string;
  readonly interview: (title: string, company: string) => string;
  readonly agreed: (day: string, version: string) => string;
  readonly answered: string;
  readonly noAnswers: string;
  readonly people: (marks: number) => string;
  readonly program: string;
  readonly askedBy: Readonly<Record<'script' | 'ai' | 'nobody', string>>;
  readonly objected: (day: string) => string;
  readonly unrated: string;
  readonly rated: (day: string, models: string, criteria: string) => string;
  readonly hidden: string;
  readonly shown: (questions: string) => string;
  readonly ways: readonly string[];
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    subject: 'About the decision on your application',
    decision: 'What was decided',
    decided: (day, by, reason) =>
      `On ${day}, ${by} decided against your application. The reason, as it was recorded: ${reason}`,
    basis: 'What was relied on',
    interview: (title, company) => `Your interview for "${title}" at ${company}.`,
    agreed: (day, version) => `You agreed to it on ${day} (text ${version}).`,
    answered: 'Your answers to these questions:',
    noAnswers: 'It holds no answer of yours.',
    people: (marks) => `Marks that people gave your answers: ${String(marks)}.`,
    program: 'What part the program had',
    askedBy: {
      script: 'A script asked the questions. No AI read your answers.',
      ai: 'The interview was held by an AI interviewer.',
      nobody: 'You did not agree to the interview, so it was not held.',
    },
    objected: (day) =>
      `You objected to automated processing on ${day}, so no automated rating was relied on.`,
    unrated: 'There is no automated rating of your answers.',
    rated: (day, models, criteria) =>
      `On ${day}, an AI (${models}) rated your answers against these criteria: ${criteria}.`,
    hidden: 'Before the decision its ratings were not shown to anybody.',
    shown: (questions) =>
      `Whoever decided may have seen its ratings of the answers to these questions: ${questions}.`,
    ways: [
      'If your data are wrong',
      'Reply to this letter and say what is right, or write it in the interview. You get a copy of all that is stored about you by “Download my data” on the page of the interview, or by /mydata in Telegram.',
      '',
      'If you want a person to review the decision',
      'Reply to this letter and say so, and what should be considered. A person will look at it again.',
      '',
      'To learn more about the data and the program that were used, reply to this letter.',
    ],
  },
  ru: {
    subject: 'О решении по вашему отклику',
    decision: 'Что решено',
    decided: (day, by, reason) =>
      `${day}: решение не в вашу пользу, его принял человек (${by}). Причина, как она записана: ${reason}`,
    basis: 'На чём основано решение',
    interview: (title, company) => `Ваше интервью на вакансию «${title}», компания ${company}.`,
    agreed: (day, version) => `Вы согласились на него ${day} (текст ${version}).`,
    answered: 'Ваши ответы на эти вопросы:',
    noAnswers: 'Ваших ответов в нём нет.',
    people: (marks) => `Оценки, которые поставили люди: ${String(marks)}.`,
    program: 'Какую роль сыграла программа',
    askedBy: {
      script: 'Вопросы задавал скрипт. ИИ ваши ответы не читал.',
      ai: 'Интервью вёл ИИ-интервьюер.',
      nobody: 'Вы не дали согласия на интервью, поэтому его не было.',
    },
    objected: (day) =>
      `${day} вы возразили против автоматической обработки, поэтому автоматических оценок в основе решения нет.`,
    unrated: 'Автоматических оценок ваших ответов нет.',
    rated: (day, models, criteria) =>
      `${day} ИИ (${models}) оценил ваши ответы по критериям: ${criteria}.`,
    hidden: 'До решения эти оценки никому не показывали.',
    shown: (questions) =>
      `Те, кто решал, могли видеть его оценки ответов на эти вопросы: ${questions}.`,
    ways: [
      'Если данные о вас неверны',
      'Ответьте на это письмо и напишите, как правильно, или напишите об этом в интервью. Копию всего, что о вас хранится, можно получить кнопкой «Скачать мои данные» на странице интервью или командой /mydata в Telegram.',
      '',
      'Если вы хотите, чтобы решение пересмотрел человек',
      'Ответьте на это письмо, скажите об этом и напишите, что нужно учесть. Человек рассмотрит его ещё раз.',
      '',
      'Чтобы узнать больше о данных и программе, ответьте на это письмо.',
    ],
  },
};

/** The letter to the candidate: each adverse decision of the file, and what was relied on. */
export function letterOf({ decisions, interviews }: LetterSource, language: Language): string {
  const words = WORDS[language];
  const adverse = decisions.filter(({ isAdverse }) => isAdverse);
  const decidedAt = adverse.at(-1)?.decidedAt ?? '';
  return [
    words.subject,
    '',
    words.decision,
    ...adverse.map(({ decidedAt, decidedBy, reason }) =>
      words.decided(dayOf(decidedAt), decidedBy, reason),
    ),
    '',
    words.basis,
    ...interviews.flatMap((interview) => basisOf(interview, decidedAt, words)),
    '',
    words.program,
    ...interviews.flatMap((interview) => partOfProgram(interview, words)),
    '',
    ...words.ways,
    '',
  ].join('\n');
}

/** `decidedAt`: of the last decision, which did not rest on marks that were given later. */
function basisOf(
  { vacancy: { title, company }, consent, questions, answers, ratings }: LetterInterview,
  decidedAt: string,
  words: Words,
): string[] {
  const marks = ratings.filter(({ mark, ratedAt }) => mark !== null && ratedAt <= decidedAt);
  const answered = questions.filter(({ id }) => (answers[id] ?? []).length > 0);
  return [
    words.interview(title, company),
    ...(consent?.accepted === true ? [words.agreed(dayOf(consent.at), consent.version)] : []),
    answered.length === 0 ? words.noAnswers : words.answered,
    ...answered.map(({ text }) => `- ${text}`),
    ...(marks.length === 0 ? [] : [words.people(marks.length)]),
  ];
}

function partOfProgram(interview: LetterInterview, words: Words): string[] {
  const { consent, objectedAt, runs } = interview;
  if (consent?.accepted !== true) return [words.askedBy.nobody];
  const asked = words.askedBy[isOfScript(consent.version) ? 'script' : 'ai'];
  if (objectedAt !== null) return [asked, words.objected(dayOf(objectedAt))];
  const rated = runs.filter(({ samples }) => samples.length > 0);
  if (rated.length === 0) return [asked, words.unrated];
  return [asked, ...rated.flatMap((run) => ratingOf(run, interview, words))];
}

function ratingOf(
  { startedAt, samples, inShadow }: LetterRun,
  { questions }: LetterInterview,
  words: Words,
): string[] {
  const criteria = distinct(
    samples.filter(({ kind }) => kind === 'criterion'),
    ({ item }) => item,
  );
  const rated = distinct(samples, ({ questionId }) => questionId);
  const shown = rated.filter((id) => !inShadow.includes(id));
  const texts = shown.map((id) => questions.find((one) => one.id === id)?.text ?? id);
  return [
    words.rated(
      dayOf(startedAt),
      distinct(samples, ({ model }) => model).join(', '),
      criteria.join(', '),
    ),
    texts.length === 0 ? words.hidden : words.shown(texts.map((text) => `"${text}"`).join(', ')),
  ];
}

function distinct<T>(list: readonly T[], of: (one: T) => string): string[] {
  return [...new Set(list.map(of))];
}

/** As `2027-01-31`, in UTC. */
function dayOf(time: string): string {
  return time.slice(0, 10);
}
