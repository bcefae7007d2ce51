import type { InterviewPlan, Language } from '../../vacancies';
import type { ModelRequest, OfferedTool } from '../../llm';
import { textIn } from '../plan/plan-texts';
import { type InterviewState, waitingQuestion } from '../plan/state';
import type { Verdict } from '../plan/verdicts';
import { type Agent, instructionsFor } from './instructions';

/**
 * Builds the request of a turn. Everything that a candidate wrote is inside strings of one JSON object,
 * because any other delimiter can be forged.
 */
export function buildInterviewRequest(prompt: InterviewPrompt): ModelRequest {
  const { allowedVerdicts, canSearch, state } = prompt;
  const { isLeaving, isCallingPerson } = state;
  const hasCorrections = prompt.corrections.length > 0;
  const waiting = waitingQuestion(prompt.plan, state)?.id;
  const isTouched = state.touched.some(({ id }) => id === waiting);
  const all = [...prompt.history, ...prompt.messages];
  const hasForwarded = all.some(({ from }) => from !== undefined);
  const hasReplies = all.some(({ repliesTo }) => repliesTo !== undefined);
  const marked = { hasForwarded, hasReplies };
  const choices = { isLeaving, isCallingPerson, hasCorrections, isTouched, ...marked };
  return {
    system: instructionsFor({ ...prompt, ...choices }),
    messages: [{ role: 'user', content: JSON.stringify(dataOf(prompt)) }],
    schema: { name: 'interview_reply', jsonSchema: schemaFor(allowedVerdicts) },
    ...(canSearch ? { tools: [SEARCH_KNOWLEDGE] } : {}),
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
  /** In the candidate's own words: without what others wrote. */
  readonly answer: string;
  /** The messages that the answer consists of, in order. */
  readonly messages: readonly AnswerMessage[];
  /** New texts of earlier messages that came together with the answer. */
  readonly corrections: readonly string[];
  /** The answer or the transcript contains names of the candidate's files. */
  readonly hasFiles: boolean;
  readonly allowedVerdicts: readonly Verdict[];
  readonly isAddendum: boolean;
  /** The answer consists only of such new texts. */
  readonly isCorrection: boolean;
  readonly agent: Agent;
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
  /** Which question waits, and of how many. */
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
  readonly text: string;
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

/** The passages that were found, without duplicates; the first has the number 1. */
export function passagesOf(searches: readonly PromptSearch[]): PromptPassage[] {
  const found = searches.flatMap(({ passages }) => passages);
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
  const { vacancy, facts, plan, state, history, answer, corrections, searches } = prompt;
  const question = waitingQuestion(plan, state);
  return {
    vacancy: { title: vacancy.title, company: vacancy.company },
    interview: facts,
    transcript: lastLines(history),
    question:
      question === undefined
        ? null
        : {
            text: textIn(question, prompt.language),
            rubric: question.rubric,
            ...(question.followUp === undefined ? {} : { followUp: question.followUp }),
            ...(question.probe === undefined ? {} : { probe: question.probe }),
          },
    ...otherQuestions(prompt),
    answer: shorten(answer, MAX_ANSWER_LENGTH),
    ...(prompt.messages.length < 2 && !prompt.messages.some(isMarked)
      ? {}
      : { messages: prompt.messages.map(messageData) }),
    ...(corrections.length === 0
      ? {}
      : { corrections: corrections.map((text) => shorten(text, MAX_LINE_LENGTH)) }),
    ...(searches.length === 0 ? {} : foundIn(searches)),
  };
}

function isMarked({ from, repliesTo }: AnswerMessage): boolean {
  return from !== undefined || repliesTo !== undefined;
}

/** How much of a message is shown beside its number; the answer holds the whole of it. */
const MAX_BEGINNING_LENGTH = 80;

/** What others wrote is no part of the answer, so its whole text is here. */
function messageData({ n, text, from, repliesTo }: AnswerMessage): object {
  const refers = repliesTo === undefined ? {} : { repliesTo };
  if (from !== undefined) return { n, from, text: shorten(text, MAX_LINE_LENGTH), ...refers };
  return { n, begins: shorten(text, MAX_BEGINNING_LENGTH), ...refers };
}

/** The questions that were answered before, and those that are still to come, by their numbers. */
function otherQuestions({ plan, state, language }: InterviewPrompt): object {
  const settled = new Set(state.settled.map(({ id }) => id));
  const all = plan.questions.map((question, index) => ({
    id: question.id,
    n: index + 1,
    text: textIn(question, language),
  }));
  const shown = (of: typeof all): object[] => of.map(({ n, text }) => ({ n, text }));
  const earlier = all.filter(({ id }) => settled.has(id));
  const remaining = all.slice(state.questionIndex + 1);
  return {
    ...(earlier.length === 0 ? {} : { earlierQuestions: shown(earlier) }),
    ...(remaining.length === 0 ? {} : { remainingQuestions: shown(remaining) }),
  };
}

function foundIn(searches: readonly PromptSearch[]): object {
  const passages = passagesOf(searches).map(({ document, headings, text }, index) => ({
    n: index + 1,
    document,
    headings,
    text,
  }));
  return { searchedFor: searches.map(({ query }) => query), passages };
}

const MAX_HISTORY_LENGTH = 12_000;

/** The newest lines that fit, oldest first. */
function lastLines(history: readonly PromptLine[]): PromptLine[] {
  const lines: PromptLine[] = [];
  let length = 0;
  for (const said of history.toReversed()) {
    const line = { ...said, text: shorten(said.text, MAX_LINE_LENGTH) };
    length += line.text.length;
    if (length > MAX_HISTORY_LENGTH) break;
    lines.push(line);
  }
  return lines.reverse();
}

/** Cut at a whole code point; an ellipsis shows that something is missing. */
function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** What code decides on comes before the first word of the text; the labels come after it. */
const FIELDS = ['sources', 'asks', 'about', 'touches', 'text', 'labels'] as const;

function schemaFor(allowedVerdicts: readonly Verdict[]): object {
  return {
    type: 'object',
    properties: {
      verdict: { type: 'string', enum: [...allowedVerdicts] },
      ...Object.fromEntries(FIELDS.map((field) => [field, { type: 'string' }])),
    },
    required: ['verdict', ...FIELDS],
    additionalProperties: false,
  };
}

export const FACT_SOURCES = ['progress', 'disclosure', 'readers'] as const;
