import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

const file = z.object({
  messageId: z.string(),
  receivedAt: z.iso.datetime(),
  channel: z.enum(['web', 'telegram']),
  state: z.enum(['announced', 'kept', 'refused']),
  name: z.string(),
  /** By its content; null: nothing of it is here. */
  mimeType: z.string().nullable(),
  sizeBytes: z.int(),
  /** Why it was refused. */
  problem: z.string().nullable(),
});

export class FileListDto extends createZodDto(z.object({ items: z.array(file) })) {}
