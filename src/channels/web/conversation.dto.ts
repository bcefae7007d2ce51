import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { MAX_MESSAGE_UNITS } from '../../buffer';
import {
  type ConversationView,
  type InterviewSubject,
  type TranscriptPage,
  type MessageRow,
} from '../../interview';

/** Responses: documented, and checked by the compiler. */

const language = z.enum(['ru', 'en']);
const time = z.iso.datetime();

export const message = z.object({
  id: z.string(),
  /** The id that a browser gave it; null for other messages. */
  clientId: z.string().nullable(),
  seq: z.int(),
  role: z.enum(['user', 'assistant', 'system']),
  /** FILE: its text is the file's name and size. */
  contentType: z.enum(['TEXT', 'VOICE', 'FILE']),
  text: z.string(),
  createdAt: time,
  /** The reply was stopped: this is the part that was sent. */
  partial: z.literal(true).optional(),
  /** The message ends with a question of the plan: its text from `start` (UTF-16 units) on. */
  question: z.object({ id: z.string(), start: z.int() }).optional(),
  /** Of the system: the interviewer is unavailable, and replies when it is back. */
  notice: z.literal('interviewer_away').optional(),
  /** A person of the hiring team wrote it. */
  fromPerson: z.literal(true).optional(),
  /** A voice message without a transcript yet; the transcript will be its text. */
  transcribing: z.literal(true).optional(),
  /** For FILE messages. */
  file: z
    .object({
      name: z.string(),
      /** By its content; null until the content is received. */
      mimeType: z.string().nullable(),
      sizeBytes: z.int(),
      /** announced: on its way from another channel; kept: GET files/{id}; refused: not kept; deleted: its retention period has ended. */
      state: z.enum(['announced', 'kept', 'refused', 'deleted']),
      /** A PDF that nobody opens without a password or a certificate. */
      needsPassword: z.boolean(),
    })
    .optional(),
});

const transcriptPage = z.object({
  /** Oldest first. */
  messages: z.array(message),
  /** `before` for older messages; null: there are none. */
  olderCursor: z
    .int()
    .nullable()
    .describe(
      'GET /api/v1/conversation/messages?before=… returns older messages; null: there are none.',
    ),
});

const subject = z.object({
  /** Who asks: a model, or a script where none is set. */
  interviewer: z.enum(['ai', 'script']),
  language,
  company: z.string(),
  vacancyTitle: z.string(),
  /** What the company's pages look like. */
  brand: z.object({
    /** The address of the logo on this server. */
    logo: z.string().nullable(),
    /** The colour of buttons and links, `#rrggbb`, in the light and in the dark scheme. */
    accent: z.object({ light: z.string(), dark: z.string() }).nullable(),
  }),
  /** How many questions the interview has. */
  questions: z.int(),
  /** About how long it takes. */
  minutes: z.int(),
});

export const conversation = z.object({
  id: z.string(),
  status: z.enum(['new', 'active', 'completed', 'declined', 'withdrawn', 'handed_over', 'expired']),
  /**
   * Who replies. `asked`: the candidate waits for a person, and may continue by POST …/resume;
   * `person`: a person has written.
   */
  owner: z.enum(['model', 'asked', 'person']),
  ...subject.shape,
  interviewStep: z.int(),
  progress: z.object({
    question: z.int(),
    of: z.int(),
    /** The numbers of the questions that are through without an answer: skipped, or left open. */
    unanswered: z.array(z.int()),
  }),
  /** The questions that were put so far, in order. */
  asked: z.array(z.object({ id: z.string(), text: z.string() })),
  reply: z.object({
    /** Who of the company replies after the interview. */
    from: z.string(),
    /** Within how many business days; null: no day is promised. */
    withinDays: z.int().nullable(),
    /** The promised day, once the interview is completed. */
    by: z.iso.date().nullable(),
  }),
  /** GET …/receipt tells which of the candidate's words are quoted in the rating. */
  receipt: z.boolean(),
  disclosure: z.object({ version: z.string(), text: z.string() }),
  consent: z.object({ version: z.string(), accepted: z.boolean(), at: time }).nullable(),
  /** A colleague of the hiring team looks at the interview as a candidate. */
  isPreview: z.boolean(),
  takesMessages: z
    .boolean()
    .describe('POST …/messages stores a new message now; false: it refuses one, as after the end.'),
  profile: z.object({
    name: z.string().nullable(),
    contact: z.string().nullable(),
    needed: z.array(z.enum(['name', 'contact'])),
  }),
  hasBuffer: z.boolean(),
  dueAt: time.nullable(),
  /** Milliseconds until `dueAt`, for a countdown that does not depend on the client's clock. */
  dueInMs: z.int().nullable(),
  replying: z.boolean(),
  /** Number of voice messages without a transcript yet. */
  transcribing: z.int(),
  /** Number of files of another channel that are still being fetched. */
  filesArriving: z.int(),
  /** This server transcribes voice messages. */
  voice: z.boolean(),
  /** The interview can be continued in Telegram. */
  telegram: z.boolean(),
  limits: z.object({ maxMessageChars: z.int(), maxFileBytes: z.int() }),
  /**
   * After a withdrawal, in both languages of the page: that the interview has ended, how to reach a person, and
   * what is kept for how long. Null: the candidate has not withdrawn.
   */
  afterWithdrawal: z.object({ en: z.string(), ru: z.string() }).nullable(),
  /** The newest page of the transcript. */
  ...transcriptPage.shape,
});

