import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

const language = z.enum(['ru', 'en']);

export const vacancy = z.object({
  slug: z.string(),
  title: z.string(),
  company: z.string(),
  language,
  questions: z.int().describe('How many it asks.'),
  minutes: z.int().describe('How long the interview takes, as candidates are told.'),
  state: z.enum(['open', 'closed']).describe('closed: no new interview begins.'),
  closedAt: z.iso.datetime().nullable(),
  openLink: z.string().describe('Anybody who has it begins an interview.'),
  logo: z.string().nullable().describe('The address of the logo on this server.'),
});

export class VacancyDto extends createZodDto(vacancy) {}

const counts = z.object({
  running: z.int().describe('Under way with the interviewer.'),
  waiting: z.int().describe('A person has them, or is waited for.'),
  finished: z.int().describe('Every question is through.'),
});

export class VacancyListDto extends createZodDto(
  z.object({
    items: z.array(
      vacancy.extend({
        interviews: counts
          .optional()
          .describe('How many, if `counts` asks for it and the caller may read interviews.'),
      }),
    ),
  }),
) {}

export class VacanciesQueryDto extends createZodDto(
  z.object({
    counts: z
      .enum(['interviews'])
      .optional()
      .describe('interviews: with the number of running, waiting and finished ones'),
  }),
) {}

const texts = z
  .object({ en: z.string().optional(), ru: z.string().optional() })
  .describe('By language; the language of the vacancy is always there.');

const plannedQuestion = z.object({
  id: z.string(),
  kind: z.enum(['open', 'knockout']),
  mustAsk: z.boolean(),
  text: texts,
  rubric: z.string().describe('What a good answer has, as text.'),
  criteria: z
    .array(
      z.object({
        name: z.string(),
        weight: z.number().describe('Percent of the question.'),
        anchors: z.array(z.string()).nullable().describe('What each mark from 1 to 5 shows.'),
      }),
    )
    .describe('Empty: the answer is not rated.'),
  facts: z.array(z.object({ name: z.string(), fact: z.string() })),
  followUps: z.int().describe('How many a good answer may get.'),
});

/** A file without mistakes, as it would be stored. */
export const checkedVacancy = z.object({
  slug: z.string(),
  title: z.string(),
  company: z.string(),
  language,
  minutes: z.int().describe('How long candidates are told that it takes.'),
  replyWithinDays: z.int().nullable().describe('Business days; null: no day is promised.'),
  greeting: texts,
  closing: texts,
  questions: z.int(),
  plan: z.array(plannedQuestion),
});

export class VacancyCheckDto extends createZodDto(checkedVacancy) {}

const version = z.object({
  version: z.string().describe('The `ETag` of the file, without its quotes.'),
  madeAt: z.iso.datetime().nullable().describe('Null: before versions were kept.'),
  madeBy: z
    .string()
    .nullable()
    .describe('As the audit names them: `user …`, `key …`, `command line`.'),
  isCurrent: z.boolean(),
});

export class VacancyVersionListDto extends createZodDto(z.object({ items: z.array(version) })) {}

export class VacancyVersionDto extends createZodDto(
  version.extend({ file: z.string().describe('YAML') }),
) {}

export class PreviewDto extends createZodDto(
  z.object({
    link: z.string().describe('Opens the interview once, in one browser.'),
    expiresAt: z.iso.datetime(),
  }),
) {}
