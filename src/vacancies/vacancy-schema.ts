import { z } from 'zod';
import { isStorable } from '../common/text';
import { isTimeZone } from '../common/time-zone';
import { accentOf, accentProblem } from './brand';
import { NOTICE_CODES } from './notices';
import { type Criterion, textOfCriteria } from './rubric';
import type { Accent, Language, Question, Translations, VacancyDraft } from './vacancy';

/**
 * What a vacancy's file may contain. A message says what was expected; it is shown after the key's
 * path: `questions[3].text: expected 1 to 600 characters`.
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

/**
 * A value of one of these forms, which `read` tells apart, so that its messages are about the form that was
 * meant. The forms are what the JSON Schema of the file says.
 */
function described<T>(
  forms: readonly z.ZodType[],
  read: (value: unknown, context: z.core.$RefinementCtx) => T,
) {
  const anyOf = forms.map((form) => {
    const { $schema: _, ...schema } = z.toJSONSchema(form, { io: 'input' });
    return schema;
  });
  return z.unknown().meta({ anyOf }).transform(read);
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
/** Said of a key that is not known. */
export const UNKNOWN_KEY = 'is not a known key';
const A_MAPPING = missingOr('expected a mapping of keys to values');
const A_COUNTRY = 'expected a country code of ISO 3166, like IE';

const WEIGHT = 'expected a whole number of percent, from 1 to 100';
const TOTAL_WEIGHT = 100;
const HOW_MANY_CRITERIA = 'expected 1 to 6 criteria';
const HOW_MANY_FACTS = 'expected 1 to 4 facts';

const anchor = text(400);
const anchors = z.strictObject(
  { 1: anchor, 2: anchor, 3: anchor, 4: anchor, 5: anchor },
  {
    error: ({ input }) =>
      input === undefined
        ? 'is missing: expected what an answer with each mark from 1 to 5 shows'
        : 'expected a mapping from each mark, 1 to 5, to what such an answer shows',
  },
);

const criteria = z
  .array(
    z.strictObject(
      {
        name: text(80),
        weight: z
          .int({ error: missingOr(WEIGHT) })
          .min(1, WEIGHT)
          .max(100, WEIGHT),
        anchors,
      },
      { error: A_MAPPING },
    ),
    { error: 'expected text or a list of criteria' },
  )
  .min(1, HOW_MANY_CRITERIA)
  .max(6, HOW_MANY_CRITERIA)
  .superRefine((list, context) => {
    eachNameOnce(list, context);
    const total = list.reduce((sum, { weight }) => sum + weight, 0);
    if (list.length === 0 || total === TOTAL_WEIGHT) return;
    const message = `expected weights that add up to 100, not ${String(total)}`;
    context.addIssue({ code: 'custom', path: [], message });
  });

const facts = z
  .array(z.strictObject({ name: text(80), fact: text(400) }, { error: A_MAPPING }), {
    error: 'expected a list of facts',
  })
  .min(1, HOW_MANY_FACTS)
  .max(4, HOW_MANY_FACTS)
  .superRefine((list, context) => {
    eachNameOnce(list, context);
  });

function eachNameOnce(
  list: readonly { readonly name: string }[],
  context: z.core.$RefinementCtx,
): void {
  const names = list.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) === index) continue;
    const message = 'expected a name of its own in this question';
    context.addIssue({ code: 'custom', path: [index, 'name'], message });
  }
}

/** One text, or criteria with anchors. */
const rubric = described([text(2000), criteria], (value, context): string | Criterion[] => {
  const isText = typeof value === 'string' || value === undefined;
  const read = (isText ? text(2000) : criteria).safeParse(value);
  if (read.success) return read.data;
  reportIssues(read.error, context);
  return z.NEVER;
});

const FOLLOW_UPS = 'expected a whole number from 0 to 2';

/** One text, or one for each language. The vacancy's own language is checked with the whole file. */
function wording(longest: number) {
  const one = text(longest);
  const byLanguage = z.strictObject({ ru: one.optional(), en: one.optional() });
  return described([one, byLanguage], (value, context): Wording => {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    const read = (isMap ? byLanguage : one).safeParse(value);
    if (read.success) return read.data;
    reportIssues(read.error, context);
    return z.NEVER;
  });
}

type Wording = string | { ru?: string | undefined; en?: string | undefined };

