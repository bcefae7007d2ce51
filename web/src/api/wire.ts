/**
 * The shapes of the candidate API on the wire. Types only.
 */

export type Language = 'ru' | 'en';

export type ConversationStatus =
  'new' | 'active' | 'completed' | 'declined' | 'withdrawn' | 'handed_over' | 'expired';

/** Who asks: a model, or a script where none is set. */
export type Interviewer = 'ai' | 'script';

/** Who replies. asked: the candidate waits for a person; person: one has written. */
export type Owner = 'model' | 'asked' | 'person';

/** What a company's pages look like. */
export interface Brand {
  /** The address of its logo. */
  logo: string | null;
  accent: { light: string; dark: string } | null;
}

export interface InviteView {
  /** continuation: an interview that has begun on another channel. */
  kind: 'personal' | 'open' | 'continuation';
  interviewer: Interviewer;
  language: Language;
  company: string;
  vacancyTitle: string;
  brand: Brand;
  questions: number;
  /** About how long the interview takes. */
  minutes: number;
  /** A colleague of the hiring team looks at the interview as a candidate. An older server does not say it. */
  isPreview?: boolean;
  /** used: a continuation works once. closed: the vacancy is, and this person has not begun. */
  state: 'open' | 'expired' | 'used' | 'closed';
  /** The interview is open elsewhere: the person agrees to this and confirms that it is theirs. */
  disclosure: Disclosure | null;
}

export interface Disclosure {
  version: string;
  text: string;
}

export interface WireFile {
  name: string;
  mimeType: string | null;
  sizeBytes: number;
  /** announced: on its way from another channel; refused: it is not kept. */
  state: 'announced' | 'kept' | 'refused' | 'deleted';
  needsPassword: boolean;
}

export interface WireMessage {
  id: string;
  /** The id under which this browser sent the message; null for everything it did not send. */
  clientId: string | null;
  seq: number;
  role: 'user' | 'assistant' | 'system';
  contentType: 'TEXT' | 'VOICE' | 'FILE';
  text: string;
  createdAt: string;
  /** The reply was stopped, so this is all of it. */
  partial?: true;
  /** A person of the hiring team wrote it. */
  fromPerson?: true;
  /** A voice message whose transcript is still to come: it will be the text. */
  transcribing?: true;
  /** Only of a FILE, whose text is its name and size. */
  file?: WireFile;
  /** It ends with a question of the interview. */
  question?: QuestionMark;
  /** Of the system: the interviewer cannot reply now, and will later. */
  notice?: 'interviewer_away';
}

/** The text from `start` on is a question of the interview. */
export interface QuestionMark {
  id: string;
  start: number;
}

export interface Progress {
  question: number;
  of: number;
  /** The numbers of the questions that are through without an answer. An older server sends none. */
  unanswered?: number[];
}

/** Who of the company replies after the interview, and when. */
export interface PromisedReply {
  from: string;
  /** In business days; null: no day is promised. */
  withinDays: number | null;
  /** The day, `YYYY-MM-DD`, once the interview is completed. */
  by: string | null;
}

export type ProfileField = 'name' | 'contact';

/** A part of the transcript, in order. */
export interface TranscriptPage {
  messages: WireMessage[];
  /** Asks for what is older; null: these are the first messages. */
  olderCursor: number | null;
}

/** With the newest page of its transcript. */
export interface ConversationView extends TranscriptPage {
  id: string;
  status: ConversationStatus;
  owner: Owner;
  language: Language;
  company: string;
  vacancyTitle: string;
  interviewer: Interviewer;
  brand: Brand;
  /** The questions that were put so far, in order. */
  asked: { id: string; text: string }[];
  reply: PromisedReply;
  /** A colleague of the hiring team looks at the interview as a candidate. */
  isPreview?: boolean;
  /** `GET /receipt` tells which of the candidate's words the scoring quotes. */
  receipt: boolean;
  progress: Progress;
  disclosure: Disclosure;
  consent: null | { version: string; accepted: boolean; at: string };
  /** The server stores a new message now. */
  takesMessages: boolean;
  profile: { name: string | null; contact: string | null; needed: ProfileField[] };
  hasBuffer: boolean;
  /** Milliseconds until the answer is taken, if nothing more is written. */
  dueInMs: number | null;
  replying: boolean;
  /** The server transcribes voice messages. */
  voice: boolean;
  /** The interview can be continued in Telegram. */
  telegram: boolean;
  limits: { maxMessageChars: number; maxFileBytes: number };
  /**
   * After a withdrawal: that the interview has ended, how to reach a person, what is kept. Left out by a server of
   * the version before.
   */
  afterWithdrawal?: Record<Language, string> | null;
}

interface HelloEvent {
  type: 'hello';
  /** The conversation of the stream: another interview's tab may have replaced the cookie. */
  conversationId?: string;
  lastSeq: number;
  status: ConversationStatus;
  owner: Owner;
  hasBuffer: boolean;
  dueInMs?: number | null;
  replying: boolean;
  /** Voice messages whose transcript is still to come. */
  transcribing?: number;
  /** Files sent on another channel that are still on their way from there. */
  filesArriving?: number;
}

interface StateEvent {
  type: 'state';
  status: ConversationStatus;
  owner: Owner;
  hasBuffer: boolean;
  dueInMs?: number | null;
  replying: boolean;
  transcribing?: number;
  filesArriving?: number;
  progress: Progress;
}

/** Which passages of the candidate's answers the scoring quotes, by question. */
export interface Receipt {
  state: 'reading' | 'ready' | 'decided';
  questions: { question: string; quotes: string[] }[];
}

/** Parts of a reply apart from its text; the page ignores kinds that it does not know. */
export interface ReplyPart {
  type: string;
  messageId: string;
  /** Of type `question`: where the question begins in the text, and which one it is. */
  start?: number;
  id?: string;
}

/** The frames of GET /conversation/events, with the frame's name as `type`. */
export type StreamEvent =
  | ConversationEvent
  /** The last one: this browser's session has ended. */
  | { type: 'ended'; reason?: string };

/** Events of the conversation itself. */
export type ConversationEvent =
  | HelloEvent
  | StateEvent
  | { type: 'message'; message: WireMessage }
  | { type: 'part'; part: ReplyPart }
  /** Says nothing once a few seconds have passed. */
  | { type: 'typing'; from: 'candidate' | 'team' }
  | { type: 'start'; messageId: string }
  | { type: 'delta'; messageId: string; offset: number; text: string }
  | ({ type: 'finish'; messageId: string; seq: number; createdAt: string } & {
      partial?: true;
      question?: QuestionMark;
    });
