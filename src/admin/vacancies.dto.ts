import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

export const vacancy = z.object({
  slug: z.string(),
  title: z.string(),
  company: z.string(),
  language: z.enum(['ru', 'en']),
  questions: z.int().describe('How many it asks.'),
  minutes: z.int().describe('How long the interview takes, as candidates are told.'),
  state: z.enum(['open', 'closed']).describe('closed: no new interview begins.'),
  closedAt: z.iso.datetime().nullable(),
  openLink: z.string().describe('Anybody who has it begins an interview.'),
});

export class VacancyDto extends createZodDto(vacancy) {}

export class VacancyListDto extends createZodDto(z.object({ items: z.array(vacancy) })) {}

export class VacancyCheckDto extends createZodDto(
  z.object({ slug: z.string(), questions: z.int() }),
) {}