const question = z
  .strictObject(
    {
      id: pattern(NAME_PARTS, 'expected 1 to 64 of a-z, 0-9 and single hyphens'),
      text: wording(600),
      kind: z.enum(['open', 'knockout'], { error: 'expected open or knockout' }).default('open'),
      mustAsk: z.boolean({ error: TRUE_OR_FALSE }).default(false),
      rubric,
      knockOut: facts.optional(),
      scored: z.boolean({ error: TRUE_OR_FALSE }).default(true),
      followUp: text(600).optional(),
      followUps: z.int({ error: FOLLOW_UPS }).min(0, FOLLOW_UPS).max(2, FOLLOW_UPS).optional(),
      probe: text(600).optional(),
    },
    { error: A_MAPPING },
  )
  .refine(({ kind, rubric: given }) => kind !== 'knockout' || typeof given === 'string', {
    path: ['rubric'],
    message: 'expected text, because a knockout question is never scored; list facts as knockOut',
  })
  .refine(
    ({ kind, rubric: given, knockOut }) =>
      kind !== 'knockout' || knockOut !== undefined || typeof given !== 'string',
    {
      path: ['knockOut'],
      message:
        'expected at least one fact, because the rubric of a knockout question is no statement that an answer can confirm',
    },
  )
  .refine((read) => read.probe === undefined || (followUpsOf(read) ?? 0) > 0, {
    path: ['probe'],
    message: 'expected followUps of 1 or 2 beside it, because otherwise it is never asked',
  })
  .refine(({ kind, mustAsk }) => kind !== 'knockout' || mustAsk, {
    path: ['mustAsk'],
    message: 'expected true, because a knockout question is always asked',
  });

interface FollowUps {
  readonly kind: Question['kind'];
  readonly rubric: unknown;
  readonly followUps?: number | undefined;
}

/** An open question with criteria may ask once for the evidence that an answer lacks. Undefined: none. */
function followUpsOf({ kind, rubric: of, followUps }: FollowUps): number | undefined {
  const hasCriteria = kind === 'open' && typeof of !== 'string';
  return followUps ?? (hasCriteria ? 1 : undefined);
}

const timeZone = text(60).refine(isTimeZone, 'expected a time zone, like Europe/Dublin');

const owner = z.strictObject(
  {
    name: text(120),
    notionUserId: pattern(UUID, 'expected the UUID of a Notion user').optional(),
    country: pattern(/^[A-Z]{2}$/, A_COUNTRY)
      .refine(isCountry, A_COUNTRY)
      .optional(),
    timeZone: timeZone.optional(),
  },
  { error: A_MAPPING },
);

export const MAX_DOCUMENTS = 20;
const HOW_MANY_DOCUMENTS = `expected at most ${String(MAX_DOCUMENTS)} documents`;
/** Inside the file's folder: no part may be empty, `.` or `..`. */
const PATH = String.raw`^(?=.{1,200}$)(?!\/)(?!.*(^|\/)\.{0,2}(\/|$))[^\\:*?"<>|\p{C}]+`;
const DOCUMENT_PATH = new RegExp(String.raw`${PATH}\.(md|txt)$`, 'u');

/** Whether a document of a vacancy may have this name. */
export function isDocumentName(name: string): boolean {
  return DOCUMENT_PATH.test(name);
}

const LOGO_PATH = new RegExp(String.raw`${PATH}\.(png|svg|webp)$`, 'u');

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

const notices = z
  .array(z.enum(NOTICE_CODES, { error: `expected ${NOTICE_CODES.join(' or ')}` }), {
    error: `expected a list of ${NOTICE_CODES.join(', ')}`,
  })
  .superRefine((codes, context) => {
    for (const [index, code] of codes.entries()) {
      if (codes.indexOf(code) === index) continue;
      context.addIssue({ code: 'custom', path: [index], message: 'expected each code once' });
    }
  });

