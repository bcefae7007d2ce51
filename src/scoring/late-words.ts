import { z } from 'zod';
import { type ModelRequest, objectIn } from '../llm';
import type { InterviewPlan } from '../vacancies';
import type { EvidenceMessage } from './evidence';
import { LATE_PROMPT } from './score-prompts';

/*
 * What candidates write after the end. Courtesies (isCourtesy) need no model; of everything else one request
 * asks to which questions it belongs, so that only those are rated again.
 */

/** A request that names the questions of late messages. */
export interface LateRequest {
  readonly request: Omit<ModelRequest, 'tools'>;
  /** By message the questions that it belongs to. Null: the output cannot be used. */
  readonly read: (output: string) => ReadonlyMap<string, readonly string[]> | null;
}

const MAX_OUTPUT_TOKENS = 700;
/** Of one question and of one message, in UTF-16 units: enough to see what it is about. */
const LONGEST_QUESTION = 300;
const LONGEST_MESSAGE = 2000;
const MOST_MESSAGES = 50;
/** As many as a vacancy's file may have. */
const MOST_QUESTIONS = 30;

const SCHEMA = {
  name: 'late_messages',
  jsonSchema: {
    type: 'object',
    properties: {
      messages: {
        type: 'array',
        maxItems: MOST_MESSAGES,
        items: {
          type: 'object',
          properties: {
            id: { type: 'string' },
            questions: { type: 'array', maxItems: MOST_QUESTIONS, items: { type: 'string' } },
          },
          required: ['id', 'questions'],
          additionalProperties: false,
        },
      },
    },
    required: ['messages'],
    additionalProperties: false,
  },
};

const output = z.object({
  messages: z.array(z.object({ id: z.string(), questions: z.array(z.string()).catch([]) })),
});

/** `answered`: the ids of the questions that have an answer. More messages than one request takes are left. */
export function lateRequest(
  plan: InterviewPlan,
  answered: readonly string[],
  late: readonly EvidenceMessage[],
): LateRequest {
  const questions = plan.questions.filter(({ id }) => answered.includes(id));
  const messages = late.slice(0, MOST_MESSAGES);
  const content = JSON.stringify({
    questions: questions.map(({ text }, index) => ({
      id: `q${String(index + 1)}`,
      text: text.slice(0, LONGEST_QUESTION),
    })),
    messages: messages.map(({ text }, index) => ({
      id: `m${String(index + 1)}`,
      text: text.slice(0, LONGEST_MESSAGE),
    })),
  });
  return {
    request: {
      system: LATE_PROMPT.text,
      messages: [{ role: 'user', content }],
      schema: SCHEMA,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
    },
    read: (text) => {
      const given = messages.map((message) => message.text);
      const read = objectIn(text, (value) => output.safeParse(value).data ?? null, given);
      if (read === null) return null;
      const placed = read.messages.flatMap(({ id, questions: names }) => {
        const message = messages[indexIn(id)];
        if (message === undefined) return [];
        const found = names.flatMap((name) => questions[indexIn(name)]?.id ?? []);
        // A name that exists nowhere is a mistake, not the word that it belongs to none.
        if (found.length === 0 && names.length > 0) return [];
        return [[message.id, [...new Set(found)]] as const];
      });
      return new Map(placed);
    },
  };
}

/** `m2`, `[M2]` and `2` are the second one; -1: none. */
function indexIn(name: string): number {
  const digits = /^\W*[mq]?(\d{1,3})\W*$/i.exec(name)?.[1];
  return digits === undefined ? -1 : Number(digits) - 1;
}
