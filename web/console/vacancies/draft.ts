/**
 * Texts of vacancies that are not saved yet. They stay in the browser until they are, so that neither the end of a session nor
 * a reload loses a word; each person has their own. A text that somebody has put aside is kept beside the draft.
 */

export interface Draft {
  text: string;
  /** The version of the stored file that it was made from; null: of a new vacancy. */
  base: string | null;
}

const PREFIX = 'colloquy.vacancy-draft';
/** In place of a slug, of a vacancy that is not stored yet. A slug has no plus. */
export const NEW = '+new';

/** `userId`: somebody else who signs in in this browser has drafts of their own. */
export class Drafts {
  constructor(
    private readonly userId: string,
    private readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null,
  ) {}

  read(slug: string): Draft | null {
    const kept = this.get(this.keyOf(slug));
    if (kept === null) return null;
    try {
      const draft: unknown = JSON.parse(kept);
      return isDraft(draft) ? draft : null;
    } catch {
      return null;
    }
  }

  /** False: the browser keeps nothing, or has no room. */
  write(slug: string, draft: Draft): boolean {
    return this.set(this.keyOf(slug), JSON.stringify(draft));
  }

  drop(slug: string): void {
    this.remove(this.keyOf(slug));
  }

  aside(slug: string): string | null {
    return this.get(this.keyOf(slug, 'aside'));
  }

  /** False: it is not kept, so the text must stay where it is. */
  putAside(slug: string, text: string): boolean {
    return this.set(this.keyOf(slug, 'aside'), text);
  }

  dropAside(slug: string): void {
    this.remove(this.keyOf(slug, 'aside'));
  }

  private keyOf(slug: string, what: 'draft' | 'aside' = 'draft'): string {
    return `${PREFIX}.${this.userId}.${what}.${slug}`;
  }

  private get(key: string): string | null {
    try {
      return this.storage?.getItem(key) ?? null;
    } catch {
      return null;
    }
  }

  private set(key: string, value: string): boolean {
    try {
      if (this.storage === null) return false;
      this.storage.setItem(key, value);
      return true;
    } catch {
      return false;
    }
  }

  private remove(key: string): void {
    try {
      this.storage?.removeItem(key);
    } catch {
      // Nothing is kept then.
    }
  }
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null) return false;
  if (!('text' in value) || !('base' in value)) return false;
  return typeof value.text === 'string' && (value.base === null || typeof value.base === 'string');
}

/** The browser's storage; null where a page may not use it. */
export function browserStorage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}
