import { createHash } from 'node:crypto';
import type { ReviewSubject } from './review-source';
import { REVIEW_WORDS } from './review-words';

/** What the interview says on its page; importance, status and assignee are people's from then on. */
export interface ReviewPage {
  readonly title: string;
  readonly candidate: string;
  readonly vacancy: string;
  readonly coverage: string;
  /** Where the transcript is read; null: nowhere. */
  readonly link: string | null;
}

export function pageOf(subject: ReviewSubject, link: string | null): ReviewPage {
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
