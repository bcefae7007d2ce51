import type { BoardTask } from '../board/board-task';
import type { PropertyNames } from '../board/property-names';
import type { Place } from '../calendar/holidays';
import { type Projection, project } from '../calendar/project';
import { WorkCalendar } from '../calendar/work-calendar';
import { dayIn } from '../calendar/day';
import { type Ranking, rankBoard } from '../ranking/rank-board';
import type { RankingRules } from '../ranking/criteria';
import { type BrakeDecision, type BrakeRules, brakeOf } from './brake';
import { type DateRules, type PageWrite, clearingWrites, pageWrites } from './page-writes';

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
