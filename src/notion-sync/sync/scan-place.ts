const MINUTE_MS = 60_000;

/**
 * The place of a scan. A query of Notion returns 10,000 pages at most, so the scan continues with another
 * query: a window that begins at the time of creation that it has reached. Notion rounds those times
 * down to the minute.
 */
export interface ScanPlace {
  /** The cursor of the next batch of this window; null: the window begins. */
  readonly cursor: string | null;
  /** Where the window begins; null: with the oldest page. */
  readonly from: Date | null;
  /** When the newest page so far was created; null: none was seen. */
  readonly reached: Date | null;
  /** Notion has reported that it does not return the whole window. */
  readonly isCapped: boolean;
  /** Nothing was left out so far. */
  readonly isWhole: boolean;
  /** Names of the statuses of closed tasks; null: the scan begins. */
  readonly closed: readonly string[] | null;
}

/** One batch of a window. */
export interface ScannedBatch {
  readonly createdAt: readonly Date[];
  readonly nextCursor: string | null;
  /** As QueriedPages has it. */
  readonly isComplete: boolean;
}

export interface ScanStep {
  /** Null: this was the last batch of the scan. */
  readonly next: ScanPlace | null;
  readonly isWhole: boolean;
  /** A minute in which more pages were created than one query returns; the rest is skipped. */
  readonly crowdedMinute: Date | null;
}

export function placeAfter(place: ScanPlace, batch: ScannedBatch): ScanStep {
  const times = [...batch.createdAt, place.reached].flatMap((at) => at?.getTime() ?? []);
  const reached = times.length === 0 ? null : new Date(Math.max(...times));
  const isCapped = place.isCapped || !batch.isComplete;
  const { isWhole } = place;
  if (batch.nextCursor !== null) {
    const next = { ...place, cursor: batch.nextCursor, reached, isCapped };
    return { next, isWhole, crowdedMinute: null };
  }
  if (!isCapped) return { next: null, isWhole, crowdedMinute: null };
  if (reached === null) return { next: null, isWhole: false, crowdedMinute: null };
  const window = { ...place, cursor: null, reached, isCapped: false };
  if (place.from === null || reached > place.from) {
    return { next: { ...window, from: reached }, isWhole, crowdedMinute: null };
  }
  const from = new Date(place.from.getTime() + MINUTE_MS);
  return { next: { ...window, from, isWhole: false }, isWhole: false, crowdedMinute: place.from };
}
