import type { Coverage, ReviewSubject } from './review-source';

/** What a page says, in the vacancy's language: whoever reads it speaks that. */
export const REVIEW_WORDS = {
  en: {
    title: (candidate: string, vacancy: string): string => `Interview: ${candidate}, ${vacancy}`,
    nameless: 'a candidate without a name',
    coverage: ({ counted, of, asked, answered }: Coverage): string =>
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
    coverage: ({ counted, of, asked, answered }: Coverage): string =>
      `Задано ${counted === 'must-ask' ? 'обязательных вопросов' : 'вопросов'}: ${String(asked)} из ${String(of)}, с ответом: ${String(answered)}`,
    messages: (count: number): string => `сообщений после завершения: ${String(count)}`,
    ends: {
      withdrawn: 'после этого кандидат отозвал участие',
      handed_over: 'после этого кандидат попросил связать его с человеком',
    },
  },
} as const satisfies Record<ReviewSubject['language'], unknown>;
