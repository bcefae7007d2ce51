import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

/** What candidates get: the shapes of the answers, documented and checked by the compiler. */

const language = z.enum(['ru', 'en']);
const time = z.iso.datetime();

const message = z.object({
  id: z.string(),
  /** The id under which a browser sent it; null for what others said. */
  clientId: z.string().nullable(),
  seq: z.int(),
  role: z.enum(['user', 'assistant', 'system']),
  /** FILE: its text is the file's name and size. */
  contentType: z.enum(['TEXT', 'VOICE', 'FILE']),
  text: z.string(),
  createdAt: time,
  /** The reply was stopped: this is all that was said. */
  partial: z.literal(true).optional(),
  /** A person of the hiring team wrote it. */
  fromPerson: z.literal(true).optional(),
  /** A voice message whose transcript is still to come: it will be the text. */
  transcribing: z.literal(true).optional(),
  /** Of a FILE. */
  file: z
    .object({
      name: z.string(),
      /** By its content; null until that is here. */
      mimeType: z.string().nullable(),
      sizeBytes: z.int(),
      /** announced: on its way from another channel; kept: GET files/{id}; refused: not kept. */
      state: z.enum(['announced', 'kept', 'refused']),
    })
    .optional(),
});

const transcriptPage = z.object({
  /** In their order. */
  messages: z.array(message),
  /** Ask for the messages before these with `before` set to it; null: there are none. */
  olderCursor: z
    .int()
    .nullable()
    .describe('GET /api/v1/conversation/messages?before=… gives what is older; null: nothing is.'),
});

const conversation = z.object({
  id: z.string(),
  status: z.enum(['new', 'active', 'completed', 'declined', 'withdrawn', 'handed_over']),
  /**
   * Who answers. `asked`: the candidate waits for a person, and may go on by POST …/resume;
   * `person`: one has written.
   */
  owner: z.enum(['model', 'asked', 'person']),
  language,
  company: z.string(),
  vacancyTitle: z.string(),
  interviewStep: z.int(),
  progress: z.object({ question: z.int(), of: z.int() }),
  disclosure: z.object({ version: z.string(), text: z.string() }),
  consent: z.object({ version: z.string(), accepted: z.boolean(), at: time }).nullable(),
  profile: z.object({
    name: z.string().nullable(),
    contact: z.string().nullable(),
    needed: z.array(z.enum(['name', 'contact'])),
  }),
  hasBuffer: z.boolean(),
  dueAt: time.nullable(),
  replying: z.boolean(),
  /** Voice messages whose transcript is still to come. */
  transcribing: z.int(),
  /** Files sent on another channel that are still on their way from there. */
  filesArriving: z.int(),
  /** Voice messages are transcribed here. */
  voice: z.boolean(),
  /** The interview can be continued in Telegram. */
  telegram: z.boolean(),
  limits: z.object({ maxMessageChars: z.int(), maxFileBytes: z.int() }),
  /** The newest page of the transcript. */
  ...transcriptPage.shape,
});

export type MessageJson = z.input<typeof message>;
export type TranscriptPageJson = z.input<typeof transcriptPage>;
export type ConversationJson = z.input<typeof conversation>;

export class ConversationDto extends createZodDto(conversation) {}

export class TranscriptPageDto extends createZodDto(transcriptPage) {}

const invite = z.object({
  /** continuation: an interview that has begun on another channel. */
  kind: z.enum(['personal', 'open', 'continuation']),
  language,
  company: z.string(),
  vacancyTitle: z.string(),
  /** used: a continuation works once. */
  state: z.enum(['open', 'expired', 'used']),
  disclosure: z
    .object({ version: z.string(), text: z.string() })
    .nullable()
    .describe(
      'The interview is open elsewhere: to be read before POST /api/v1/sessions says with `mine` ' +
        "that it is one's own. Null: nothing has to be said.",
    ),
});

export type InviteJson = z.input<typeof invite>;

export class InviteDto extends createZodDto(invite) {}

export class SessionDto extends createZodDto(
  z.object({ conversationId: z.string(), sessionToken: z.string() }),
) {}

export class AcceptedDto extends createZodDto(
  z.object({
    /** The client's own id of the message. */
    id: z.string(),
    /** Its id in the transcript. */
    messageId: z.string(),
    seq: z.int(),
    dueAt: time.nullable(),
  }),
) {}

export class CorrectedDto extends createZodDto(
  z.object({
    /** Edited in its place, or added to an answer that was taken up already. */
    result: z.enum(['edited', 'amendment']),
    dueAt: time.nullable(),
  }),
) {}

/** A link that works once. */
export class ContinuationDto extends createZodDto(z.object({ url: z.url(), expiresAt: time })) {}

export class DueDto extends createZodDto(z.object({ dueAt: time.nullable() })) {}

export class EmptyDto extends createZodDto(z.object({})) {}
