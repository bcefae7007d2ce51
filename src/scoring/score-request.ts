import { createHash } from 'node:crypto';
import type { ModelRequest } from '../llm';
import {
  type InterviewPlan,
  type KnockOutFact,
  MARKS,
  type Rubric,
  type RubricCriterion,
  rubricOf,
} from '../vacancies';
import type { EvidenceMessage } from './evidence';
import { PROMPTS, promptHash } from './prompts';
import {
  CRITERION_SCHEMA,
  type CriterionReading,
  FACT_SCHEMA,
  type FactReading,
  readCriterion,
  readFact,
} from './sample-reader';
import type { AnswersByQuestion, ItemKind, StoredSample } from './scoring.repository';

const MAX_OUTPUT_TOKENS = 700;
/** The server's own temperature, so that three samples may differ. */
const PARAMETERS = { maxOutputTokens: MAX_OUTPUT_TOKENS, temperature: "the server's" } as const;

/** What one request asks about. */
export interface ScoreItem {
  readonly rubric: Rubric;
  readonly kind: ItemKind;
  readonly name: string;
}

/** A request about one criterion or fact, and all that is stored of it before it is sent. */
export interface ScoreRequest {
  readonly request: Omit<ModelRequest, 'tools'>;
  readonly origin: Pick<
    StoredSample,
    'parameters' | 'promptName' | 'promptVersion' | 'promptHash' | 'input' | 'inputHash'
  >;
  readonly read: (output: string) => CriterionReading | FactReading;
}

/** The criteria and the facts of a rubric, in its order. */
export function itemsOf(rubric: Rubric): ScoreItem[] {
  return [
    ...rubric.criteria.map(({ name }) => ({ rubric, kind: 'criterion' as const, name })),
    ...rubric.facts.map(({ name }) => ({ rubric, kind: 'fact' as const, name })),
  ];
}

/** The hashes of the requests that rate these answers. */
export function inputHashesOf(
  plan: InterviewPlan,
  answers: AnswersByQuestion,
): ReadonlySet<string> {
  const hashes = plan.questions.flatMap((question) => {
    const messages = answers.get(question.id) ?? [];
    if (messages.length === 0) return [];
    return itemsOf(rubricOf(question)).map((item) => requestOf(item, messages).origin.inputHash);
  });
  return new Set(hashes);
}

/** Whether a run whose requests have these hashes has read exactly these answers. */
export function hasRead(
  inputHashes: ReadonlySet<string>,
  { plan, answers }: { readonly plan: InterviewPlan; readonly answers: AnswersByQuestion },
): boolean {
  const wanted = inputHashesOf(plan, answers);
  return inputHashes.size === wanted.size && [...wanted].every((hash) => inputHashes.has(hash));
}

/**
 * Builds the request. What a candidate wrote stands only inside strings of one JSON object, because
 * any other delimiter can be forged. No tool is offered.
 */
export function requestOf(
  { rubric, kind, name }: ScoreItem,
  messages: readonly EvidenceMessage[],
): ScoreRequest {
  const prompt = PROMPTS[kind];
  const asked = kind === 'criterion' ? criterionData(rubric, name) : factData(rubric, name);
  const content = JSON.stringify({ question: rubric.question, ...asked, messages });
  const context = { messages, question: rubric.question };
  return {
    request: {
      system: prompt.text,
      messages: [{ role: 'user', content }],
      schema: kind === 'criterion' ? CRITERION_SCHEMA : FACT_SCHEMA,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
    },
    origin: {
      parameters: PARAMETERS,
      promptName: prompt.name,
      promptVersion: prompt.version,
      promptHash: promptHash(prompt),
      input: messages.map(({ id, text }) => ({ messageId: id, sha256: sha256(text) })),
      inputHash: sha256(content),
    },
    read: (output) =>
      kind === 'criterion' ? readCriterion(output, context) : readFact(output, context),
  };
}

function criterionData(rubric: Rubric, name: string): object {
  const { anchors } = named<RubricCriterion>(rubric.criteria, name);
  if (anchors === null) return { criterion: { name, rubric: rubric.text } };
  return { criterion: { name, anchors: MARKS.map((mark) => ({ mark, shows: anchors[mark] })) } };
}

function factData(rubric: Rubric, name: string): object {
  return { statement: named<KnockOutFact>(rubric.facts, name).fact };
}

function named<T extends { readonly name: string }>(list: readonly T[], name: string): T {
  const found = list.find((each) => each.name === name);
  if (found === undefined) throw new Error(`the rubric has no item "${name}"`);
  return found;
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
