import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { isStorable } from '../common/text';

export const decision = z.object({
  id: z.string(),
  candidateId: z.string(),
  decidedBy: z.string(),
  reason: z.string(),
  decidedAt: z.iso.datetime(),
  isAdverse: z.boolean().describe('It is against the candidate.'),
  letterBy: z.string().nullable().describe('Who wrote the letter about it; null: nobody has.'),
  letterAt: z.iso.datetime().nullable(),
});

export class DecisionDto extends createZodDto(decision) {}

export class DecisionListDto extends createZodDto(
  z.object({
    items: z.array(decision),
    cursor: z.string().nullable().describe('For the next page; null: this is the last one.'),
  }),
) {}

export const MAX_PAGE = 100;
/** 18 digits fit a bigint. */
export const ID = /^\d{1,18}$/;

export class DecisionsQueryDto extends createZodDto(
  z.object({
    vacancy: z
      .string()
      .min(1)
      .max(100)
      .refine(isStorable)
      .optional()
      .describe('A slug: about candidates who were interviewed for it'),
    cursor: z.string().regex(ID).optional(),
    limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(50),
  }),
) {}

/** Of responses only: the bytes of a file are sent as they were signed. */
export class DecisionFileDto extends createZodDto(
  z.object({
    format: z.literal('colloquy-decision/1'),
    payload: z
      .looseObject({
        n: z.int().describe('Its number in the chain, from 1.'),
        previous: z.string().nullable().describe('SHA-256 of the file before it; null: none is.'),
        madeAt: z.iso.datetime(),
        candidateId: z.string(),
        decisions: z.array(z.looseObject({})),
        interviews: z.array(z.looseObject({})),
      })
      .describe('What was decided, by whom, why, and what it was based on.'),
    signature: z.string().describe('Ed25519, over the bytes before it, as hex.'),
  }),
) {}

export class InterviewDecisionsDto extends createZodDto(
  z.object({ items: z.array(decision).describe('The newest first.') }),
) {}

const MAX_REASON = 2000;

export class DecisionCreateDto extends createZodDto(
  z.object({
    isAdverse: z.boolean().describe('It is against the candidate.'),
    reason: z
      .string()
      .trim()
      .min(1)
      .max(MAX_REASON)
      .refine(isStorable, 'no NUL and no broken characters')
      .describe('The signed file and the letter to the candidate quote it.'),
  }),
) {}
