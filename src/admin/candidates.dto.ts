import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

export class ErasedDto extends createZodDto(
  z.object({
    /** False: nothing was stored under this id, perhaps not any more. */
    isFound: z.boolean(),
    conversations: z.int(),
    messages: z.int(),
  }),
) {}
