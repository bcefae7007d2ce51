import { type Ranking, rankBoard, type RankingRules } from './ranking';
import { type BoardTask, type Written, type PropertyPatch, patchOf } from './board-tasks';
import type { PropertyNames } from './board-schema';
import { type Projection, project } from './projection';
import { daysBetween, parseDay, dayIn } from './day';
import { type Place, WorkCalendar } from './work-calendar';

export interface BrakeRules {
  /** Of the tasks that have a rank, the share that may change places in one run. */
  readonly share: number;
  /** Boards with fewer ranked tasks are never braked: half of three tasks is nothing unusual. */
  readonly minTasks: number;
}

export interface BrakeDecision {
  readonly isBraked: boolean;
  /** Tasks that change places with others. */
  readonly moved: number;
  /** Tasks that had a rank before. */
  readonly of: number;
}

/**
 * Whether a run is so unusual that a person should see it first. What counts is who changes places
 * with whom: a new task at the top gives every other task a new number, and every morning gives
 * them new dates, and yet nobody's work is turned round. `moved` is the fewest tasks that have to
 * be taken out so that the others stay in their old order. A board's first ranking moves nobody.
 */
export function brakeOf(ranking: Ranking, rules: BrakeRules): BrakeDecision {
  const before = ranking.ranked.flatMap(({ task }) => task.written.queueRank ?? []);
  const moved = before.length - longestRise(before);
  const isLarge = before.length >= rules.minTasks;
  return { isBraked: isLarge && moved > rules.share * before.length, moved, of: before.length };
}

/** For the attention list. */
export function describeBrake({ moved, of }: BrakeDecision): string {
  return `The ranking would move ${String(moved)} of ${String(of)} tasks; nothing was written.`;
}

/** Length of the longest subsequence that never falls (patience sorting). */
function longestRise(values: readonly number[]): number {
  const tails: number[] = [];
  for (const value of values) {
    const place = tails.findIndex((tail) => tail > value);
    tails[place === -1 ? tails.length : place] = value;
  }
  return tails.length;
}

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

/** How boards are ranked, projected and written; `Settings.notionBoard` has this shape. */
export interface BoardRules {
  readonly names: PropertyNames;
  readonly ranking: Omit<RankingRules, 'today'>;
  readonly place: Place;
  readonly timeZone: string;
  readonly hoursADay: number;
  readonly brake: BrakeRules;
  readonly dates: DateRules;
}

/** Everything that one run on one person's board is going to do, and why. */
export interface BoardPlan {
  readonly ranking: Ranking;
  readonly projections: ReadonlyMap<string, Projection>;
  /** Closed tasks and nobody's, which still show a rank. */
  readonly over: readonly BoardTask[];
  /** The ranked ones from the top, then those that are over. */
  readonly writes: readonly PageWrite[];
  readonly brake: BrakeDecision;
}

/** From a board as it was read to what has to be written. */
export class BoardPlanner {
  private readonly calendar: WorkCalendar;

  /** Throws UnknownPlaceError. */
  constructor(private readonly rules: BoardRules) {
    this.calendar = new WorkCalendar(rules.place);
  }

  /**
   * A task of several people is ranked on the board of the first of them alone: it has one property
   * for its rank, which two boards would write in turns.
   */
  planFor(userId: string, tasks: readonly BoardTask[], now: Date): BoardPlan {
    const own = tasks.filter(({ assigneeIds }) => assigneeIds[0] === userId);
    const plan = this.plan(
      own.filter(({ isClosed }) => !isClosed),
      now,
    );
    const nobodys = tasks.filter(({ assigneeIds }) => assigneeIds.length === 0);
    const over = [...own.filter(({ isClosed }) => isClosed), ...nobodys].filter(
      ({ written }) => written.queueRank !== null,
    );
    return { ...plan, over, writes: [...plan.writes, ...clearingWrites(over, this.rules.names)] };
  }

  plan(tasks: readonly BoardTask[], now: Date): BoardPlan {
    const { names, hoursADay, timeZone, brake, dates } = this.rules;
    const today = dayIn(timeZone, now);
    const ranking = rankBoard(tasks, { ...this.rules.ranking, today });
    const projections = project(ranking.workOrder, { today, hoursADay, calendar: this.calendar });
    return {
      ranking,
      projections,
      over: [],
      writes: pageWrites(ranking, projections, { names, dates }),
      brake: brakeOf(ranking, brake),
    };
  }
}

/** What a run will take: "74 writes, about 25 s". */
export function describeRun(writes: number, writesPerSecond: number): string {
  if (writes === 0) return 'no writes';
  const seconds = Math.ceil(writes / writesPerSecond);
  const time = seconds < 120 ? `${String(seconds)} s` : `${String(Math.round(seconds / 60))} min`;
  return `${String(writes)} ${writes === 1 ? 'write' : 'writes'}, about ${time}`;
}
