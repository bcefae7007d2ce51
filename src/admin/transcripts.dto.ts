import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { MESSAGE_LABELS } from '../interview';

const MAX_SEQ = 2 ** 31 - 1;

/** `before`: an `olderCursor`. Without it the newest page. */
export class PageQuery extends createZodDto(
  z.object({ before: z.coerce.number().int().min(1).max(MAX_SEQ).optional() }),
) {}

export const line = z.object({
  id: z.string(),
  seq: z.int(),
  /** Its place in the whole transcript, from 1. */
  number: z.int(),
  role: z.enum(['user', 'assistant', 'system']),
  /** `code`: a message of the program itself. */
  channel: z
    .string()
    .describe('The name of a channel, such as web or telegram; code: a line of the system.'),
  text: z.string(),
  at: z.iso.datetime(),
  editedAt: z.iso.datetime().nullable(),
  /** The number of the line that it corrects. */
  amendsSeq: z.int().nullable(),
  amendsNumber: z.int().nullable(),
  /** A reply that was stopped: this is the part that was sent. */
  isPartial: z.boolean(),
  /** A person of the hiring team wrote it. */
  isFromPerson: z.boolean(),
  author: z
    .object({ how: z.enum(['forwarded', 'bot']), name: z.string().nullable() })
    .nullable()
    .describe(
      'Who wrote it, if the candidate only passed it on; bot: a bot wrote it in their name.',
    ),
  repliesTo: z
    .object({ number: z.int().nullable(), quote: z.string().nullable() })
    .nullable()
    .describe('What it refers to: the number of a line, and the words that it quotes.'),
  /** What came with the text, e.g. `photo`; the channel keeps it. */
  attachment: z.string().nullable(),
  /** For a voice message: its text is the transcript or its correction, its audio is below `voices`. */
  voice: z.object({ durationS: z.number().nullable(), hasAudio: z.boolean() }).nullable(),
  /** For a file: its text is its name and size, its content is below `files`. */
  file: z
    .object({
      name: z.string(),
      mimeType: z.string().nullable(),
      sizeBytes: z.int(),
      state: z.enum(['announced', 'kept', 'refused', 'deleted']),
      needsPassword: z.boolean(),
    })
    .nullable(),
  /** What a message of the candidate was read as; questions by their place in the plan, from 1. */
  label: z
    .object({
      name: z.enum(MESSAGE_LABELS),
      question: z.int().nullable(),
      /** The number of the line that it corrects. */
      corrects: z.int().nullable(),
      /** Later questions that it touched on, and the number of the line that asked each. */
      touches: z.array(z.object({ question: z.int(), askedIn: z.int().nullable() })),
    })
    .nullable(),
  /**
   * The id for `colloquy replay --reply`, the model and the instructions (name, version, hash) of a
   * reply; null: no model wrote it.
   */
  origin: z
    .object({
      reply: z.string(),
      model: z.string().nullable(),
      isFallback: z
        .boolean()
        .describe('It was the second model, OPENAI_FALLBACK_MODEL, in place of the first'),
      prompt: z.string(),
    })
    .nullable(),
  /** The number of the line that had touched on the question which this line asks. */
  touchedIn: z.int().nullable(),
});

export class TranscriptDto extends createZodDto(
  z.object({
    conversationId: z.string(),
    language: z.enum(['ru', 'en']),
    company: z.string(),
    vacancy: z.string(),
    candidate: z.object({ name: z.string().nullable(), contact: z.string().nullable() }),
    externalId: z.string().nullable().describe('Of the invitation; null: it has none.'),
    metadata: z.record(z.string(), z.unknown()).describe('Of the invitation, as it was given.'),
    status: z.enum([
      'new',
      'declined',
      'active',
      'completed',
      'withdrawn',
      'handed_over',
      'expired',
    ]),
    beganAt: z.iso.datetime().nullable(),
    completedAt: z.iso.datetime().nullable(),
    /** How much was asked and answered. People judge the answers. */
    coverage: z.object({
      counted: z.enum(['must-ask', 'all']),
      of: z.int(),
      asked: z.int(),
      answered: z.int(),
    }),
    lines: z.array(line),
    /** `before` for older lines; null: these are the first lines. */
    olderCursor: z.int().nullable(),
  }),
) {}
