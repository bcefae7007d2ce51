import { z } from 'zod';
import { isStorable } from '../common/text';
import type { VacancyDraft } from './plan';

/**
 * What a vacancy file may hold. Every message says what was expected, in words that follow
 * `questions[3].text: `.
 */

function text(max: number) {
  const expected = `expected 1 to ${String(max)} characters`;
  return z
    .string({ error: missingOr('expected text') })
    .trim()
    .min(1, expected)
    .max(max, expected)
    .refine(isStorable, 'expected text without NUL or broken characters');
}

function missingOr(expected: string): (issue: { input?: unknown }) => string {
  return ({ input }) => (input === undefined ? 'is missing' : expected);
}

function pattern(expression: RegExp, expected: string) {
  return z.string({ error: missingOr(expected) }).regex(expression, expected);
}

const NAME_PARTS = /^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const TRUE_OR_FALSE = 'expected true or false';
const A_MAPPING = missingOr('expected a mapping of keys to values');

const question = z
  .strictObject(
    {
      id: pattern(NAME_PARTS, 'expected 1 to 64 of a-z, 0-9 and single hyphens'),
      text: text(600),
      kind: z.enum(['open', 'knockout'], { error: 'expected open or knockout' }).default('open'),
      mustAsk: z.boolean({ error: TRUE_OR_FALSE }).default(false),
      rubric: text(2000),
      followUp: text(600).optional(),
    },
    { error: A_MAPPING },
  )
  .refine(({ kind, mustAsk }) => kind !== 'knockout' || mustAsk, {
    path: ['mustAsk'],
    message: 'expected true, because a knockout question is always asked',
  });

const owner = z.strictObject(
  {
    name: text(120),
    notionUserId: pattern(UUID, 'expected the UUID of a Notion user'),
  },
  { error: A_MAPPING },
);

const MAX_DOCUMENTS = 20;
const HOW_MANY_DOCUMENTS = `expected at most ${String(MAX_DOCUMENTS)} documents`;
/** From the file's folder downward: no part may lead up or stand for the folder itself. */
const DOCUMENT_PATH = /^(?=.{1,200}$)(?!\/)(?!.*(^|\/)\.{0,2}(\/|$))[^\\:*?"<>|\p{C}]+\.(md|txt)$/u;

const documents = z
  .array(
    pattern(
      DOCUMENT_PATH,
      "expected the path of a .md or .txt file inside this file's folder, like docs/team.en.md",
    ),
    { error: 'expected a list of files' },
  )
  .max(MAX_DOCUMENTS, HOW_MANY_DOCUMENTS)
  .superRefine((names, context) => {
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) === index) continue;
      context.addIssue({ code: 'custom', path: [index], message: 'expected each file once' });
    }
  });

const HOW_MANY = 'expected 1 to 30 questions';

export const vacancySchema = z.strictObject(
  {
    slug: pattern(NAME_PARTS, 'expected 1 to 64 of a-z, 0-9 and single hyphens'),
    language: z.enum(['ru', 'en'], { error: missingOr('expected ru or en') }),
    title: text(160),
    company: text(160),
    owner,
    greeting: text(2000),
    closing: text(2000),
    questions: z
      .array(question, { error: missingOr('expected a list of questions') })
      .min(1, HOW_MANY)
      .max(30, HOW_MANY),
    knowledge: documents.optional(),
  },
  { error: A_MAPPING },
);

export function draftOf(read: z.infer<typeof vacancySchema>): VacancyDraft {
  const {
    slug,
    language,
    title,
    company,
    owner: of,
    greeting,
    closing,
    questions,
    knowledge,
  } = read;
  return {
    slug,
    language,
    title,
    company,
    owner: of,
    plan: {
      greeting,
      closing,
      questions: questions.map(({ followUp, ...rest }) =>
        followUp === undefined ? rest : { ...rest, followUp },
      ),
    },
    ...(knowledge === undefined ? {} : { knowledge }),
  };
}
