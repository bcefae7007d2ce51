import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { isStorable } from '../common/text';

const quotes = z
  .array(z.object({ messageId: z.string(), start: z.int(), end: z.int() }))
  .describe('Passages of the candidate, by the id of a line of the transcript, in UTF-16 units.');

export const scoring = z.object({
  id: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  questions: z
    .array(
      z.object({
        id: z.string(),
        criteria: z.array(
          z.object({
            name: z.string(),
            weight: z.number().describe('Percent of the question.'),
            result: z.enum(['supported', 'absent', 'unscorable']),
            mark: z.number().nullable().describe('From 1 to 5; null: there is none.'),
            quotes,
            isDisputed: z.boolean().describe('The samples differ: a person reads the answer.'),
          }),
        ),
        facts: z.array(
          z.object({
            name: z.string(),
            value: z.enum(['yes', 'no', 'with_conditions', 'unclear']),
            quotes,
          }),
        ),
      }),
    )
    .describe('Those whose scores may be shown.'),
  inShadow: z.array(z.string()).describe('Questions whose scores nobody may see yet.'),
  unrated: z.array(z.string()).describe('Questions that the reviewer has not rated.'),
  overall: z.number().nullable().describe('From 1 to 5; null while anything is missing.'),
});

export class ScorecardDto extends createZodDto(
  z.object({ scorings: z.array(scoring).describe('Oldest first.') }),
) {}

const MAX_NAME = 120;

export class ScorecardQueryDto extends createZodDto(
  z.object({
    reviewer: z
      .string()
      .trim()
      .min(1)
      .max(MAX_NAME)
      .refine(isStorable, 'no NUL and no broken characters')
      .optional()
      .describe('With a key: who looks, a person who has rated the answers'),
  }),
) {}
