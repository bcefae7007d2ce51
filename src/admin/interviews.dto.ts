import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { ATTENTION_KINDS } from '../attention';
import { isStorable } from '../common/text';
import { INTERVIEW_STAGES } from '../interview';

export const interview = z.object({
  id: z.string().describe('Also of its transcript, files, recordings and events.'),
  state: z
    .enum(INTERVIEW_STAGES)
    .describe(
      'started: it waits for the candidate; waiting_for_us: an answer waits for its reply.',
    ),
  vacancy: z.string().describe('The slug.'),
  candidate: z.object({
    id: z.string(),
    name: z.string().nullable(),
    contact: z.string().nullable(),
  }),
  externalId: z.string().nullable().describe('Of the invitation; null: it has none.'),
  metadata: z.record(z.string(), z.unknown()).describe('Of the invitation, as it was given.'),
  language: z.enum(['ru', 'en']),
  channel: z.string().describe('The name of a channel, such as web or telegram.'),
  openedAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  seenAt: z.iso
    .datetime()
    .nullable()
    .describe('When the candidate last wrote or had the page open; null: never.'),
  waits: z
    .object({ itemId: z.string(), kind: z.enum(ATTENTION_KINDS), since: z.iso.datetime() })
    .nullable()
    .describe(
      'What waits for a person: the oldest open attention item about the interview. Null: nothing, or the caller ' +
        'lacks `attention:read`.',
    ),
  progress: z.object({
    question: z.int().describe('The number of the question that it is at.'),
    of: z.int(),
    unanswered: z.array(z.int()).describe('Numbers of the questions without an answer so far.'),
  }),
});

export class InterviewListDto extends createZodDto(
  z.object({
    items: z.array(interview),
    cursor: z.string().nullable().describe('For the next page; null: this is the last one.'),
  }),
) {}

export class InterviewDto extends createZodDto(
  interview.extend({
    completedAt: z.iso.datetime().nullable(),
    objectedAt: z.iso
      .datetime()
      .nullable()
      .describe('Since then the candidate objects to automated processing: nothing is scored.'),
    coverage: z.object({
      counted: z.enum(['must-ask', 'all']),
      of: z.int(),
      asked: z.int(),
      answered: z.int(),
    }),
    questions: z
      .array(
        z.object({
          id: z.string(),
          text: z.string(),
          kind: z.enum(['open', 'knockout']),
          mustAsk: z.boolean(),
          state: z.enum(['not_asked', 'waiting', 'answered', 'unanswered']),
        }),
      )
      .describe('The plan with which it began. People judge the answers.'),
  }),
) {}

export class WaitingInterviewListDto extends createZodDto(
  z.object({
    items: z.array(interview).describe('The one that waits longest first.'),
    count: z.int().describe('How many there are in all.'),
  }),
) {}

const MAX_PAGE = 100;

export class WaitingQueryDto extends createZodDto(
  z.object({
    vacancy: z.string().min(1).max(100).refine(isStorable).optional().describe('A slug'),
    limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(50),
  }),
) {}
const MAX_TEXT = 200;
const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
/** At most as many as a page has. */
const IDS = new RegExp(`^${UUID}(?:,${UUID}){0,${String(MAX_PAGE - 1)}}$`);

export class InterviewsQueryDto extends createZodDto(
  z.object({
    state: z.enum(INTERVIEW_STAGES).optional(),
    ids: z
      .string()
      .regex(IDS)
      .optional()
      .describe('Only these interviews, as far as they match the rest: ids, separated by commas'),
    vacancy: z.string().min(1).max(100).refine(isStorable).optional().describe('A slug'),
    since: z.iso.datetime().optional().describe('Opened from this time on'),
    until: z.iso.datetime().optional().describe('Opened before this time'),
    text: z
      .string()
      .trim()
      .min(1)
      .max(MAX_TEXT)
      .refine(isStorable, 'no NUL and no broken characters')
      .optional()
      .describe('How words of the name begin, or an external id'),
    cursor: z.uuid().optional(),
    limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(50),
  }),
) {}
