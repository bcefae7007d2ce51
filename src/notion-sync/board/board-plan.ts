import type { Settings } from '../../common/config';
import { type Ranking, rankBoard, type RankingRules } from './ranking';
import { type BoardTask, type WrittenValues, type PropertyPatch, patchOf } from './board-tasks';
import type { PropertyNames } from './board-schema';
import { type Projection, project } from './projection';
import { type Place, WorkCalendar, daysBetween, parseDay, dayIn } from '../../common/calendar';

/** Everything that one run on one person's board is going to do, and why. */
export interface BoardPlan {
  readonly ranking: Ranking;
  readonly projections: ReadonlyMap<string, Projection>;
  /** Closed and unassigned tasks that still show a rank. */
  readonly over: readonly BoardTask[];
  /** The ranked ones from the top, then those that are over. */
  readonly writes: readonly PageWrite[];
  readonly brake: BrakeDecision;
}

/** Plans the writes for a board as it was read. */
export class BoardPlanner {
  private readonly calendar: WorkCalendar;

  /** Throws UnknownPlaceError. */
  constructor(private readonly rules: BoardRules) {
    this.calendar = new WorkCalendar(rules.place);
  }

  /**
   * A task of several people is ranked only on the board of the first: it has one property for its rank,
   * which two boards would overwrite in turn.
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

/** One update of one page: only the properties that differ. */
export interface PageWrite {
  readonly pageId: string;
  /** Null: it is on no board. */
  readonly rank: number | null;
  readonly properties: PropertyPatch;
}

export interface BrakeDecision {
  readonly isBraked: boolean;
  /** Tasks that change places with others. */
  readonly moved: number;
  /** Tasks that had a rank before. */
  readonly of: number;
}

/** How boards are ranked, projected and written. */
export interface BoardRules {
  readonly names: PropertyNames;
  readonly ranking: Omit<RankingRules, 'today'>;
  readonly place: Place;
  readonly timeZone: string;
  readonly hoursADay: number;
  readonly brake: BrakeRules;
  readonly dates: DateRules;
}

export interface BrakeRules {
  /** The share of ranked tasks that may change places in one run. */
  readonly share: number;
  /** Boards with fewer ranked tasks are never braked, because half of three tasks is not unusual. */
  readonly minTasks: number;
}

/** When a changed projection alone is worth a call: each workday changes those of a whole board. */
export interface DateRules {
  /** It has changed by at least this many days. */
  readonly driftDays: number;
  /** Or its task has at most this rank. */
  readonly exactRanks: number;
}

/** A closed or unassigned task shows no rank, date or flag. */
export function clearingWrites(tasks: readonly BoardTask[], names: PropertyNames): PageWrite[] {
  const nothing: WrittenValues = { queueRank: null, projectedCompletion: null, atRisk: false };
  return tasks.map((task) => ({
    pageId: task.pageId,
    rank: null,
    properties: patchOf(differences(task, nothing, names), names),
  }));
}

/** Of the properties that the board has: a property whose name is null is switched off. */
function differences(
  { written }: BoardTask,
  wanted: WrittenValues,
  names: PropertyNames,
): Partial<WrittenValues> {
  const keys = (Object.keys(wanted) as (keyof WrittenValues)[]).filter(
    (key) => names[key] !== null,
  );
  return Object.fromEntries(
    keys.filter((key) => wanted[key] !== written[key]).map((key) => [key, wanted[key]]),
  );
}

/**
 * The writes that make a board show its ranking, the top first. Values are compared, because
 * `last_edited_time` has a resolution of minutes; right values are not written again.
 */
export function pageWrites(
  ranking: Ranking,
  projections: ReadonlyMap<string, Projection>,
  { names, dates }: { readonly names: PropertyNames; readonly dates: DateRules },
): PageWrite[] {
  return ranking.ranked.flatMap(({ task, rank }) => {
    const projection = projections.get(task.pageId);
    const wanted: WrittenValues = {
      queueRank: rank,
      projectedCompletion: projection?.completesOn ?? null,
      atRisk: projection?.isAtRisk ?? false,
    };
    const different = differences(task, wanted, names);
    if (isSmallDrift(different, task.written, rank, dates)) return [];
    const properties = patchOf(different, names);
    return Object.keys(properties).length === 0 ? [] : [{ pageId: task.pageId, rank, properties }];
  });
}

/** Only the date differs, and too little to be written by itself. */
function isSmallDrift(
  different: Partial<WrittenValues>,
  written: WrittenValues,
  rank: number,
  { driftDays, exactRanks }: DateRules,
): boolean {
  const { projectedCompletion: wanted, ...others } = different;
  if (wanted == null || rank <= exactRanks || Object.keys(others).length > 0) return false;
  const [from, to] = [parseDay(written.projectedCompletion ?? ''), parseDay(wanted)];
  return from !== null && to !== null && Math.abs(daysBetween(from, to)) < driftDays;
}

/**
 * Whether a run is so unusual that a person should approve it first. Only changes of order count: a new
 * task at the top gives every other task a new number, and every morning gives them new dates, but the
 * order stays. `moved` is the smallest number of tasks without which the others keep their order. The
 * caller lets a board's first ranking through.
 */
export function brakeOf(ranking: Ranking, rules: BrakeRules): BrakeDecision {
  const before = ranking.ranked.flatMap(({ task }) => task.written.queueRank ?? []);
  const moved = before.length - longestRise(before);
  const isLarge = before.length >= rules.minTasks;
  return { isBraked: isLarge && moved > rules.share * before.length, moved, of: before.length };
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

/** The effort of a run: "74 writes, about 25 s". */
export function describeRun(writes: number, writesPerSecond: number): string {
  if (writes === 0) return 'no writes';
  const seconds = Math.ceil(writes / writesPerSecond);
  const time = seconds < 120 ? `${String(seconds)} s` : `${String(Math.round(seconds / 60))} min`;
  return `${String(writes)} ${writes === 1 ? 'write' : 'writes'}, about ${time}`;
}

/** For the attention list. */
export function describeBrake({ moved, of }: BrakeDecision): string {
  return `The ranking would move ${String(moved)} of ${String(of)} tasks; nothing was written.`;
}

/**
 * The rules of an installation. A date that moves by less than a working week is not worth a call, except where
 * people look first; a board of a few tasks is reordered by one edit. A due date counts as four units of
 * importance and a long wait as two, which NOTION_WEIGHT_IMPORTANCE moves.
 */
export function boardRules({ ranking, brake, ...rest }: Settings['notionBoard']): BoardRules {
  return {
    ...rest,
    ranking: {
      strategy: ranking.strategy,
      weights: { importance: ranking.importanceWeight, due: 40, age: 20 },
    },
    brake: { ...brake, minTasks: 10 },
    dates: { driftDays: 5, exactRanks: 10 },
  };
}
