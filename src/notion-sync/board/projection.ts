import { type Day, HORIZON_DAYS, type WorkCalendar, addDays, later } from '../../common/calendar';

/** The work of a task. */
export interface Work {
  readonly pageId: string;
  /** Null: no estimate; it takes no time and gets no projection. */
  readonly estimateHours: number | null;
  readonly startedOn: Day | null;
  readonly due: Day | null;
  /** The tasks on the list that go before it: see `constraintsOf`. */
  readonly parentId?: string | null;
  readonly blockedByIds?: readonly string[];
}

export interface Projection {
  /** Null: without an estimate, or further away than ten years. */
  readonly completesOn: Day | null;
  /** It cannot be ready on the day it is due. */
  readonly isAtRisk: boolean;
}

export interface WorkingTime {
  readonly today: Day;
  readonly hoursADay: number;
  readonly calendar: WorkCalendar;
}

/** How far the work is planned: the day, and the minutes of it that are used. */
interface Cursor {
  readonly day: Day;
  readonly takenMinutes: number;
}

/**
 * When one person will have completed each task, working on them one after the other in the given order
 * on workdays. A task begins when the one before it ends, but not before its started date, or before
 * today without one. While the next task starts on a later day, the person works on later tasks that do
 * not wait for it. So the first task counts from the day it was started, and no open task is completed
 * before today. Whole minutes keep sums of hours exact; a day counts whole, so a projection is the same
 * all day.
 */
export function project(works: readonly Work[], time: WorkingTime): Map<string, Projection> {
  const { today, calendar } = time;
  const earliest = calendar.onOrAfter(today);
  const projections = new Map<string, Projection>();
  let cursor: Cursor | null = { day: addDays(today, -HORIZON_DAYS), takenMinutes: 0 };
  const left = [...works];
  for (let work = nextOf(left, cursor, today); work !== null; work = nextOf(left, cursor, today)) {
    left.splice(left.indexOf(work), 1);
    if (cursor !== null) cursor = completed(cursor, work, time);
    const ready = cursor === null ? null : later(cursor.day, earliest);
    projections.set(work.pageId, {
      completesOn: work.estimateHours === null ? null : ready,
      isAtRisk: work.due !== null && (ready === null || ready > work.due),
    });
  }
  return projections;
}

/** The first task that can begin when the one before it ends; otherwise the one that can begin first. */
function nextOf(left: readonly Work[], cursor: Cursor | null, today: Day): Work | null {
  const [first] = left;
  if (first === undefined) return null;
  const now = later(cursor?.day ?? today, today);
  if (first.startedOn === null || first.startedOn <= now) return first;
  const held = new Set<string>();
  let soonest: Work | null = null;
  for (const work of left) {
    const isHeld = [work.parentId, ...(work.blockedByIds ?? [])].some((id) => held.has(id ?? ''));
    const startsOn = work.startedOn ?? today;
    if (!isHeld && startsOn <= now) return work;
    if (!isHeld && (soonest === null || startsOn < (soonest.startedOn ?? today))) soonest = work;
    held.add(work.pageId);
  }
  return soonest;
}

/** The cursor after a task; null beyond the horizon. */
function completed(cursor: Cursor, work: Work, time: WorkingTime): Cursor | null {
  const { today, hoursADay, calendar } = time;
  const dayMinutes = Math.round(hoursADay * 60);
  const last = addDays(today, HORIZON_DAYS);
  const earliest = later(work.startedOn ?? today, cursor.day);
  if (earliest > last) return null;
  const begin = calendar.onOrAfter(earliest);
  const taken = begin === cursor.day ? cursor.takenMinutes : 0;
  const minutes = taken + Math.round(Math.max(0, work.estimateHours ?? 0) * 60);
  const fullDays = Math.max(0, Math.ceil(minutes / dayMinutes) - 1);
  const day = calendar.plus(begin, fullDays, last);
  return day === null ? null : { day, takenMinutes: minutes - fullDays * dayMinutes };
}
