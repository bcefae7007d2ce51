import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { KEY_NAME, SCOPES } from '../access';
import { limitedSlugs } from './vacancy-slugs';

const keyJson = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  vacancies: z
    .array(z.string())
    .nullable()
    .describe('Slugs of the vacancies that it reaches; null: all'),
  state: z.enum(['live', 'expired', 'revoked']),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  expiresAt: z.iso.datetime(),
  usedAt: z.iso
    .datetime()
    .nullable()
    .describe('Its last use, noted at most once in five minutes; null: never'),
  revokedAt: z.iso.datetime().nullable(),
});

export class KeyDto extends createZodDto(keyJson) {}

export class KeyListDto extends createZodDto(z.object({ keys: z.array(keyJson) })) {}

export class NewKeyDto extends createZodDto(
  keyJson.extend({ token: z.string().describe('The bearer, which is shown only here') }),
) {}

export class KeyCreateDto extends createZodDto(
  z.object({
    name: z
      .string()
      .regex(KEY_NAME)
      .describe('As the audit names the key, so no other key has had it: lower case, e.g. `crm`'),
    scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
    vacancies: limitedSlugs.optional().describe('Slugs of the vacancies that it is limited to'),
    expiresAt: z.iso
      .datetime()
      .optional()
      .describe(
        'Its end, at most a year from now, and not after that of the key which makes it; the latest one if it is left out',
      ),
  }),
) {}
