import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { ATTENTION_KINDS } from '../attention';
import { isStorable } from '../common/text';
import { MAX_PERSON_REPLY } from '../interview';

/** A bigint's digits that are sure to fit one. */
const ID = /^\d{1,18}$/;

function text(max: number) {
  return z.string().trim().min(1).max(max).refine(isStorable, 'no NUL and no broken characters');
}

const item = z.object({
  id: z.string(),
  kind: z.enum(ATTENTION_KINDS),
  subject: z.string(),
  conversationId: z.string().nullable(),
  taskId: z.string().nullable(),
  reason: z.string(),
  createdAt: z.iso.datetime(),
  closedAt: z.iso.datetime().nullable(),
  closedBy: z.string().nullable(),
  resolution: z.string().nullable(),
  isReplayable: z.boolean(),
});

export class AttentionItemDto extends createZodDto(item) {}

export class AttentionListDto extends createZodDto(z.object({ items: z.array(item) })) {}

export class AttentionQueryDto extends createZodDto(
  z.object({
    state: z.enum(['open', 'closed', 'all']).default('open'),
    afterId: z.string().regex(ID).optional(),
    limit: z.coerce.number().int().min(1).max(200).default(100),
  }),
) {}

export class AttentionCloseDto extends createZodDto(
  z.object({ by: text(120), resolution: text(1000) }),
) {}

export class AttentionReplyDto extends createZodDto(z.object({ text: text(MAX_PERSON_REPLY) })) {}

export class AttentionReturnDto extends createZodDto(z.object({ by: text(120) })) {}
