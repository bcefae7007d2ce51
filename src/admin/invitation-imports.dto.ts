import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { ROW_STATES, type ShownRow } from '../invitations';

const progress = z.object({
  id: z.string(),
  vacancy: z.string().describe('The slug of the vacancy.'),
  state: z.enum(['running', 'finished']),
  rows: z.int(),
  created: z.int().describe('Rows whose invitation exists.'),
  refused: z.int().describe('Rows that are not stored; each says why.'),
  waiting: z.int().describe('Rows that are still to be stored.'),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
});

export class ImportDto extends createZodDto(progress) {}

export class AcceptedImportDto extends createZodDto(
  progress.extend({
    linkKey: z
      .string()
      .describe(
        'Shown once and stored nowhere: as the header `x-link-key` it opens the links and PINs of the rows.',
      ),
    columns: z
      .array(z.object({ header: z.string(), as: z.string() }))
      .describe('What each column of a CSV file was understood as; empty for JSON.'),
  }),
) {}

const row = z.object({
  row: z.int().describe('From 1, without the header and empty rows.'),
  line: z.int().nullable().describe('Where the row begins in a CSV file, from 1.'),
  state: z.enum(ROW_STATES),
  externalId: z.string().nullable(),
  candidateId: z.string().nullable(),
  invitationId: z.string().nullable(),
  problems: z
    .array(
      z.object({
        code: z.string(),
        column: z.string().nullable(),
        en: z.string(),
        ru: z.string(),
      }),
    )
    .describe('Why the row is refused, in both languages; never a value of it.'),
  link: z
    .object({ web: z.string(), telegram: z.string().nullable(), pin: z.string() })
    .nullable()
    .describe('Null without `x-link-key`, and of a row without an invitation.'),
});

export class ImportRowsDto extends createZodDto(
  z.object({
    items: z.array(row),
    cursor: z.string().nullable().describe('For the next page; null: this is the last one.'),
  }),
) {}

const MAX_PAGE = 500;

export class ImportRowsQuery extends createZodDto(
  z.object({
    cursor: z
      .string()
      .regex(/^\d{1,5}$/)
      .optional(),
    state: z.enum(ROW_STATES).optional(),
    limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(100),
  }),
) {}

export function rowJson({ problems, ...shown }: ShownRow): z.infer<typeof row> {
  return { ...shown, problems: [...problems] };
}
