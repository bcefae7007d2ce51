/**
 * What somebody writes to a candidate, kept in this tab: over a reload, and while a session ends. Each person has
 * drafts of their own, because a tab can outlive a sign-in. Memory stands in where storage is forbidden.
 */
import { newUuid } from '../new-uuid';

const PREFIX = 'colloquy.inbox.';
const memory = new Map<string, string>();

export interface Draft {
  text: string;
  /** Under which the answer is to be kept; null: it is not. */
  question: string | null;
  /** Of the message: a second try sends nothing twice. */
  messageId: string;
  /** The text of the last try under this id, of which it is not known how it ended; null: there was none. */
  tried: string | null;
}

export function newDraft(): Draft {
  return { text: '', question: null, messageId: newUuid(), tried: null };
}

/** Before it is sent. Another text than that of the last try is another message. */
export function triedDraft(draft: Draft): Draft {
  const text = draft.text.trim();
  const isOther = draft.tried !== null && draft.tried !== text;
  return { ...draft, tried: text, messageId: isOther ? newUuid() : draft.messageId };
}

export function keptDraft(userId: string, itemId: string): Draft {
  const { text, question, messageId, tried } = parsed(read(keyOf(userId, itemId)));
  const draft = { text, question, messageId, tried };
  return isDraft(draft) ? draft : newDraft();
}

interface OfItem {
  id: string;
  /** Null: the item is about no interview. */
  conversationId: string | null;
}

export function keepDraft(userId: string, { id, conversationId }: OfItem, draft: Draft): void {
  const key = keyOf(userId, id);
  if (draft.text === '' && (draft.question ?? '') === '') {
    forget(key);
    return;
  }
  // With its interview, whose erasure ends it.
  const stored = JSON.stringify({ ...draft, conversationId });
  memory.set(key, stored);
  try {
    sessionStorage.setItem(key, stored);
  } catch {
    // Kept in memory.
  }
}

export function forgetDraft(userId: string, itemId: string): void {
  forget(keyOf(userId, itemId));
}

/** Whether there is one of anybody. */
export function hasDrafts(): boolean {
  return keptKeys().length > 0;
}

/** At the sign-out: of everybody who has used this tab. */
export function forgetDrafts(): void {
  for (const key of keptKeys()) forget(key);
}

/** Of an interview whose candidate was erased: a draft may name them. */
export function forgetDraftsOf(conversationId: string): void {
  for (const key of keptKeys()) {
    if (parsed(read(key))['conversationId'] === conversationId) forget(key);
  }
}

function keptKeys(): string[] {
  const inMemory = [...memory.keys()];
  try {
    const stored = Array.from({ length: sessionStorage.length }, (_, at) => sessionStorage.key(at));
    return [...new Set([...inMemory, ...stored.flatMap((key) => key ?? [])])].filter((key) =>
      key.startsWith(PREFIX),
    );
  } catch {
    return inMemory;
  }
}

function keyOf(userId: string, itemId: string): string {
  return `${PREFIX}${userId}.${itemId}`;
}

function read(key: string): string | null {
  try {
    return sessionStorage.getItem(key) ?? memory.get(key) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
}

function forget(key: string): void {
  memory.delete(key);
  try {
    sessionStorage.removeItem(key);
  } catch {
    // It was never there.
  }
}

/** Empty: it is not what was stored. */
function parsed(stored: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(stored ?? 'null');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function isDraft(value: Record<keyof Draft, unknown>): value is Draft {
  const { text, question, messageId, tried } = value;
  const isTextOrNull = (one: unknown): boolean => one === null || typeof one === 'string';
  return (
    [text, messageId].every((one) => typeof one === 'string') &&
    [question, tried].every(isTextOrNull)
  );
}
