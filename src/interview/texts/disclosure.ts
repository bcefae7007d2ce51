import type { Settings } from '../../common/config';
import type { Language, NoticeCode } from '../../vacancies';
import { type Processing, noticeParagraphs, withNotices, withoutNotices } from './notices';

/**
 * What a candidate reads and agrees to before the first question, with the notices of the vacancy. Code
 * shows it word for word; a change of its meaning is a new version, and a candidate who agreed to an older
 * one is asked again. The version that is stored with the consent names the notices and their versions.
 */
export interface Disclosure {
  readonly version: string;
  readonly text: string;
}

/** Who asks: a model, or code that puts the plan's questions by itself. */
export type Interviewer = 'ai' | 'script';

/** Of the text without an AI: who agreed to it has not agreed to a model. */
export const SCRIPT_VERSION = '2026-11-script';
const VERSIONS: Readonly<Record<Processing, string>> = {
  script: SCRIPT_VERSION,
  ai: '2026-11',
  'ai-rating': '2026-11-rating',
};

const TEXTS: Readonly<Record<Language, (company: string, rating: string) => string>> = {
  en: (company, rating) =>
    [
      `You are about to talk to an AI interviewer of ${company}, not to a person.`,
      `It asks the questions of this vacancy and keeps your answers word for word. The hiring team reads them and decides; nobody is rejected automatically, and neither your style nor your typing speed is judged.${rating}`,
      'Your answers may be processed by an AI service on behalf of the company. You can skip a question, stop at any time, ask for a person instead, and have your data deleted.',
    ].join('\n\n'),
  ru: (company, rating) =>
    [
      `Сейчас с вами будет говорить ИИ-интервьюер компании «${company}», а не человек.`,
      `Он задаёт вопросы по этой вакансии и сохраняет ваши ответы дословно. Читает их и принимает решение команда по найму: автоматических отказов нет, ни стиль, ни скорость набора не оцениваются.${rating}`,
      'Ответы может обрабатывать ИИ-сервис по поручению компании. Вы можете пропустить вопрос, остановиться в любой момент, попросить человека вместо ИИ и удалить свои данные.',
    ].join('\n\n'),
};

/** Where no model is set. */
const SCRIPT_TEXTS: Readonly<Record<Language, (company: string) => string>> = {
  en: (company) =>
    [
      `You are about to be interviewed by a script of ${company}: a program that asks fixed questions. It is neither a person nor an AI.`,
      'It asks the questions of this vacancy and keeps your answers word for word. The hiring team reads them and decides; nobody is rejected automatically, and neither your style nor your typing speed is judged.',
      'No AI reads your answers here. You can skip a question, stop at any time, ask for a person instead, and have your data deleted.',
    ].join('\n\n'),
  ru: (company) =>
    [
      `Сейчас вопросы вам будет задавать скрипт компании «${company}»: программа с готовыми вопросами. Это не человек и не ИИ.`,
      'Он задаёт вопросы по этой вакансии и сохраняет ваши ответы дословно. Читает их и принимает решение команда по найму: автоматических отказов нет, ни стиль, ни скорость набора не оцениваются.',
      'ИИ ваши ответы здесь не читает. Вы можете пропустить вопрос, остановиться в любой момент, попросить человека вместо скрипта и удалить свои данные.',
    ].join('\n\n'),
};

/** Added where answers are rated. */
const RATING: Readonly<Record<Language, string>> = {
  en: ' After the interview, an AI rates your answers against the criteria for this job, to help the team. Write "I object" and they will not be rated.',
  ru: ' После интервью ИИ оценивает ответы по критериям вакансии, чтобы помочь команде; напишите «возражаю», и оценки не будет.',
};

/** As `InterviewTerms` has it. */
interface InForce extends Pick<Settings, 'llm'> {
  /** A model rates the answers of finished interviews. */
  readonly isRated?: boolean;
}

/**
 * Who asks whoever agreed to this version; null: who asks those who agree now. An interview that began by a
 * script stays with it when a model is set later.
 */
export function interviewerOf({ llm }: InForce, agreedTo: string | null = null): Interviewer {
  return llm.apiKey === '' || (agreedTo !== null && isOfScript(agreedTo)) ? 'script' : 'ai';
}

/** The candidate agreed to be asked by a script. */
export function isOfScript(version: string): boolean {
  return withoutNotices(version) === SCRIPT_VERSION;
}

/** Which disclosure is in force: it says who asks, that answers are rated where they are, and the notices. */
export function disclosureVersion(terms: InForce, notices: readonly NoticeCode[] = []): string {
  return withNotices(VERSIONS[processingOf(terms)], notices);
}

export function disclosureOf(
  terms: InForce,
  language: Language,
  { company, notices = [] }: { readonly company: string; readonly notices?: readonly NoticeCode[] },
): Disclosure {
  const processing = processingOf(terms);
  const rating = processing === 'ai-rating' ? RATING[language] : '';
  const own =
    processing === 'script' ? SCRIPT_TEXTS[language](company) : TEXTS[language](company, rating);
  return {
    version: disclosureVersion(terms, notices),
    text: [own, ...noticeParagraphs(notices, language, processing)].join('\n\n'),
  };
}

/** Whether the candidate was told of the rating before they agreed. */
export function coversRating(version: string): boolean {
  return withoutNotices(version) === VERSIONS['ai-rating'];
}

function processingOf(terms: InForce): Processing {
  if (interviewerOf(terms) === 'script') return 'script';
  return terms.isRated === true ? 'ai-rating' : 'ai';
}
