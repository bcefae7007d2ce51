import type { InterviewCoverage, InterviewSummary } from '../../common/events';
import { sha256 } from '../../common/ids';

/** The content of an interview's page. People may change its importance, status and assignee. */
export interface ReviewPage {
  readonly title: string;
  readonly candidate: string;
  readonly vacancy: string;
  readonly coverage: string;
  /** The address of the transcript; null: none. */
  readonly link: string | null;
}

export function pageOf(subject: InterviewSummary, link: string | null): ReviewPage {
  const words = REVIEW_WORDS[subject.language];
  const { messages, end } = subject.after;
  const candidate = subject.candidate ?? words.nameless;
  const coverage = [
    words.coverage(subject.coverage),
    ...(messages > 0 ? [words.messages(messages)] : []),
    ...(end === null ? [] : [words.ends[end]]),
  ].join('; ');
  return {
    title: words.title(candidate, subject.vacancy),
    candidate,
    vacancy: subject.vacancy,
    coverage,
    link,
  };
}

/** The texts of a page, in the vacancy's language. */
export const REVIEW_WORDS = {
  en: {
    title: (candidate: string, vacancy: string): string => `Interview: ${candidate}, ${vacancy}`,
    nameless: 'a candidate without a name',
    coverage: ({ counted, of, asked, answered }: InterviewCoverage): string =>
      `${String(asked)} of ${String(of)} ${counted === 'must-ask' ? 'must-ask questions' : 'questions'} asked, ${String(answered)} answered`,
    messages: (count: number): string => `messages after the end: ${String(count)}`,
    ends: {
      withdrawn: 'the candidate withdrew afterwards',
      handed_over: 'the candidate asked for a person afterwards',
    },
  },
  ru: {
    title: (candidate: string, vacancy: string): string => `Интервью: ${candidate}, ${vacancy}`,
    nameless: 'кандидат без имени',
    coverage: ({ counted, of, asked, answered }: InterviewCoverage): string =>
      `Задано ${counted === 'must-ask' ? 'обязательных вопросов' : 'вопросов'}: ${String(asked)} из ${String(of)}, с ответом: ${String(answered)}`,
    messages: (count: number): string => `сообщений после завершения: ${String(count)}`,
    ends: {
      withdrawn: 'после этого кандидат отказался от участия',
      handed_over: 'после этого кандидат попросил связать его с человеком',
    },
  },
} as const satisfies Record<InterviewSummary['language'], unknown>;

/** A hash that tells whether a page has this content already; it contains no name. */
export function digestOf(page: ReviewPage): string {
  return sha256(JSON.stringify(page));
}

export function titleDigestOf(title: string): string {
  return sha256(title);
}
