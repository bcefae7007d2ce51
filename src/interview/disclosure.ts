import type { Language } from '../vacancies';

/**
 * What a candidate reads and agrees to before the first question. Code shows it word for word; a
 * change of its meaning is a new version, and whoever agreed to an older one is asked again.
 */
export const DISCLOSURE_VERSION = '2026-11';

const TEXTS: Readonly<Record<Language, (company: string) => string>> = {
  en: (company) =>
    [
      `You are about to talk to an AI interviewer of ${company}, not to a person.`,
      'It asks the questions of this vacancy and keeps your answers word for word. The hiring team reads them and decides; nobody is rejected automatically, and neither your style nor your typing speed is judged.',
      'Your answers may be processed by an AI service on behalf of the company. You can skip a question, stop at any time, ask for a person instead, and have your data deleted.',
    ].join('\n\n'),
  ru: (company) =>
    [
      `Сейчас с вами будет говорить ИИ-интервьюер компании «${company}», а не человек.`,
      'Он задаёт вопросы по этой вакансии и сохраняет ваши ответы дословно. Читает их и принимает решение команда по найму: автоматических отказов нет, ни стиль, ни скорость набора не оцениваются.',
      'Ответы может обрабатывать ИИ-сервис по поручению компании. Вы можете пропустить вопрос, остановиться в любой момент, попросить человека вместо ИИ и потребовать удалить свои данные.',
    ].join('\n\n'),
};

export interface Disclosure {
  readonly version: string;
  readonly text: string;
}

export function disclosureOf(language: Language, company: string): Disclosure {
  return { version: DISCLOSURE_VERSION, text: TEXTS[language](company) };
}
