import type { InterviewPlan, Language, Question } from '../../vacancies';
import type { ModelRequest, OfferedTool } from '../../llm';
import { closingWith } from '../plan/after-end';
import { textIn } from '../plan/plan-texts';
import { advance, type InterviewState, waitingQuestion } from '../plan/state';
import { type Verdict, VERDICTS } from '../plan/verdicts';
import { beginsAlike } from './beginnings';
import { type Agent, instructionsFor, type Moment, sentencesFor } from './instructions';

/**
 * Builds the request of a turn. Everything that a candidate wrote is inside strings of one JSON object,
 * because any other delimiter can be forged.
 *
 * Model servers reuse, at a fraction of the price, the beginning that a prompt shares with an earlier one.
 * So instructions and schema are the same for a whole interview, and nothing that changes stands before
 * something that does not: the plan and the documents, then the transcript, to which lines are only added and
 * which ends with the answer, and then what holds now.
 */
export function buildInterviewRequest(prompt: InterviewPrompt): ModelRequest {
  const isSearched = prompt.canSearch || prompt.searches.length > 0;
  return {
    system: instructionsFor(prompt.language, { isSearched }),
    messages: [{ role: 'user', content: JSON.stringify(dataOf(prompt)) }],
    schema: { name: 'interview_reply', jsonSchema: SCHEMA },
    ...(prompt.canSearch ? { tools: [SEARCH_KNOWLEDGE] } : {}),
    maxOutputTokens: prompt.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS,
  };
}

const DEFAULT_OUTPUT_TOKENS = 1000;

export interface InterviewPrompt {
  readonly facts: InterviewFacts;
  readonly vacancy: { readonly title: string; readonly company: string };
  readonly language: Language;
  readonly plan: InterviewPlan;
  readonly state: InterviewState;
  /** Oldest first; only the end of it is sent. */
  readonly history: readonly PromptLine[];
  /** There are older lines than `history` has. */
  readonly hasOlder?: boolean;
  /** In the candidate's own words: without what others wrote. */
  readonly answer: string;
  /** The messages that the answer consists of, in order: its lines in the prompt. */
  readonly messages: readonly AnswerMessage[];
  /** New texts of earlier messages that came together with the answer. */
  readonly corrections: readonly string[];
  readonly allowedVerdicts: readonly Verdict[];
  readonly isAddendum: boolean;
  /** The answer consists only of such new texts. */
  readonly isCorrection: boolean;
  readonly agent: Agent;
  /** All passages of the vacancy, if they are few; left out: they are searched, or there are none. */
  readonly documents?: readonly PromptPassage[];
  /** What was searched for during this turn, oldest first. */
  readonly searches: readonly PromptSearch[];
  /** The vacancy's documents may be searched (again). */
  readonly canSearch: boolean;
  readonly maxOutputTokens?: number;
}

/**
 * What a reply may say of the interview itself, as sentences in the candidate's language. A reply names
 * them as its sources.
 */
export interface InterviewFacts {
  /** Which question waits, and of how many, and about how many minutes are left. */
  readonly progress: string;
  /** What the candidate agreed to. */
  readonly disclosure: string;
  /** Who reads the interview. */
  readonly readers: string;
}

/** One earlier line of the conversation. */
export interface PromptLine {
  /** `team`: a person of the hiring team. */
  readonly role: 'candidate' | 'interviewer' | 'team';
  /** The number by which a correction names a message of the candidate. */
  readonly n?: number;
  /** Without the question of the plan at its end, which `asked` stands for. */
  readonly text: string;
  /** The number of the question of the plan that the interviewer put at the end of it. */
  readonly asked?: number;
  /** It is the transcript of a voice message. */
  readonly isVoice?: boolean;
  /** It replaces an earlier line of the candidate. */
  readonly isCorrection?: boolean;
  /** What it was read as, in the form in which the model writes it: `addition 2`. */
  readonly label?: string;
  /** Who wrote it, if the candidate only passed it on. */
  readonly from?: string;
  /** The words that it refers to. */
  readonly repliesTo?: string;
}

/** One message of the answer. */
export interface AnswerMessage {
  /** Its sequence number in the conversation. */
  readonly n: number;
  readonly text: string;
  /** As in PromptLine. */
  readonly from?: string;
  readonly repliesTo?: string;
  readonly isVoice?: boolean;
}

