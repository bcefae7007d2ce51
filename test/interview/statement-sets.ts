import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { Verdict } from '../../src/interview/plan/verdicts';
import { ReplyFilter } from '../../src/interview/turn/reply-filter';
import { StatementCheck } from '../../src/interview/turn/statements';
import type { Language } from '../../src/vacancies';

/** One reply of a set. */
export interface SetReply {
  readonly verdict: Verdict;
  /** What the candidate wrote before. */
  readonly answer: string;
  readonly text: string;
  /** The sentence that has to be held back; empty in the ordinary sets. */
  readonly planted: string;
}

/**
 * The sets that were written before tuning are taken in pairs of replies: the filter was tuned on the first, third,
 * … pair, and only shown the others. `later`: earlier sets and further replies, on which it was tuned too.
 */
export type Part = 'tuned' | 'shown' | 'later';

export function repliesOf(
  kind: 'ordinary' | 'planted',
  language: Language,
  part: Part,
): readonly SetReply[] {
  if (part === 'later') return readSet(`later-${kind}.${language}`);
  const isTuned = (at: number): boolean => at % 4 < 2;
  return readSet(`${kind}.${language}`).filter((_, at) => isTuned(at) === (part === 'tuned'));
}

function readSet(name: string): SetReply[] {
  const file = path.join(__dirname, 'statements', `${name}.txt`);
  let verdict: Verdict = 'answered';
  let answer = '';
  const replies: SetReply[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.startsWith('## ')) verdict = line.slice(3) as Verdict;
    else if (line.startsWith('>')) answer = line.slice(2);
    else if (line !== '' && !line.startsWith('# ')) {
      const planted = line.split('*')[1] ?? '';
      replies.push({ verdict, answer, text: line.replaceAll('*', ''), planted });
    }
  }
  return replies;
}

interface ExampleFile {
  readonly title: string;
  readonly company: string;
  readonly greeting: string;
  readonly closing: string;
  readonly questions: readonly { readonly id: string; readonly text: string }[];
}

function exampleOf(file: string): ExampleFile {
  return parse(readFileSync(path.join(__dirname, '../../examples', file), 'utf8')) as ExampleFile;
}

/** The example vacancies, each with the question that follows. */
const EXAMPLES = {
  en: { vacancy: exampleOf('backend-engineer.en.yaml'), comingId: 'disagreement' },
  ru: { vacancy: exampleOf('support-lead.ru.yaml'), comingId: 'feedback' },
} as const;

const STAYS: readonly Verdict[] = ['vague', 'follow_up', 'clarify'];

/** What is shown of a reply in the interview of the example vacancy, whose documents the model does not name. */
export function shownOf({ verdict, answer, text }: SetReply, language: Language): string {
  const { vacancy, comingId } = EXAMPLES[language];
  const { title, company, greeting, closing, questions } = vacancy;
  const texts = questions.map((question) => question.text);
  const check = new StatementCheck({
    plan: [title, company, greeting, closing, ...texts],
    named: [],
    isGrounded: false,
    company,
    said: [answer],
    answer,
    asks: null,
    questions: texts,
    verdict,
  });
  const isAskedBehind = !STAYS.includes(verdict);
  const next = questions.find(({ id }) => id === comingId)?.text ?? '';
  const filter = new ReplyFilter(check, {
    isAskedBehind,
    coming: isAskedBehind ? next : '',
    said: [answer],
  });
  return filter.take(text) + filter.end();
}
