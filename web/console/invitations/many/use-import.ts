/**
 * Follows an import by its event stream: how far it is, and what became of each row. A stream that ends with an error
 * is opened again after the last row; where nobody is signed in any more, the gate asks first. A tab that is hidden
 * for long gives it up until it is shown.
 */
import { useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { asProblem } from '../../api/problem';
import type { ApiProblem } from '../../api/problem';
import { pageStreams } from '../../live/page-streams';
import { readImport } from '../calls';
import type { ImportProgress, ImportRow } from '../calls';

export interface FollowedImport {
  readonly id: string;
  /** Null: nothing is known yet. */
  readonly progress: ImportProgress | null;
  /** In the order of the file. */
  readonly rows: readonly ImportRow[];
  /** Why it cannot be followed; null: it is. */
  readonly problem: ApiProblem | null;
}

/** Rows come by the hundred; the page is drawn ten times a second at most. */
const SHOWN_AFTER_MS = 100;
/** No import has as many rows. */
const AFTER_ALL = 99_999;
const [REOPEN_FIRST_MS, REOPEN_MAX_MS] = [1000, 15_000];

/** In the order of the ids, which may become more. Without rows a follower is told only how far each is. */
export function useImports(
  ids: readonly string[],
  { hasRows = true }: { readonly hasRows?: boolean } = {},
): readonly FollowedImport[] {
  const [all, setAll] = useState<ReadonlyMap<string, FollowedImport>>(new Map());
  const queries = useQueryClient();
  const followers = useRef(new Map<string, ImportFollower>());
  const key = ids.join(' ');
  useEffect(() => {
    const show = (one: FollowedImport): void => {
      setAll((before) => new Map(before).set(one.id, one));
      if (one.progress?.state === 'finished') {
        void queries.invalidateQueries({ queryKey: ['invitations'] });
      }
    };
    for (const id of key.split(' ')) {
      if (id === '' || followers.current.has(id)) continue;
      const follower = new ImportFollower(id, hasRows ? 0 : AFTER_ALL, show);
      followers.current.set(id, follower);
      follower.follow();
    }
  }, [key, hasRows, queries]);
  useEffect(() => {
    const opened = followers.current;
    return () => {
      for (const follower of opened.values()) follower.close();
      opened.clear();
    };
  }, []);
  return ids.map((id) => all.get(id) ?? { id, progress: null, rows: [], problem: null });
}

class ImportFollower {
  private source: EventSource | null = null;
  private progress: ImportProgress | null = null;
  private readonly rows: ImportRow[] = [];
  private failures = 0;
  private isClosed = false;
  private unfollow: () => void = () => undefined;
  private showing: number | undefined;
  private reopening: number | undefined;

  constructor(
    private readonly id: string,
    /** The last row that is not asked for. */
    private readonly after: number,
    private readonly show: (followed: FollowedImport) => void,
  ) {}

  follow(): void {
    this.unfollow = pageStreams().add({ open: () => this.open(), close: () => this.giveUp() });
  }

  private open(): void {
    this.giveUp();
    const after = this.rows.at(-1)?.row ?? this.after;
    const path = `/api/v1/invitation-imports/${encodeURIComponent(this.id)}/events`;
    const source = new EventSource(`${path}?lastEventId=${String(after)}`);
    this.source = source;
    source.addEventListener('open', () => {
      this.failures = 0;
    });
    source.addEventListener('progress', (event) => {
      this.progress = JSON.parse(String(event.data)) as ImportProgress;
      this.showSoon();
    });
    source.addEventListener('row', (event) => {
      const row = JSON.parse(String(event.data)) as ImportRow;
      // A connection that came back may tell one again.
      if (row.row > (this.rows.at(-1)?.row ?? 0)) this.rows.push(row);
      this.showSoon();
    });
    source.addEventListener('finish', (event) => {
      this.progress = JSON.parse(String(event.data)) as ImportProgress;
      this.close();
      this.showNow(null);
    });
    source.addEventListener('ended', () => void this.ask());
    source.addEventListener('error', () => {
      // Else it connects again by itself.
      if (source.readyState === EventSource.CLOSED) void this.ask();
    });
  }

  close(): void {
    this.isClosed = true;
    this.unfollow();
    window.clearTimeout(this.showing);
  }

  private giveUp(): void {
    this.source?.close();
    this.source = null;
    window.clearTimeout(this.reopening);
  }

  /** Why the stream has ended: the gate asks for a sign-in where that is why. */
  private async ask(): Promise<void> {
    this.source?.close();
    try {
      this.progress = await readImport(this.id);
    } catch (error) {
      const problem = asProblem(error);
      if (!problem.isPassing && problem.status !== 429) {
        if (this.isClosed) return;
        // A stream would be refused in the same way.
        this.unfollow();
        this.showNow(problem);
        return;
      }
    }
    if (this.isClosed || pageStreams().isGivenUp) return;
    const delayMs = Math.min(REOPEN_MAX_MS, REOPEN_FIRST_MS * 2 ** this.failures);
    this.failures += 1;
    this.reopening = window.setTimeout(() => this.open(), delayMs);
  }

  private showSoon(): void {
    this.showing ??= window.setTimeout(() => this.showNow(null), SHOWN_AFTER_MS);
  }

  private showNow(problem: ApiProblem | null): void {
    window.clearTimeout(this.showing);
    this.showing = undefined;
    const { id, progress, rows } = this;
    this.show({ id, progress, rows: [...rows], problem });
  }
}
