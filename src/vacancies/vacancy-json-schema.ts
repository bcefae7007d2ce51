import { z } from 'zod';
import { vacancySchema } from './vacancy-schema';

/** The JSON Schema (draft 2020-12) of a vacancy's file, made from what the import checks. */
export function vacancyJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(vacancySchema, { io: 'input' }) as JsonSchema;
  for (const { path, schema: of } of keysOf(schema)) {
    const meaning = MEANINGS[path];
    if (meaning !== undefined) of.description = meaning;
  }
  return { ...schema, title: 'A vacancy of Colloquy' };
}

/** What each key of a vacancy's file is for, by its path. Shown by editors and in docs/vacancy-file.md. */
export const MEANINGS: Readonly<Record<string, string>> = {
  slug: 'The name of the vacancy in commands and in its file.',
  language: 'The language of the texts below, and of the interview at its start.',
  title: 'The title of the job, as candidates see it.',
  company: 'Who invites.',
  owner: 'Who is responsible and reads the answers.',
  'owner.name': 'Named to candidates as the person who replies.',
  'owner.notionUserId': 'Whose board gets the page about a finished interview.',
  'owner.country': 'Whose business days count for `replyWithin`.',
  'owner.timeZone': 'Where the days of the owner begin and end.',
  greeting: 'Said before the first question.',
  closing: 'Said after the last question.',
  questions: 'What is asked, word for word, in this order.',
  'questions[].id': 'Never changed after the first interview: answers are stored under it.',
  'questions[].text': 'The question, or one text for each language.',
  'questions[].kind': '`knockout`: a fact of the job that is always asked and never scored.',
  'questions[].mustAsk':
    '`true`: asked in any case, once more if it was left open, or marked as not asked. A knockout question has it.',
  'questions[].rubric':
    'What a good answer has; or criteria with weights and a text for each mark, as in the examples.',
  'questions[].knockOut':
    'Facts of the job that a person checks in the answer, each with `name` and `fact`; a knockout question needs one.',
  'questions[].scored': '`false`: no model rates the answer.',
  'questions[].followUp': 'What to ask after a vague answer.',
  'questions[].followUps':
    'How many follow-ups a good answer may get for what the rubric still lacks; left out, one for an open question with criteria and none for any other.',
  'questions[].probe': 'What such a follow-up asks for.',
  minutes: 'How long the interview takes, as candidates are told.',
  replyWithin: 'When the owner replies after the interview, as candidates are told.',
  receipt: '`true`: candidates see which of their words a scoring quotes.',
  reminders: 'How many reminders a silent candidate gets, for each silence.',
  timeZone: "When it is night, where the candidate's own zone is not known.",
  notices: 'Whose notices stand below the disclosure: `us-co` (Colorado), `us-ca` (California).',
  logo: "The company's logo on the candidate's page.",
  accent: 'The colour of buttons and links; or one for each colour scheme.',
  knowledge: "Documents from which candidates' questions are answered.",
};

/** A part of a JSON Schema, as far as it is walked here. */
export interface JsonSchema {
  type?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  [keyword: string]: unknown;
}

/** One key of the file. */
export interface VacancyKey {
  /** E.g. `questions[].text`. */
  readonly path: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** All keys in the order of the schema, those of objects and lists after the key itself. */
export function keysOf(schema: JsonSchema, prefix = ''): VacancyKey[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, of]) => {
    const path = `${prefix}${name}`;
    const own = { path, schema: of, isRequired: schema.required?.includes(name) === true };
    const items = of.items === undefined ? [] : keysOf(of.items, `${path}[].`);
    const inner = path === 'questions[].knockOut' ? [] : items;
    return [own, ...keysOf(of, `${path}.`), ...inner];
  });
}
