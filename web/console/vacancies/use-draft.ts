/**
 * The text in the editor, from the stored file to the next one that is saved:
 *
 *   stored ──typed──> draft ──saved──> stored
 *     │                 │ └──put aside──> stored, and the text is kept beside it
 *     └─changed by      └─changed by somebody else──> `theirs`: the person compares, and keeps one of the two
 *       somebody else─> stored, as it is now
 *
 * A draft is kept in the browser with every change, until it is saved or dropped.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Drafts, browserStorage } from './draft';

/** The stored file and its version; null: the vacancy is new. */
export interface Stored {
  text: string;
  version: string | null;
}

const KEEP_DELAY_MS = 250;

export interface DraftState {
  text: string;
  /** Of the file that the text was made from. */
  base: string | null;
  /** The text is not the stored one. */
  isChanged: boolean;
  /** The stored file that somebody else has made meanwhile. */
  theirs: Stored | null;
  /** A text that was put aside. */
  aside: string | null;
  /** False: this browser keeps no drafts. */
  isKept: boolean;
  change: (text: string) => void;
  /** The text replaces theirs when it is saved. */
  keepMine: () => void;
  /** The text is put aside, and the stored one is shown. False: the browser has no room, and nothing changed. */
  putAside: () => boolean;
  bringBack: () => void;
  dropAside: () => void;
  /** It was saved as this version. */
  saved: (sent: string, version: string) => void;
  /** The vacancy is stored under its own name now. */
  forget: () => void;
}

export function useDraft(userId: string, slug: string, stored: Stored): DraftState {
  const drafts = useMemo(() => new Drafts(userId, browserStorage()), [userId]);
  const [draft, setDraft] = useState(() => {
    const kept = drafts.read(slug);
    return kept === null || kept.text === stored.text
      ? { text: stored.text, base: stored.version, isTouched: false }
      : { ...kept, isTouched: true };
  });
  const [seen, setSeen] = useState(stored);
  const [aside, setAside] = useState(() => drafts.aside(slug));
  const { text, base, isTouched } = draft;
  const asStored = { text: stored.text, base: stored.version, isTouched: false };
  if (stored.text !== seen.text || stored.version !== seen.version) {
    setSeen(stored);
    // Nothing was typed here, or what was typed is what is stored now.
    if (!isTouched || text === stored.text) setDraft(asStored);
  }
  const isKept = useKept(drafts, slug, draft);
  const put = (next: Partial<typeof draft>): void => setDraft((now) => ({ ...now, ...next }));
  const dropAside = (): void => {
    drafts.dropAside(slug);
    setAside(null);
  };
  const keepAside = (): boolean => {
    if (!drafts.putAside(slug, text)) return false;
    setAside(text);
    return true;
  };
  return {
    ...{ text, base, aside, isKept, isChanged: isTouched },
    theirs: isTouched && base !== stored.version ? stored : null,
    change: (next) => {
      if (next === stored.text) setDraft(asStored);
      else put({ text: next, isTouched: true });
    },
    keepMine: () => put({ base: stored.version }),
    putAside: () => {
      if (!keepAside()) return false;
      setDraft(asStored);
      return true;
    },
    bringBack: () => {
      if (aside === null) return;
      if (!isTouched) dropAside();
      else if (!keepAside()) return;
      put({ text: aside, base: stored.version, isTouched: true });
    },
    dropAside,
    saved: (sent, version) =>
      setDraft((now) => ({ ...now, base: version, isTouched: now.text !== sent })),
    forget: () => setDraft({ ...draft, isTouched: false }),
  };
}

/** Keeps the draft in the browser while it differs from what is stored. False: the browser does not keep it. */
function useKept(
  drafts: Drafts,
  slug: string,
  draft: { text: string; base: string | null; isTouched: boolean },
): boolean {
  const [isKept, setKept] = useState(true);
  const latest = useRef(draft);
  const isInBrowser = useRef(draft.isTouched);
  const keep = useCallback(() => {
    const { text, base, isTouched } = latest.current;
    if (isTouched) {
      isInBrowser.current = true;
      setKept(drafts.write(slug, { text, base }));
    } else if (isInBrowser.current) {
      isInBrowser.current = false;
      drafts.drop(slug);
    }
  }, [drafts, slug]);
  const { text, base, isTouched } = draft;
  useEffect(() => {
    latest.current = { text, base, isTouched };
    if (!isTouched) {
      keep();
      return;
    }
    const timer = setTimeout(keep, KEEP_DELAY_MS);
    return () => clearTimeout(timer);
  }, [keep, text, base, isTouched]);
  useEffect(() => {
    window.addEventListener('pagehide', keep);
    return () => {
      window.removeEventListener('pagehide', keep);
      keep();
    };
  }, [keep]);
  return isKept;
}
