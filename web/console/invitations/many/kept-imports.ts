/**
 * What this browser keeps of its imports, so that a closed page loses nothing: the key that opens the links, until
 * they are downloaded, and the lines of the person's file. No word of a candidate. The key alone opens nothing: the
 * server asks for a session too.
 */
import { useSyncExternalStore } from 'react';

export interface KeptImport {
  readonly id: string;
  /** The first import of a file; the others are corrected rows of it. */
  readonly batch: string;
  readonly userId: string;
  /** The slug. */
  readonly vacancy: string;
  /** Null: the links were downloaded. */
  readonly linkKey: string | null;
  /** As `Sent` has it. */
  readonly addedLines: number;
  /** Of corrected rows: the line of the person's file of each; null: the file was sent whole. */
  readonly lines: readonly number[] | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const KEY = 'colloquy.imports';
const MOST = 20;
/** As long as the server keeps the rows. */
const KEPT_MS = 30 * 24 * 3600_000;

/** What storage does not take is kept as long as the page lives. */
let kept: readonly KeptImport[] | null = null;
const listeners = new Set<() => void>();

export function keepImport(one: KeptImport): void {
  store([one, ...readImports().filter(({ id }) => id !== one.id)].slice(0, MOST));
}

/** After the download. */
export function forgetLinkKey(id: string): void {
  store(readImports().map((one) => (one.id === id ? { ...one, linkKey: null } : one)));
}

export function forgetImport(batch: string): void {
  store(readImports().filter((one) => one.batch !== batch));
}

/** Of this person, the newest first. */
export function useKeptImports(userId: string): readonly KeptImport[] {
  return useSyncExternalStore(subscribe, readImports).filter((one) => one.userId === userId);
}

/** The line of the person's file of a row that the server tells. */
export function lineOf(
  one: Pick<KeptImport, 'addedLines' | 'lines'> | null,
  row: { readonly row: number; readonly line: number | null },
): number | null {
  if (one?.lines != null) return one.lines[row.row - 1] ?? null;
  return row.line === null ? null : row.line - (one?.addedLines ?? 0);
}

function readImports(): readonly KeptImport[] {
  kept ??= stored();
  return kept;
}

function stored(): readonly KeptImport[] {
  try {
    const json: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    const rows = Array.isArray(json) ? json.filter(isKept) : [];
    return rows.filter(({ at }) => Date.now() - at < KEPT_MS);
  } catch {
    return [];
  }
}

function isKept(one: unknown): one is KeptImport {
  if (typeof one !== 'object' || one === null) return false;
  const fields = one as Partial<Record<keyof KeptImport, unknown>>;
  const isText = (value: unknown): boolean => typeof value === 'string';
  return (
    [fields.id, fields.batch, fields.userId, fields.vacancy].every(isText) &&
    (fields.linkKey === null || isText(fields.linkKey)) &&
    typeof fields.at === 'number' &&
    typeof fields.addedLines === 'number' &&
    (fields.lines === null ||
      (Array.isArray(fields.lines) && fields.lines.every((line) => typeof line === 'number')))
  );
}

function store(next: readonly KeptImport[]): void {
  kept = next;
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // The links can be downloaded while the page is open.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent): void => {
    if (key !== KEY) return;
    kept = null;
    listener();
  };
  listeners.add(listener);
  window.addEventListener('storage', onStorage);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', onStorage);
  };
}
