import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

const voice = z.object({
  messageId: z.string(),
  receivedAt: z.iso.datetime(),
  channel: z.enum(['web', 'telegram']),
  state: z.enum(['announced', 'kept', 'heard', 'unheard']),
  mimeType: z.string(),
  durationS: z.number().nullable(),
  sizeBytes: z.int(),
  /** False: nothing of it was received, or not yet. */
  hasAudio: z.boolean(),
  /** As the model heard it; the candidate may have corrected the message since. */
  transcript: z.string().nullable(),
  /** Why there is no transcript. */
  problem: z.string().nullable(),
});

export class VoiceListDto extends createZodDto(
  z.object({ items: z.array(voice), olderCursor: z.int().nullable() }),
) {}
