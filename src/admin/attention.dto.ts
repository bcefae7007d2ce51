import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { ATTENTION_KINDS } from '../attention';
import { isStorable } from '../common/text';
import { MAX_PERSON_REPLY } from '../interview';

/** 18 digits fit a bigint. */
const ID = /^\d{1,18}$/;

function text(max: number) {
  return z.string().trim().min(1).max(max).refine(isStorable, 'no NUL and no broken characters');
}

export const item = z.object({
  id: z.string(),
  kind: z.enum(ATTENTION_KINDS),
  subject: z.string(),
  conversationId: z.string().nullable(),
  jobId: z.string().nullable(),
  reason: z.string(),
  createdAt: z.iso.datetime(),
  closedAt: z.iso.datetime().nullable(),
  closedBy: z.string().nullable(),
  resolution: z.string().nullable(),
  isReplayable: z.boolean(),
  under: z
    .string()
    .nullable()
    .describe('Subject of the item under which this one is listed while that one is open'),
  itemCount: z
    .number()
    .int()
    .describe('How many open items are listed under this one; the query `under` returns them'),
});

export class AttentionItemDto extends createZodDto(item) {}

export class AttentionListDto extends createZodDto(z.object({ items: z.array(item) })) {}

/** What fields of this API were called before. */
const FORMER_NAMES = { taskId: 'jobId' };

export class AttentionQueryDto extends createZodDto(
  z.object({
    state: z.enum(['open', 'closed', 'all']).default('open'),
    afterId: z.string().regex(ID).optional(),
    under: z
      .string()
      .regex(ID)
      .optional()
      .describe('Id of an item: the open items that are listed under it, each with its own id'),
    limit: z.coerce.number().int().min(1).max(200).default(100),
  }),
) {
  static readonly formerNames = FORMER_NAMES;
}

export class AttentionCloseDto extends createZodDto(
  z.object({ by: text(120), resolution: text(1000) }),
) {
  static readonly formerNames = FORMER_NAMES;
}

export class AttentionReplyDto extends createZodDto(
  z.object({
    text: text(MAX_PERSON_REPLY),
    id: z
      .uuid()
      .optional()
      .describe('Id for the message, made by the client: a retry with the same id stores it once'),
  }),
) {
  static readonly formerNames = FORMER_NAMES;
}

export class AttentionReturnDto extends createZodDto(z.object({ by: text(120) })) {
  static readonly formerNames = FORMER_NAMES;
}
