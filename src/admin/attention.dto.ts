import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { ATTENTION_KINDS } from '../attention';
import { isStorable } from '../common/text';
import { MAX_PERSON_REPLY } from '../interview';

/** A heading of a document, which has at most 160 characters. */
const MAX_QUESTION = 160;

/** 18 digits fit a bigint. */
const ID = /^\d{1,18}$/;

function text(max: number) {
  return z.string().trim().min(1).max(max).refine(isStorable, 'no NUL and no broken characters');
}

/** The interview that an item is about. */
export const about = z.object({
  candidate: z
    .string()
    .nullable()
    .describe('Null: they have given no name, or the caller lacks `interviews:read`.'),
  vacancy: z.string().describe('The slug.'),
  vacancyTitle: z.string(),
  language: z.enum(['ru', 'en']),
  channel: z.string().describe('Where the candidate wrote last.'),
  status: z.enum(['new', 'declined', 'active', 'completed', 'withdrawn', 'handed_over', 'expired']),
  owner: z
    .enum(['model', 'asked', 'person'])
    .describe(
      'Who replies; `asked`: the candidate waits for a person, and no person has written yet.',
    ),
  openQuestion: z
    .string()
    .nullable()
    .describe(
      'The question of the plan that waits for an answer, also while the interview pauses.',
    ),
  candidateQuestion: z
    .string()
    .nullable()
    .describe(
      'What the candidate asked, in their words; only of the kind `question` and with `interviews:read`. ' +
        'The audit notes that it was read.',
    ),
});

/** Who has an item, and with it all other items about the same interview. */
const claim = z.object({
  heldBy: z.string().describe('As the audit names it: `user Ada Lovelace`, `key crm`.'),
  since: z.iso.datetime(),
  until: z.iso.datetime().describe('It ends then, unless its holder does something before.'),
});

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
  about: about.nullable().describe('Null: it is about no interview.'),
  claim: claim.nullable().describe('Null: nobody has it.'),
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
    kind: z.enum(ATTENTION_KINDS).optional(),
    vacancy: z
      .string()
      .max(200)
      .refine(isStorable, 'no NUL and no broken characters')
      .optional()
      .describe('The slug: only items about interviews for this vacancy'),
    limit: z.coerce.number().int().min(1).max(200).default(100),
  }),
) {
  static readonly formerNames = FORMER_NAMES;
}

const by = text(120)
  .optional()
  .describe('Who it is; of keys and tokens alone. Of people it is the name of their session.');

export class AttentionCloseDto extends createZodDto(z.object({ by, resolution: text(1000) })) {
  static readonly formerNames = FORMER_NAMES;
}

const messageId = z
  .uuid()
  .optional()
  .describe('Id for the message, made by the client: a retry with the same id stores it once');

export class AttentionReplyDto extends createZodDto(
  z.object({
    text: text(MAX_PERSON_REPLY),
    id: messageId,
  }),
) {
  static readonly formerNames = FORMER_NAMES;
}

export class AttentionAnswerDto extends createZodDto(
  z.object({
    text: text(MAX_PERSON_REPLY),
    id: messageId,
    question: text(MAX_QUESTION)
      .optional()
      .describe(
        'Keeps the answer under this question in the document "Questions and answers" of the vacancy. In words of ' +
          'your own, because an erasure of the candidate leaves it there. It needs the scope `vacancies:write`.',
      ),
  }),
) {}

const from = text(200)
  .optional()
  .describe('Who has it now, as `claim.heldBy` says: it is taken from them, and from nobody else');

export class AttentionClaimDto extends createZodDto(z.object({ from }).prefault({})) {}

export class AttentionReturnDto extends createZodDto(z.object({ by }).prefault({})) {
  static readonly formerNames = FORMER_NAMES;
}
