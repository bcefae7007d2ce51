import type { InterviewPlan, Language } from '../../hiring';
import type { ModelRequest } from '../../llm';
import { type InterviewState, type Verdict, waitingQuestion } from '../plan';
import { instructionsFor } from './instructions';

/** One earlier line of the conversation. */
export interface TranscriptLine {
  readonly role: 'candidate' | 'interviewer';
  readonly text: string;
}

export interface InterviewPrompt {
  readonly vacancy: { readonly title: string; readonly company: string };
  readonly language: Language;
  readonly plan: InterviewPlan;
  readonly state: InterviewState;
  /** Oldest first; only the end of it is sent. */
  readonly history: readonly TranscriptLine[];
  readonly answer: string;
  readonly allowedVerdicts: readonly Verdict[];
  readonly isAddendum: boolean;
  readonly maxOutputTokens?: number;
}

const DEFAULT_OUTPUT_TOKENS = 1000;
/** UTF-16 units. The answer's bound is above what a buffer holds: only merged ones reach it. */
const MAX_ANSWER_LENGTH = 40_000;
const MAX_LINE_LENGTH = 2_000;
const MAX_HISTORY_LENGTH = 12_000;

/**
 * The one request of a turn. All that a candidate wrote stands inside strings of one JSON object:
 * any other delimiter can be forged.
 */
export function buildInterviewRequest(prompt: InterviewPrompt): ModelRequest {
  const { language, allowedVerdicts, isAddendum, state } = prompt;
  const { isLeaving } = state;
  return {
    system: instructionsFor({ language, allowedVerdicts, isAddendum, isLeaving }),
    messages: [{ role: 'user', content: JSON.stringify(dataOf(prompt)) }],
    schema: { name: 'interview_reply', jsonSchema: schemaFor(allowedVerdicts) },
    maxOutputTokens: prompt.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS,
  };
}

function dataOf({ vacancy, plan, state, history, answer }: InterviewPrompt): object {
  const question = waitingQuestion(plan, state);
  return {
    vacancy: { title: vacancy.title, company: vacancy.company },
    transcript: lastLines(history),
    question:
      question === undefined
        ? null
        : {
            text: question.text,
            rubric: question.rubric,
            ...(question.followUp === undefined ? {} : { followUp: question.followUp }),
          },
    answer: shorten(answer, MAX_ANSWER_LENGTH),
  };
}

/** The newest lines that fit, oldest first. */
function lastLines(history: readonly TranscriptLine[]): TranscriptLine[] {
  const lines: TranscriptLine[] = [];
  let length = 0;
  for (const { role, text } of history.toReversed()) {
    const line = { role, text: shorten(text, MAX_LINE_LENGTH) };
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

/** `verdict` comes first, so that code can decide before the first word of the text. */
function schemaFor(allowedVerdicts: readonly Verdict[]): object {
  return {
    type: 'object',
    properties: {
      verdict: { type: 'string', enum: [...allowedVerdicts] },
      text: { type: 'string' },
    },
    required: ['verdict', 'text'],
    additionalProperties: false,
  };
}
