import type { ConversationView, TranscriptPage } from '../../interview';
import type { MessageRow } from '../../persistence';
import type { ConversationJson, MessageJson, TranscriptPageJson } from './conversation-json.dto';

/** The longest message in UTF-16 units, told to the page so that it can say so in time. */
const MAX_MESSAGE_CHARS = 16_000;

/** With the newest page of its transcript. */
export function conversationJson(view: ConversationView, page: TranscriptPage): ConversationJson {
  const { lastSeq: _, consent, dueAt, maxFileBytes, profile, ...rest } = view;
  return {
    ...rest,
    profile: { ...profile, needed: [...profile.needed] },
    consent: consent === null ? null : { ...consent, at: consent.at.toISOString() },
    dueAt: timeJson(dueAt),
    limits: { maxMessageChars: MAX_MESSAGE_CHARS, maxFileBytes },
    ...pageJson(page),
  };
}

export function pageJson({ lines, olderCursor }: TranscriptPage): TranscriptPageJson {
  return { messages: lines.map(messageJson), olderCursor };
}

/** What this version documents; in a rolling update the next one may have stored other kinds. */
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);
const KINDS: ReadonlySet<string> = new Set(['TEXT', 'VOICE', 'FILE']);

/** One line of the transcript. Of an unknown kind it is a text, which may be empty. */
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
    ...(line.isFromPerson ? { fromPerson: true } : {}),
    ...(line.contentType === 'VOICE' && line.text === '' ? { transcribing: true } : {}),
    ...(line.file === null ? {} : { file: line.file }),
  };
}

/** Null also for PostgreSQL's infinity, which comes as a number: held until a voice is heard. */
export function timeJson(time: Date | number | null): string | null {
  return time instanceof Date ? time.toISOString() : null;
}
