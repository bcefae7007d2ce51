/** Every passage that the page quotes, with the names by which keys and presses find it in the transcript. */
import { modelOf } from './comparison';
import type { Comparison } from './comparison';
import type { RatedQuestion } from './calls';
import type { NamedPassage } from './passages';

interface ShownPassages {
  readonly byMessage: ReadonlyMap<string, readonly NamedPassage[]>;
  readonly byName: ReadonlyMap<string, NamedPassage>;
  /** By the name of a passage: the id of its question. */
  readonly questions: ReadonlyMap<string, string>;
}

/** `a`: of the answer; `c0`, `f0`: of a criterion or a fact of question `number`. */
export function passageName(number: number, of: string, index: number): string {
  return `q${String(number)}-${of}-${String(index)}`;
}

export function shownPassages(
  rated: readonly RatedQuestion[],
  scoring: Comparison['scoring'],
): ShownPassages {
  const byMessage = new Map<string, NamedPassage[]>();
  const byName = new Map<string, NamedPassage>();
  const questions = new Map<string, string>();
  rated.forEach((question, at) => {
    const model = modelOf(scoring, question.id);
    const groups = [
      { of: 'a', quotes: question.evidence },
      ...question.criteria.map(({ name }, index) => ({
        of: `c${String(index)}`,
        quotes: model?.criteria.find((one) => one.name === name)?.quotes ?? [],
      })),
      ...(model?.facts ?? []).map(({ quotes }, index) => ({ of: `f${String(index)}`, quotes })),
    ];
    for (const { of, quotes } of groups) {
      quotes.forEach((quote, index) => {
        const passage = { ...quote, name: passageName(at + 1, of, index) };
        byMessage.set(quote.messageId, [...(byMessage.get(quote.messageId) ?? []), passage]);
        byName.set(passage.name, passage);
        questions.set(passage.name, question.id);
      });
    }
  });
  return { byMessage, byName, questions };
}
