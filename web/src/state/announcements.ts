/**
 * What a screen reader reads out: whole sentences of the interviewer or of a person, each once, never
 * fragments of a reply that is still being written. Pure; the page puts the result into a polite live
 * region.
 */
import type { ConversationState } from './conversation';

export interface Announcement {
  key: string;
  text: string;
  isFromPerson: boolean;
}

export interface Announcer {
  /** How much of each message has been announced, in UTF-16 units. */
  spoken: ReadonlyMap<string, number>;
  recent: readonly Announcement[];
}

const KEPT = 6;
const SENTENCE_END = /[.!?…]["'»”)]*\s|\n/g;

/** The length of `text` up to the end of its last whole sentence. */
export function wholeSentencesLength(text: string): number {
  let end = 0;
  for (const match of text.matchAll(SENTENCE_END)) end = match.index + match[0].length;
  return end;
}

/** What was there when the page opened is not announced; readers navigate to it themselves. */
export function silentStart(state: ConversationState): Announcer {
  return { spoken: new Map(state.messages.map(({ id, text }) => [id, text.length])), recent: [] };
}

/** The same for older messages that were loaded since. */
export function silenced(announcer: Announcer, messages: readonly { id: string; text: string }[]) {
  const spoken = new Map(announcer.spoken);
  for (const { id, text } of messages) spoken.set(id, text.length);
  return { ...announcer, spoken };
}

export function announce(announcer: Announcer, state: ConversationState): Announcer {
  const spoken = new Map(announcer.spoken);
  const fresh: Announcement[] = [];
  const say = (id: string, text: string, end: number, isFromPerson = false) => {
    const from = spoken.get(id) ?? 0;
    if (end <= from) return;
    const part = text.slice(from, end).trim();
    spoken.set(id, end);
    if (part !== '') fresh.push({ key: `${id}:${String(from)}`, text: part, isFromPerson });
  };
  for (const { id, role, contentType, text, fromPerson } of state.messages) {
    // The transcript of an own voice message is announced; a correction of it is not.
    const isHeard = contentType === 'VOICE' && (spoken.get(id) ?? 0) === 0;
    if (role !== 'user' || isHeard) say(id, text, text.length, fromPerson === true);
  }
  if (state.reply) {
    say(state.reply.messageId, state.reply.text, wholeSentencesLength(state.reply.text));
  }
  if (fresh.length === 0) return announcer;
  return { spoken, recent: [...announcer.recent, ...fresh].slice(-KEPT) };
}