export type MessageJson = z.input<typeof message>;
export type TranscriptPageJson = z.input<typeof transcriptPage>;
export type ConversationJson = z.input<typeof conversation>;

export function progressJson(progress: ConversationView['progress']): ConversationJson['progress'] {
  return { ...progress, unanswered: [...progress.unanswered] };
}

export class ConversationDto extends createZodDto(conversation) {}

export class ReceiptDto extends createZodDto(
  z.object({
    /** `reading`: the answers are being read; `decided`: a person has decided. */
    state: z.enum(['reading', 'ready', 'decided']),
    /** In the order of the interview: each question with the quoted passages of its answer. */
    questions: z.array(z.object({ question: z.string(), quotes: z.array(z.string()) })),
  }),
) {}

export class TranscriptPageDto extends createZodDto(transcriptPage) {}

const invite = z.object({
  /** continuation: an interview that has begun on another channel. */
  kind: z.enum(['personal', 'open', 'continuation']),
  ...subject.shape,
  /** A colleague of the hiring team looks at the interview as a candidate. */
  isPreview: z.boolean(),
  /** used: a continuation works once. closed: the vacancy is, and this person has not begun. */
  state: z.enum(['open', 'expired', 'used', 'closed']),
  disclosure: z
    .object({ version: z.string(), text: z.string() })
    .nullable()
    .describe(
      'Set when the interview is open elsewhere: show it, then confirm by sending its version as ' +
        '`mine` in POST /api/v1/sessions. Null: no confirmation is needed.',
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
    /** `edited` in place; `amendment`: stored as a new message, because a turn had begun. */
    result: z.enum(['edited', 'amendment']),
    dueAt: time.nullable(),
  }),
) {}

/** A link that works once. */
export class ContinuationDto extends createZodDto(z.object({ url: z.url(), expiresAt: time })) {}

export class DueDto extends createZodDto(z.object({ dueAt: time.nullable() })) {}

export class EmptyDto extends createZodDto(z.object({})) {}

/** What an interview is about, with the logo as an address. */
export function subjectJson(about: InterviewSubject): z.input<typeof subject> {
  const { interviewer, language: spoken, company, vacancyTitle, brand, questions, minutes } = about;
  const { logo, accent } = brand;
  return {
    interviewer,
    language: spoken,
    company,
    vacancyTitle,
    brand: { logo: logo === undefined ? null : `/logos/${logo.hash}`, accent: accent ?? null },
    questions,
    minutes,
  };
}

/** The conversation with the newest page of its transcript. `telegram`: it can be continued there. */
export function conversationJson(
  view: ConversationView,
  page: TranscriptPage,
  { telegram }: { telegram: boolean },
): ConversationJson {
  const { lastSeq: _, isTooLate: __, asked, consent, dueAt, maxFileBytes, profile, ...rest } = view;
  return {
    ...rest,
    ...subjectJson(view),
    telegram,
    progress: progressJson(view.progress),
    asked: [...asked],
    profile: { ...profile, needed: [...profile.needed] },
    consent: consent === null ? null : { ...consent, at: consent.at.toISOString() },
    dueAt: timeJson(dueAt),
    limits: { maxMessageChars: MAX_MESSAGE_UNITS, maxFileBytes },
    ...pageJson(page),
  };
}

export function pageJson({ lines, olderCursor }: TranscriptPage): TranscriptPageJson {
  return { messages: lines.map(messageJson), olderCursor };
}

/** What this version knows; in a rolling update a newer one may have stored other values. */
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);
const KINDS: ReadonlySet<string> = new Set(['TEXT', 'VOICE', 'FILE']);

/** One line of the transcript. A line of an unknown kind is shown as a text, which may be empty. */
export function messageJson(line: MessageRow): MessageJson {
  return {
    id: line.id,
    clientId: line.channel === 'web' ? line.externalId : null,
    seq: line.seq,
    role: ROLES.has(line.role) ? line.role : 'system',
    contentType: KINDS.has(line.contentType) ? line.contentType : 'TEXT',
    text: line.text,
    createdAt: line.receivedAt.toISOString(),
    ...(line.partial ? { partial: true } : {}),
    ...(line.question === null ? {} : { question: line.question }),
    ...(line.isOutageNotice ? { notice: 'interviewer_away' } : {}),
    ...(line.isFromPerson ? { fromPerson: true } : {}),
    ...(line.contentType === 'VOICE' && line.text === '' ? { transcribing: true } : {}),
    ...(line.file === null ? {} : { file: line.file }),
  };
}

/** Null also for PostgreSQL's infinity (a number): due when the voice message is transcribed. */
export function timeJson(time: Date | number | null): string | null {
  return time instanceof Date ? time.toISOString() : null;
}