/** A colour that can be read on the page in this scheme. */
function color(scheme: keyof Accent) {
  return pattern(/^#[0-9a-f]{6}$/i, 'expected a colour like "#1d5a4b", in quotes')
    .toLowerCase()
    .superRefine((value, context) => {
      if (!/^#[0-9a-f]{6}$/.test(value)) return;
      const message = accentProblem(value, scheme);
      if (message !== null) context.addIssue({ code: 'custom', message });
    });
}

const colors = z.strictObject({ light: color('light'), dark: color('dark') }, { error: A_MAPPING });

/** One colour, from which the one for the dark scheme is made, or one for each scheme. */
const accent = described([color('light'), colors], (value, context): Accent => {
  const isOne = typeof value === 'string';
  const read = (isOne ? color('light').transform(accentOf) : colors).safeParse(value);
  if (read.success) return read.data;
  reportIssues(read.error, context);
  return z.NEVER;
});

/** Reports what an inner schema has found, with the paths of its own. */
function reportIssues(error: z.ZodError, context: z.core.$RefinementCtx): void {
  for (const issue of error.issues) {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [];
    for (const key of keys) {
      context.addIssue({ code: 'custom', path: [...issue.path, key], message: UNKNOWN_KEY });
    }
    if (keys.length > 0) continue;
    context.addIssue({ code: 'custom', path: [...issue.path], message: issue.message });
  }
}

const REPLY_WITHIN = /^([1-9]\d?) business days?$/;
const MINUTES = 'expected a whole number of minutes, from 1 to 240';

const HOW_MANY_REMINDERS = 'expected a whole number from 0 to 5';

const HOW_MANY = 'expected 1 to 30 questions';

export const vacancySchema = z
  .strictObject(
    {
      slug: pattern(NAME_PARTS, 'expected 1 to 64 of a-z, 0-9 and single hyphens'),
      language: z.enum(['ru', 'en'], { error: missingOr('expected ru or en') }),
      title: text(160),
      company: text(160),
      owner,
      greeting: wording(2000),
      closing: wording(2000),
      questions: z
        .array(question, { error: missingOr('expected a list of questions') })
        .min(1, HOW_MANY)
        .max(30, HOW_MANY),
      minutes: z.int({ error: MINUTES }).min(1, MINUTES).max(240, MINUTES).optional(),
      replyWithin: pattern(
        REPLY_WITHIN,
        'expected 1 to 99 business days, like "5 business days"',
      ).optional(),
      receipt: z.boolean({ error: 'expected true or false' }).optional(),
      reminders: z
        .int({ error: HOW_MANY_REMINDERS })
        .min(0, HOW_MANY_REMINDERS)
        .max(5, HOW_MANY_REMINDERS)
        .optional(),
      timeZone: timeZone.optional(),
      notices: notices.optional(),
      logo: pattern(
        LOGO_PATH,
        "expected the path of a .png, .svg or .webp file inside this file's folder, like logo.svg",
      ).optional(),
      accent: accent.optional(),
      knowledge: documents.optional(),
    },
    { error: A_MAPPING },
  )
  .superRefine(({ language, greeting, closing, questions }, context) => {
    const checkLanguage = (words: Wording, path: (string | number)[]): void => {
      if (typeof words === 'string' || words[language] !== undefined) return;
      const message = `expected a text in the vacancy's language, ${language}`;
      context.addIssue({ code: 'custom', path, message });
    };
    checkLanguage(greeting, ['greeting']);
    checkLanguage(closing, ['closing']);
    for (const [index, { text: asked }] of questions.entries()) {
      checkLanguage(asked, ['questions', index, 'text']);
    }
  });

function isCountry(code: string): boolean {
  if (!/^[A-Z]{2}$/.test(code)) return true;
  return new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(code) !== undefined;
}

/** What was read, as a draft. `followUp` and the like are left out where the file has none. */
export function draftOf(read: z.infer<typeof vacancySchema>): VacancyDraft {
  const { slug, language, title, company, owner: of } = read;
  const {
    minutes,
    replyWithin,
    receipt,
    reminders,
    timeZone: zone,
    notices: codes = [],
    logo,
    accent: colored,
    knowledge,
  } = read;
  const { text: greeting, translations: greetings } = wordings(read.greeting, language);
  const { text: closing, translations: closings } = wordings(read.closing, language);
  const translations = given({ greeting: greetings, closing: closings });
  const days = replyWithin === undefined ? undefined : Number.parseInt(replyWithin, 10);
  return {
    slug,
    language,
    title,
    company,
    owner: { name: of.name, ...given(of) },
    plan: {
      greeting,
      closing,
      questions: read.questions.map((one) => questionOf(one, language)),
      ...given({
        translations: Object.keys(translations).length === 0 ? undefined : translations,
        minutes,
        replyWithinDays: days,
        receipt: receipt === true ? receipt : undefined,
        reminders,
        timeZone: zone,
      }),
    },
    ...given({
      // In one order, so that the same notices are the same version.
      notices: codes.length === 0 ? undefined : NOTICE_CODES.filter((code) => codes.includes(code)),
      accent: colored,
      logo,
      knowledge,
    }),
  };
}

function questionOf(read: z.infer<typeof question>, language: Language): Question {
  const {
    text: asked,
    rubric: of,
    knockOut,
    scored,
    followUp,
    followUps: _,
    probe,
    ...rest
  } = read;
  const isText = typeof of === 'string';
  return {
    ...rest,
    ...wordings(asked, language),
    rubric: isText ? of : textOfCriteria(of),
    ...given({
      criteria: isText ? undefined : of,
      knockOut,
      isScored: scored ? undefined : (false as const),
      followUp,
      followUps: followUpsOf(read),
      probe,
    }),
  };
}

/** The text in the vacancy's language, and its translations if it has any. */
function wordings(
  words: Wording,
  language: Language,
): { readonly text: string; readonly translations?: Translations } {
  if (typeof words === 'string') return { text: words };
  const { [language]: text = '', ...others } = words;
  const translations = given(others);
  return Object.keys(translations).length === 0 ? { text } : { text, translations };
}

type WithoutUndefined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that have a value. */
function given<T extends object>(fields: T): WithoutUndefined<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as WithoutUndefined<T>;
}
