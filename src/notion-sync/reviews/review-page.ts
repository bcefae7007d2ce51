import type { InterviewCoverage, InterviewSummary } from '../../common/events';
import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';

/** What a page says, in the vacancy's language: whoever reads it speaks that. */
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
      withdrawn: 'после этого кандидат отозвал участие',
      handed_over: 'после этого кандидат попросил связать его с человеком',
    },
  },
} as const satisfies Record<InterviewSummary['language'], unknown>;

/** What the interview says on its page; importance, status and assignee are people's from then on. */
export interface ReviewPage {
  readonly title: string;
  readonly candidate: string;
  readonly vacancy: string;
  readonly coverage: string;
  /** Where the transcript is read; null: nowhere. */
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

/** Tells whether a page says this already; nobody reads a name in it. */
export function digestOf(page: ReviewPage): string {
  return sha256(JSON.stringify(page));
}

export function titleDigestOf(title: string): string {
  return sha256(title);
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** What an operator may want to put right; each sentence is told once by this process. */
@Injectable()
export class OnceLogger {
  private readonly logger = new Logger('NotionReviews');
  private readonly told = new Set<string>();

  warn(sentence: string): void {
    if (this.told.has(sentence)) return;
    this.told.add(sentence);
    this.logger.warn(sentence);
  }
}
