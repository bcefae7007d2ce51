import { sha256 } from '../common/ids';
import type { ModelRequest } from '../llm';
import {
  CONDITION,
  type InterviewPlan,
  type KnockOutFact,
  MARKS,
  type Rubric,
  type RubricCriterion,
  rubricOf,
} from '../vacancies';
import type { EvidenceMessage } from './evidence';
import { HeardWords } from './heard-words';
import { type RatingContext, ratedAnswer } from './rating-context';
import {
  CRITERION_SCHEMA,
  type CriterionReading,
  FACT_SCHEMA,
  type FactReading,
  readCriterion,
  readFact,
} from './sample-reader';
import { PROMPTS, promptHash } from './score-prompts';
import type { AnswersByQuestion, ItemKind, StoredSample } from './scoring.repository';

/** A request about one criterion or fact, and all that is stored of it before it is sent. */
export interface ScoreRequest {
  readonly request: Omit<ModelRequest, 'tools'>;
  readonly origin: Pick<
    StoredSample,
    'parameters' | 'promptName' | 'promptVersion' | 'promptHash' | 'input' | 'inputHash'
  >;
  readonly read: (output: string) => CriterionReading | FactReading;
}

/**
 * Builds the request. What a candidate wrote stands only inside strings of one JSON object, because
 * any other delimiter can be forged. No tool is offered. Messages have short names (`m1`), which are mapped
 * back in what is read. What differs between the criteria of a question stands last, so that their requests
 * begin alike. `context`: what was said beside the answer, if it is known.
 */
export function requestOf(
  item: ScoreItem,
  messages: readonly EvidenceMessage[],
  context: RatingContext | null = null,
): ScoreRequest {
  const { rubric, kind, name } = item;
  const prompt = PROMPTS[kind];
  const { question } = rubric;
  const answer = ratedAnswer(rubric.questionId, messages, context);
  const asked = kind === 'criterion' ? criterionShown(rubric, name) : statementOf(rubric, name);
  const content = JSON.stringify({ question, messages: answer.lines, ...asked });
  const heard = context?.heard ?? new HeardWords([question]);
  const read = { messages: answer.messages, question, heard };
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
      input: answer.messages.map(({ id, text }) => ({ messageId: id, sha256: sha256(text) })),
      inputHash: inputHashOf(item, messages),
    },
    read: (output) => (kind === 'criterion' ? readCriterion(output, read) : readFact(output, read)),
  };
}

/**
 * What is rated: question, criterion or fact, and the messages of the answer. It names the same text whatever
 * a request looks like, so that ratings of people and runs of earlier versions still belong to it.
 */
export function inputHashOf(
  { rubric, kind, name }: ScoreItem,
  messages: readonly EvidenceMessage[],
): string {
  const asked = kind === 'criterion' ? criterionData(rubric, name) : factData(rubric, name);
  const own = messages.map(({ id, text }) => ({ id, text }));
  return sha256(JSON.stringify({ question: rubric.question, ...asked, messages: own }));
}

const MAX_OUTPUT_TOKENS = 700;
/** The server's own temperature, so that three samples may differ. */
const PARAMETERS = { maxOutputTokens: MAX_OUTPUT_TOKENS, temperature: "the server's" } as const;

/** What one request asks about. */
export interface ScoreItem {
  readonly rubric: Rubric;
  readonly kind: ItemKind;
  readonly name: string;
}

function criterionData(rubric: Rubric, name: string): object {
  const { anchors } = named<RubricCriterion>(rubric.criteria, name);
  if (anchors === null) return { criterion: { name, rubric: rubric.text } };
  return { criterion: { name, anchors: MARKS.map((mark) => ({ mark, shows: anchors[mark] })) } };
}

/** The same for a rater, in fewer tokens. */
function criterionShown(rubric: Rubric, name: string): object {
  const { anchors } = named<RubricCriterion>(rubric.criteria, name);
  return { criterion: { name, ...(anchors === null ? { rubric: rubric.text } : { anchors }) } };
}

function factData(rubric: Rubric, name: string): { readonly statement: string } {
  return { statement: named<KnockOutFact>(rubric.facts, name).fact };
}

/** Plans that were imported before knockout questions needed facts: their rubric is no statement. */
function statementOf(rubric: Rubric, name: string): { readonly statement: string } {
  const isRubric = name === CONDITION && factData(rubric, name).statement === rubric.text;
  return isRubric ? { statement: YES } : factData(rubric, name);
}

const YES = 'The candidate answers the question with yes.';

function named<T extends { readonly name: string }>(list: readonly T[], name: string): T {
  const found = list.find((each) => each.name === name);
  if (found === undefined) throw new Error(`the rubric has no item "${name}"`);
  return found;
}

/** The criteria and the facts of a rubric, in its order. */
export function itemsOf(rubric: Rubric): ScoreItem[] {
  return [
    ...rubric.criteria.map(({ name }) => ({ rubric, kind: 'criterion' as const, name })),
    ...rubric.facts.map(({ name }) => ({ rubric, kind: 'fact' as const, name })),
  ];
}

/** A request with what it asks about. */
export interface WantedRequest {
  readonly item: ScoreItem;
  readonly request: ScoreRequest;
}

/** One request for each criterion and fact of every question that has an answer, in the order of the plan. */
export function requestsOf(
  plan: InterviewPlan,
  answers: AnswersByQuestion,
  context: RatingContext,
): WantedRequest[] {
  return plan.questions.flatMap((question) => {
    const messages = answers.get(question.id) ?? [];
    if (messages.length === 0) return [];
    return itemsOf(rubricOf(question)).map((item) => ({
      item,
      request: requestOf(item, messages, context),
    }));
  });
}

type Asked = Pick<StoredSample, 'questionId' | 'kind' | 'item' | 'inputHash' | 'input'>;

/** The sample is of this criterion or fact. */
export function isOf(
  { questionId, kind, item: name }: Pick<Asked, 'questionId' | 'kind' | 'item'>,
  { item }: WantedRequest,
): boolean {
  return questionId === item.rubric.questionId && kind === item.kind && name === item.name;
}

/** One of these requests asks what the sample has asked: the same about the same messages. */
export function hasAsked(sample: Asked, requests: readonly WantedRequest[]): boolean {
  const found = requests.find((wanted) => isOf(sample, wanted))?.request.origin;
  const hashesOf = (input: StoredSample['input']): string =>
    input.map(({ messageId, sha256: hash }) => `${messageId} ${hash}`).join();
  return found?.inputHash === sample.inputHash && hashesOf(found.input) === hashesOf(sample.input);
}

/** The hashes of the requests that rate these answers. */
export function inputHashesOf(
  plan: InterviewPlan,
  answers: AnswersByQuestion,
): ReadonlySet<string> {
  const hashes = plan.questions.flatMap((question) => {
    const messages = answers.get(question.id) ?? [];
    if (messages.length === 0) return [];
    return itemsOf(rubricOf(question)).map((item) => inputHashOf(item, messages));
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
