import type { Settings } from '../../common/config';
import type { Language } from '../../vacancies';

/**
 * What a candidate reads and agrees to before the first question. Code shows it word for word; a
 * change of its meaning is a new version, and a candidate who agreed to an older one is asked again.
 */
export interface Disclosure {
  readonly version: string;
  readonly text: string;
}

/** Who asks: a model, or code that puts the plan's questions by itself. */
export type Interviewer = 'ai' | 'script';

/** Of the text without rating. */
const DISCLOSURE_VERSION = '2026-11';
/** Of the text without an AI: who agreed to it has not agreed to a model. */
export const SCRIPT_VERSION = `${DISCLOSURE_VERSION}-script`;
const WITH_RATING = `${DISCLOSURE_VERSION}-rating`;

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

/** Added where `SCORING` is on. */
const RATING: Readonly<Record<Language, string>> = {
  en: ' After the interview, an AI rates your answers against the criteria for this job, to help the team. Write "I object" and they will not be rated.',
  ru: ' После интервью ИИ оценивает ответы по критериям вакансии, чтобы помочь команде; напишите «возражаю», и оценки не будет.',
};

type InForce = Pick<Settings, 'scoring' | 'llm'>;

/**
 * Who asks whoever agreed to this version; null: who asks those who agree now. An interview that began by a
 * script stays with it when a model is set later.
 */
export function interviewerOf({ llm }: InForce, agreedTo: string | null = null): Interviewer {
  return llm.apiKey === '' || agreedTo === SCRIPT_VERSION ? 'script' : 'ai';
}

/** Which disclosure is in force: it says who asks, and that answers are rated where they are. */
export function disclosureVersion(settings: InForce): string {
  if (interviewerOf(settings) === 'script') return SCRIPT_VERSION;
  return settings.scoring.isOn ? WITH_RATING : DISCLOSURE_VERSION;
}

export function disclosureOf(settings: InForce, language: Language, company: string): Disclosure {
  const version = disclosureVersion(settings);
  if (version === SCRIPT_VERSION) return { version, text: SCRIPT_TEXTS[language](company) };
  const rating = settings.scoring.isOn ? RATING[language] : '';
  return { version, text: TEXTS[language](company, rating) };
}

/** Whether the candidate was told of the rating before they agreed. */
export function coversRating(version: string): boolean {
  return version === WITH_RATING;
}