export interface PromptSearch {
  readonly query: string;
  readonly passages: readonly PromptPassage[];
}

/** A passage of the vacancy's documents. */
export interface PromptPassage {
  readonly id: string;
  readonly document: string;
  readonly headings: readonly string[];
  readonly text: string;
}

/** The passages that a reply may name, without duplicates; the first has the number 1. */
export function passagesOf({
  documents = [],
  searches,
}: Pick<InterviewPrompt, 'documents' | 'searches'>): PromptPassage[] {
  const found = [...documents, ...searches.flatMap(({ passages }) => passages)];
  return [...new Map(found.map((passage) => [passage.id, passage])).values()];
}

export const SEARCH_KNOWLEDGE: OfferedTool = {
  name: 'search_knowledge',
  description: "Searches the documents of the company and the vacancy for a candidate's question.",
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string' } },
    required: ['query'],
    additionalProperties: false,
  },
};

/**
 * Longest answer in a prompt, in UTF-16 units. With the default INTERVIEW_BUFFER_MAX_CHARS one buffer
 * holds less, so only merged answers are cut.
 */
export const MAX_ANSWER_LENGTH = 40_000;
/** Longest line of the transcript in a prompt, in UTF-16 units. */
export const MAX_LINE_LENGTH = 2_000;

function dataOf(prompt: InterviewPrompt): object {
  const { lines, isShortened } = shownLines(prompt);
  return {
    ...dataOfInterview(prompt),
    transcript: [...lines.map(lineData), ...answerLines(prompt)],
    ...dataOfTurn(prompt, isShortened),
  };
}

/** The same in every request of the interview. */
function dataOfInterview({
  vacancy,
  facts,
  plan,
  language,
  documents = [],
}: InterviewPrompt): object {
  const { disclosure, readers } = facts;
  return {
    vacancy: { title: vacancy.title, company: vacancy.company },
    disclosure,
    readers,
    // By their numbers, which count from 1.
    questions: Object.fromEntries(
      plan.questions.map((question, index) => [index + 1, textIn(question, language)] as const),
    ),
    ...(documents.length === 0 ? {} : { passages: passageData(documents) }),
  };
}

/** What holds now. */
function dataOfTurn(prompt: InterviewPrompt, isShortened: boolean): object {
  const { facts, messages, corrections, searches, allowedVerdicts } = prompt;
  const now = sentencesFor(momentOf(prompt, isShortened));
  const notNow = VERDICTS.filter((verdict) => !allowedVerdicts.includes(verdict));
  return {
    progress: facts.progress,
    question: waitingData(prompt),
    ...(now.length === 0 ? {} : { now }),
    ...(notNow.length === 0 ? {} : { notNow }),
    ...(searches.length === 0 ? {} : foundIn(prompt)),
    ...(corrections.length === 0
      ? {}
      : { corrections: corrections.map((text) => shorten(text, MAX_LINE_LENGTH)) }),
    answer: messages.map(({ n }) => n),
  };
}

function momentOf(prompt: InterviewPrompt, isShortened: boolean): Moment {
  const { plan, state, language, history, agent, isAddendum, isCorrection } = prompt;
  const { isLeaving, isCallingPerson } = state;
  const waiting = waitingQuestion(plan, state)?.id;
  const isTouched = state.touched.some(({ id }) => id === waiting);
  const isLast = waitingQuestion(plan, advance(plan, state, 'answered')) === undefined;
  const { canSearch, documents = [], searches } = prompt;
  const canAnswer = canSearch || documents.length + searches.length > 0;
  const closing =
    waiting !== undefined && isLast ? closingWith(plan, { language, canAnswer }) : null;
  const told = { isAddendum, isCorrection, isTouched, closing };
  const isRepeating = beginsAlike(history);
  return { agent, ...told, isLeaving, isCallingPerson, isShortened, isRepeating };
}

