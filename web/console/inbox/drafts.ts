/**
 * What somebody writes to a candidate, kept in this tab: over a reload, and while a session ends. Each person has
 * drafts of their own, because a tab can outlive a sign-in. Memory stands in where storage is forbidden.
 */
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
  return { text: '', question: null, messageId: crypto.randomUUID(), tried: null };
}

/** Before it is sent. Another text than that of the last try is another message. */
export function triedDraft(draft: Draft): Draft {
  const text = draft.text.trim();
  const isOther = draft.tried !== null && draft.tried !== text;
  return { ...draft, tried: text, messageId: isOther ? crypto.randomUUID() : draft.messageId };
}

export function keptDraft(userId: string, itemId: string): Draft {
  const stored = read(keyOf(userId, itemId));
  try {
    const draft: unknown = stored === null ? null : JSON.parse(stored);
    return isDraft(draft) ? draft : newDraft();
  } catch {
    return newDraft();
  }
}

export function keepDraft(userId: string, itemId: string, draft: Draft): void {
  const key = keyOf(userId, itemId);
  if (draft.text === '' && (draft.question ?? '') === '') {
    forget(key);
    return;
  }
  const stored = JSON.stringify(draft);
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

/** At the sign-out: of everybody who has used this tab. */
export function forgetDrafts(): void {
  memory.clear();
  try {
    const keys = Array.from(sessionStorage, (_, index) => sessionStorage.key(index) ?? '');
    for (const key of keys) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // There were none.
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

function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null) return false;
  const { text, question, messageId, tried } = value as Partial<Draft>;
  const isTextOrNull = (one: unknown): boolean => one === null || typeof one === 'string';
  return (
    [text, messageId].every((one) => typeof one === 'string') &&
    [question, tried].every(isTextOrNull)
  );
}
