import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readVacancyFile } from '../../src/vacancies';
import { type Passage, readDocuments } from '../../src/knowledge';

const EXAMPLES = resolve(__dirname, '../../examples');

export type EvaluatedLanguage = 'ru' | 'en';

interface EvaluationSet {
  readonly vacancy: string;
  readonly questions: readonly {
    /** In a candidate's words. */
    readonly question: string;
    /** The passage that answers it: a document and the innermost heading. */
    readonly document: string;
    readonly heading: string;
  }[];
}

/** `agreed`: 20 questions with which the ranking was tuned. `unseen`: 14 others. */
export type SetName = 'agreed' | 'unseen';

/** Questions over one of the example vacancies. */
export async function evaluationSet(
  language: EvaluatedLanguage,
  name: SetName,
): Promise<EvaluationSet> {
  const file =
    name === 'agreed' ? `evaluation.${language}.json` : `evaluation.unseen.${language}.json`;
  return JSON.parse(await readFile(join(__dirname, file), 'utf8')) as EvaluationSet;
}

/** An example vacancy with its documents, as an import reads it. */
export async function exampleWithDocuments(vacancy: string, language: EvaluatedLanguage) {
  const file = join(EXAMPLES, `${vacancy}.${language}.yaml`);
  const draft = await readVacancyFile(file);
  const documents = await readDocuments(dirname(file), draft.knowledge ?? [], language);
  return { draft, documents };
}

export interface Recall {
  /** Share of the questions whose passage is among the first ones found, from 0 to 1. */
  readonly recall: number;
  readonly missed: readonly string[];
}

/** Each question has one right passage, so recall@n is the share of questions that found it among n. */
export async function recallOf(
  { questions }: EvaluationSet,
  search: (question: string) => Promise<readonly Passage[]>,
  among = 5,
): Promise<Recall> {
  const missed: string[] = [];
  for (const { question, document, heading } of questions) {
    const found = (await search(question)).slice(0, among);
    const isFound = found.some(
      (passage) => passage.document === document && passage.headings.at(-1) === heading,
    );
    if (!isFound) missed.push(question);
  }
  return { recall: 1 - missed.length / questions.length, missed };
}
