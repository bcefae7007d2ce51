import type { BoardTask, Written } from '../board/board-task';
import type { PropertyNames } from '../board/property-names';
import { type PropertyPatch, patchOf } from '../board/patch';
import type { Projection } from '../calendar/project';
import { daysBetween, parseDay } from '../calendar/day';
import type { Ranking } from '../ranking/rank-board';

/** One update of one page: only the properties that differ. */
export interface PageWrite {
  readonly pageId: string;
  /** Null: it is on no board any more. */
  readonly rank: number | null;
  readonly properties: PropertyPatch;
}

/** When a projected completion is worth a call of its own: each workday moves those of a whole board. */
export interface DateRules {
  /** It has moved by so many days. */
  readonly driftDays: number;
  /** Or its task has one of the first so many ranks. */
  readonly exactRanks: number;
}

/**
 * What has to be written so that a board shows its ranking, the top first. Compared by value
 * (`last_edited_time` knows minutes only): what is right already is not written again.
 */
export function pageWrites(
  ranking: Ranking,
  projections: ReadonlyMap<string, Projection>,
  { names, dates }: { readonly names: PropertyNames; readonly dates: DateRules },
): PageWrite[] {
  return ranking.ranked.flatMap(({ task, rank }) => {
    const projection = projections.get(task.pageId);
    const wanted: Written = {
      queueRank: rank,
      projectedCompletion: projection?.completesOn ?? null,
      atRisk: projection?.isAtRisk ?? false,
    };
    const different = differences(task, wanted);
    if (isSmallDrift(different, task.written, rank, dates)) return [];
    const properties = patchOf(different, names);
    return Object.keys(properties).length === 0 ? [] : [{ pageId: task.pageId, rank, properties }];
  });
}

/** A task that is closed, or that nobody has any more, shows no rank, date or flag. */
export function clearingWrites(tasks: readonly BoardTask[], names: PropertyNames): PageWrite[] {
  const nothing: Written = { queueRank: null, projectedCompletion: null, atRisk: false };
  return tasks.map((task) => ({
    pageId: task.pageId,
    rank: null,
    properties: patchOf(differences(task, nothing), names),
  }));
}

/** Only the date differs, and not enough to be written by itself. */
function isSmallDrift(
  different: Partial<Written>,
  written: Written,
  rank: number,
  { driftDays, exactRanks }: DateRules,
): boolean {
  const { projectedCompletion: wanted, ...others } = different;
  if (wanted == null || rank <= exactRanks || Object.keys(others).length > 0) return false;
  const [from, to] = [parseDay(written.projectedCompletion ?? ''), parseDay(wanted)];
  return from !== null && to !== null && Math.abs(daysBetween(from, to)) < driftDays;
}

function differences({ written }: BoardTask, wanted: Written): Partial<Written> {
  const keys = Object.keys(wanted) as (keyof Written)[];
  return Object.fromEntries(
    keys.filter((key) => wanted[key] !== written[key]).map((key) => [key, wanted[key]]),
  );
}

/** The writes of a large board in parts, between which another person's board may have its turn. */
export function inChunks<T>(writes: readonly T[], size: number): T[][] {
  const chunks = Math.ceil(writes.length / size);
  return Array.from({ length: chunks }, (_, n) => writes.slice(n * size, (n + 1) * size));
}
