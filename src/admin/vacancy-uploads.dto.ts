import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

export class DocumentListDto extends createZodDto(
  z.object({
    items: z.array(
      z.object({
        name: z.string().describe('As the file of the vacancy names it.'),
        passages: z.int().describe('In how many parts it is searched.'),
      }),
    ),
  }),
) {}
