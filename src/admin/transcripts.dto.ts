import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

const MAX_SEQ = 2 ** 31 - 1;

/** `before`: an `olderCursor`. Without it the newest page. */
export class PageQuery extends createZodDto(
  z.object({ before: z.coerce.number().int().min(1).max(MAX_SEQ).optional() }),
) {}

const line = z.object({
  id: z.string(),
  seq: z.int(),
  /** Its place in the whole transcript, from 1. */
  number: z.int(),
  role: z.enum(['user', 'assistant', 'system']),
  /** `code`: said by the program itself. */
  channel: z.enum(['web', 'telegram', 'code']),
  text: z.string(),
  at: z.iso.datetime(),
  editedAt: z.iso.datetime().nullable(),
  /** The number of the line that it corrects. */
  amendsSeq: z.int().nullable(),
  amendsNumber: z.int().nullable(),
  /** A reply that was stopped: this is all that was said. */
  isPartial: z.boolean(),
  /** A person of the hiring team wrote it. */
  isFromPerson: z.boolean(),
  /** What came beside the text, such as `photo`; the channel has it. */
  attachment: z.string().nullable(),
  /** Of a voice message, whose text is what was heard or corrected; its audio is below `voices`. */
  voice: z.object({ durationS: z.number().nullable(), hasAudio: z.boolean() }).nullable(),
  /** Of a file, whose text is its name and size; what is kept of it is below `files`. */
  file: z
    .object({
      name: z.string(),
      mimeType: z.string().nullable(),
      sizeBytes: z.int(),
      state: z.enum(['announced', 'kept', 'refused']),
    })
    .nullable(),
});

export class TranscriptDto extends createZodDto(
  z.object({
    conversationId: z.string(),
    language: z.enum(['ru', 'en']),
    company: z.string(),
    vacancy: z.string(),
    candidate: z.object({ name: z.string().nullable(), contact: z.string().nullable() }),
    status: z.enum(['new', 'declined', 'active', 'completed', 'withdrawn', 'handed_over']),
    beganAt: z.iso.datetime().nullable(),
    completedAt: z.iso.datetime().nullable(),
    /** How much was asked and answered; whether it was good is for people to say. */
    coverage: z.object({
      counted: z.enum(['must-ask', 'all']),
      of: z.int(),
      asked: z.int(),
      answered: z.int(),
    }),
    lines: z.array(line),
    /** Asks for what is older; null: these are the first lines. */
    olderCursor: z.int().nullable(),
  }),
) {}
