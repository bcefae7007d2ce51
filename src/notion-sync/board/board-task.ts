import type { Day } from '../calendar/day';

/** What one row of a person's board means to us. Days are in the board's time zone. */
export interface BoardTask {
  readonly pageId: string;
  readonly name: string;
  /** Notion users. */
  readonly assigneeIds: readonly string[];
  /** The higher, the sooner; null: nobody said. */
  readonly importance: number | null;
  readonly status: string | null;
  /** Its status is of the group "Complete". */
  readonly isClosed: boolean;
  readonly due: Day | null;
  readonly estimateHours: number | null;
  readonly startedOn: Day | null;
  readonly parentId: string | null;
  readonly blockedByIds: readonly string[];
  /** As Notion writes it, in UTC: such texts compare as the instants do. */
  readonly createdAt: string;
  readonly createdOn: Day | null;
  readonly written: Written;
}

/** What the sync has written into a row, or would write. */
export interface Written {
  readonly queueRank: number | null;
  /** A day; anything else that a person put there is kept as it reads, so that it differs. */
  readonly projectedCompletion: string | null;
  readonly atRisk: boolean | null;
}
