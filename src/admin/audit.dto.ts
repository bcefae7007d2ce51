import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { isStorable } from '../common/text';
import { MAX_AUDIT_PAGE, SUBJECT_KINDS } from '../privacy';
import { fileForm } from './list-file';

/** 18 digits fit a bigint. */
const ID = /^\d{1,18}$/;
const MAX_TEXT = 120;

function text(description: string) {
  return z
    .string()
    .min(1)
    .max(MAX_TEXT)
    .refine(isStorable, 'no NUL and no broken characters')
    .optional()
    .describe(description);
}

const filter = {
  actor: text(
    'Whose: `user` or `key` with its name, the name of an admin token, `command line`, …',
  ),
  action: text('What was done, e.g. `transcript.read`'),
  subjectId: text('Of whom: the id of a conversation, a candidate, a vacancy, a key or a user'),
  since: z.iso.datetime().optional().describe('From this time on'),
  until: z.iso.datetime().optional().describe('Before this time'),
};

export class AuditExportDto extends createZodDto(z.object({ ...filter, ...fileForm })) {}

export class AuditQueryDto extends createZodDto(
  z.object({
    ...filter,
    beforeId: z.string().regex(ID).optional().describe('An `olderCursor`'),
    limit: z.coerce.number().int().min(1).max(MAX_AUDIT_PAGE).default(100),
  }),
) {}

export class AuditListDto extends createZodDto(
  z.object({
    events: z.array(
      z.object({
        id: z.string(),
        at: z.iso.datetime(),
        actor: z.string(),
        action: z.string(),
        subjectHash: z.string().describe('SHA-256 of the id in lower case: no id is stored'),
        subject: z
          .object({
            kind: z.enum(SUBJECT_KINDS),
            id: z.string().describe('Of a vacancy its slug'),
            name: z
              .string()
              .nullable()
              .describe('Of an interview that of its candidate; null: it is not known'),
          })
          .nullable()
          .describe('What has this hash now; null: it is gone, or of another kind'),
      }),
    ),
    olderCursor: z.string().nullable().describe('`beforeId` for what is older; null: no more'),
  }),
) {}
