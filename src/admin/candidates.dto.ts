import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { isStorable } from '../common/text';

const candidate = z.object({
  id: z.string(),
  name: z.string().nullable(),
  contact: z.string().nullable(),
  createdAt: z.iso.datetime(),
  externalIds: z.array(z.string()).describe('Of their invitations, the newest first'),
  interviews: z
    .array(z.object({ id: z.string(), vacancy: z.string().describe('The slug') }))
    .describe('The newest first'),
  heldSince: z.iso.datetime().nullable().describe('A legal hold; null: there is none'),
});

export class CandidateListDto extends createZodDto(
  z.object({
    items: z.array(candidate),
    cursor: z.string().nullable().describe('For the next page; null: this is the last one.'),
  }),
) {}

export class CandidateDto extends createZodDto(
  candidate.extend({
    stored: z
      .object({
        interviews: z.int(),
        messages: z.int().describe('Lines of transcripts'),
        recordings: z.int(),
        files: z.int(),
        invitations: z.int(),
        scorings: z.int(),
        ratings: z.int().describe('Of people'),
        decisions: z.int(),
        comments: z.int().describe('Of colleagues, on the interviews'),
      })
      .describe('How much is stored, all of which an erasure deletes'),
    hold: z
      .object({ reason: z.string(), placedBy: z.string(), placedAt: z.iso.datetime() })
      .nullable()
      .describe('A legal hold, which stops retention and no erasure; null: there is none'),
    keptDays: z
      .int()
      .nullable()
      .describe('For how many days the policy keeps what they said; null: until it is erased'),
  }),
) {}

const MAX_PAGE = 100;
const MAX_TEXT = 200;

export class CandidatesQueryDto extends createZodDto(
  z.object({
    text: z
      .string()
      .trim()
      .min(1)
      .max(MAX_TEXT)
      .refine(isStorable, 'no NUL and no broken characters')
      .optional()
      .describe('How words of the name begin, an external id, or the id'),
    cursor: z.uuid().optional(),
    limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(50),
  }),
) {}

export class ErasedDto extends createZodDto(
  z.object({
    /** False: nothing was stored under this id, perhaps not any more. */
    isFound: z.boolean(),
    conversations: z.int(),
    messages: z.int(),
  }),
) {}