/** The waiting question by its number, with what a good answer shows, and how to ask more if that fits now. */
function waitingData({ plan, state, allowedVerdicts }: InterviewPrompt): object | null {
  const question = waitingQuestion(plan, state);
  if (question === undefined) return null;
  const { followUp, probe } = question;
  const has = (words: string | undefined, verdict: Verdict): boolean =>
    words !== undefined && allowedVerdicts.includes(verdict);
  return {
    n: plan.questions.indexOf(question) + 1,
    shows: shownBy(question),
    ...(has(followUp, 'vague') ? { followUp } : {}),
    ...(has(probe, 'follow_up') ? { probe } : {}),
  };
}

/** A good answer: the middle and the good anchor of each criterion, or the rubric as it is written. */
function shownBy({ rubric, criteria }: Question): string | Readonly<Record<string, string>> {
  if (criteria === undefined) return rubric;
  return Object.fromEntries(
    criteria.map(({ name, anchors }) => [name, `${anchors[3]} ${anchors[4]}`] as const),
  );
}

function foundIn(prompt: InterviewPrompt): object {
  const searchedFor = prompt.searches.map(({ query }) => query);
  return { searchedFor, passages: passageData(passagesOf(prompt)) };
}

function passageData(passages: readonly PromptPassage[]): object[] {
  return passages.map(({ document, headings, text }, index) => ({
    n: index + 1,
    document,
    headings,
    text,
  }));
}

const MAX_HISTORY_LENGTH = 12_000;
/** So much is left out at once, so that the transcript begins with the same line for several turns. */
const HISTORY_STEP = 4_000;

/** The newest lines that fit, oldest first. */
function shownLines({ history, hasOlder = false }: InterviewPrompt): {
  readonly lines: readonly PromptLine[];
  readonly isShortened: boolean;
} {
  const lengths = history.map(({ text }) => Math.min(text.length, MAX_LINE_LENGTH));
  const excess = lengths.reduce((sum, length) => sum + length, 0) - MAX_HISTORY_LENGTH;
  const leftOut = Math.ceil(Math.max(0, excess) / HISTORY_STEP) * HISTORY_STEP;
  let passed = 0;
  const first = lengths.findIndex((length) => {
    const isShown = passed >= leftOut;
    passed += length;
    return isShown;
  });
  const lines = first < 0 ? [] : withoutPlainLabels(history).slice(first);
  return { lines, isShortened: hasOlder || lines.length < history.length };
}

/** An answer to the question that was asked before it needs no label. */
function withoutPlainLabels(history: readonly PromptLine[]): PromptLine[] {
  let asked = 0;
  return history.map(({ label, ...line }) => {
    asked = line.asked ?? asked;
    return label === undefined || label === `answer ${String(asked)}` ? line : { ...line, label };
  });
}

/**
 * The answer as lines, because the next request has them there too and shares its beginning with this one as
 * far as their end. Only its length is bounded, not that of each line.
 */
function answerLines({ messages }: InterviewPrompt): object[] {
  let left = MAX_ANSWER_LENGTH;
  return messages.map(({ text, ...message }) => {
    const shown = shorten(text, left);
    left = Math.max(0, left - text.length);
    return lineOf({ role: 'candidate', ...message, text: shown });
  });
}

function lineData(line: PromptLine): object {
  return lineOf({ ...line, text: shorten(line.text, MAX_LINE_LENGTH) });
}

/**
 * A question at the end of a line is only named: its words stand among the questions. What is known only
 * later stands behind the text.
 */
function lineOf({ text, asked, label, ...line }: PromptLine): object {
  return {
    ...line,
    ...(text === '' && asked !== undefined ? {} : { text }),
    ...(asked === undefined ? {} : { asked }),
    ...(label === undefined ? {} : { label }),
  };
}

/** Cut at a whole code point; an ellipsis shows that something is missing. */
function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** What code decides on comes before the first word of the text; the labels come after it. */
const FIELDS = ['sources', 'asks', 'about', 'touches', 'text', 'labels'] as const;

/** One for the whole interview: which verdicts fit now stands in the data, and code decides. */
const SCHEMA = {
  type: 'object',
  properties: {
    verdict: { type: 'string', enum: [...VERDICTS] },
    ...Object.fromEntries(FIELDS.map((field) => [field, { type: 'string' }])),
  },
  required: ['verdict', ...FIELDS],
  additionalProperties: false,
};

export const FACT_SOURCES = ['progress', 'disclosure', 'readers'] as const;
