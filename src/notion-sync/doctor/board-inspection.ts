import {
  type BoardPlan,
  type PageWrite,
  boardRules,
  describeRun,
  BoardPlanner,
} from '../board/board-plan';
import { describeCycle, explainRank } from '../board/rank-explanation';
import { Injectable } from '@nestjs/common';
import { NotionNotFoundError } from '../api/errors';
import { NotionApi, type Person } from '../api/notion-api';
import { NotionRetries, NO_LEASE, NotionCalls } from '../api/notion-calls';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { UnitOfWorkFactory } from '../../common/uow';
import { presentFirst } from '../board/board-schema';
import { BoardReader } from '../sync/board-reader';
import { ScheduleRepository } from '../sync/schedule.repository';
import { People } from './people';

/** Explains a board. It writes nothing. */
@Injectable()
export class BoardInspection {
  private readonly planner: BoardPlanner;
  private readonly calls: NotionCalls;

  /** Throws UnknownPlaceError. */
  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly api: NotionApi,
    private readonly reader: BoardReader,
    private readonly people: People,
    private readonly runs: ScheduleRepository,
    private readonly units: UnitOfWorkFactory,
    retries: NotionRetries,
  ) {
    this.planner = new BoardPlanner(boardRules(settings.notionBoard));
    this.calls = new NotionCalls(NO_LEASE, retries);
  }

  /**
   * What a run would now do on the board of the person with this id, name or e-mail address. Throws
   * NotionNotFoundError.
   */
  async plan(wanted: string): Promise<PlanReport> {
    const found = await this.people.find(this.calls, wanted);
    const [person] = found;
    if (person === undefined) {
      throw new NotionNotFoundError(`There is no person "${wanted}" in the workspace.`);
    }
    if (found.length > 1) {
      const ids = found.map(({ id, email }) => `  ${id}  ${email ?? ''}`.trimEnd());
      const lines = [`Several people are called ${wanted}; use one of these ids:`, ...ids];
      return { lines, people: found, person: null, ...NO_PLAN };
    }
    const plan = await this.planOf(person.id);
    const who = person.name === null ? person.id : `${person.name} (${person.id})`;
    if (typeof plan === 'string') {
      const lines = [`The board of ${who} cannot be ranked. ${plan}`];
      return { lines, people: found, person, ...NO_PLAN };
    }
    const { maxPerSecond, maxPerMinute } = this.settings.notion;
    const writesPerSecond = Math.min(maxPerSecond, maxPerMinute / 60);
    return {
      lines: [`The board of ${who}`, ...describePlan(plan, writesPerSecond)],
      people: found,
      person,
      openTasks: plan.ranking.ranked.length,
      writes: plan.writes.map(({ pageId, rank, properties }) => ({ pageId, rank, properties })),
      isBraked: plan.brake.isBraked,
    };
  }

  /** Why a page has its place on the board of its first assignee. */
  async why(pageId: string): Promise<RankReport> {
    const page = await this.calls.make((holder) => this.api.retrievePage(holder, pageId));
    const unranked = (reason: string): RankReport => ({
      lines: [reason],
      pageId: page.id,
      person: null,
      rank: null,
      openTasks: null,
      reasons: [reason],
    });
    const { parent } = page;
    const { dataSourceId } = this.settings.notionSync;
    if (!('data_source_id' in parent) || parent.data_source_id !== dataSourceId) {
      return unranked('This page is not in the data source of the tasks (NOTION_DATA_SOURCE_ID).');
    }
    const { assignee } = this.settings.notionBoard.names;
    const property = page.properties[assignee];
    const people = property?.type === 'people' ? property.people : [];
    const [person] = presentFirst<(typeof people)[number] & { type?: unknown }>(people);
    if (person === undefined) return unranked('This page has no assignee, so it is not ranked.');
    const name = 'name' in person ? person.name : null;
    const plan = await this.planOf(person.id);
    const isPlanned = typeof plan !== 'string';
    const reasons = isPlanned ? describeRank(plan, page.id) : [`It cannot be ranked. ${plan}`];
    const ranked = isPlanned ? plan.ranking.ranked : [];
    const shared = 'Several people have this task: it is ranked on the board of the first.';
    return {
      lines: [
        ...(people.length > 1 ? [shared] : []),
        `The board of ${name ?? person.id}`,
        ...reasons.map((line) => `  ${line}`),
      ],
      pageId: page.id,
      person: { id: person.id, name },
      rank: ranked.find(({ task }) => task.pageId === page.id)?.rank ?? null,
      openTasks: isPlanned ? ranked.length : null,
      reasons,
    };
  }

  /** The plan, or why there is none. */
  private async planOf(userId: string): Promise<BoardPlan | string> {
    const read = await this.reader.read(this.calls, userId);
    if (read.kind === 'refused') return read.reason;
    // Only a run pauses its query for other boards.
    if (read.kind === 'paused') throw new Error('the query of an inspection is never paused');
    const plan = this.planner.planFor(userId, read.tasks, this.clock.now());
    const isBraked = plan.brake.isBraked && !(await this.isFirstRanking(userId));
    return { ...plan, brake: { ...plan.brake, isBraked } };
  }

  private isFirstRanking(userId: string): Promise<boolean> {
    return this.units.run('notion.plan', (uow) =>
      uow.commit('notion.first_ranking', (tx) => this.runs.isFirstRanking(tx, userId)),
    );
  }
}

const NO_PLAN = { openTasks: null, writes: null, isBraked: null };

/** What an operator reads, and the same as fields for programs. */
interface PlanReport {
  readonly lines: readonly string[];
  /** Everybody who is called so. With several of them there is no plan. */
  readonly people: readonly Person[];
  /** Null: several people are called so. */
  readonly person: Person | null;
  /** Null: there is no plan, and `lines` say why. */
  readonly openTasks: number | null;
  readonly writes: readonly PlannedWrite[] | null;
  readonly isBraked: boolean | null;
}

interface PlannedWrite {
  readonly pageId: string;
  /** Null: the task is closed or unassigned. */
  readonly rank: number | null;
  /** As Notion's API takes them. */
  readonly properties: PageWrite['properties'];
}

/** A plan as lines for an operator. */
export function describePlan(plan: BoardPlan, writesPerSecond: number): string[] {
  const { ranking, over, writes, brake } = plan;
  const tasks = [...ranking.ranked.map(({ task }) => task), ...over];
  const names = new Map(tasks.map((task) => [task.pageId, titleOf(task.name)]));
  const nameOf = (pageId: string): string => names.get(pageId) ?? '';
  const lines = [
    `${String(ranking.ranked.length)} open tasks: ${describeRun(writes.length, writesPerSecond)}`,
    ...writes.map((write) => writeLine(write, nameOf(write.pageId))),
    ...ranking.cycles.map((cycle) => describeCycle(cycle, nameOf)),
  ];
  if (brake.isBraked) {
    const moved = `${String(brake.moved)} of ${String(brake.of)} ranked tasks would change places`;
    lines.push(`The brake would hold it back until a person approves it: ${moved}.`);
  }
  return lines;
}

function titleOf(name: string): string {
  return name.trim() === '' ? '(untitled)' : name.trim();
}

function writeLine({ rank, properties }: PageWrite, name: string): string {
  const values = Object.entries(properties).map(
    ([property, value]) => `${property} = ${valueText(value)}`,
  );
  const place = rank === null ? 'closed or unassigned' : `${String(rank)}.`;
  return `  ${place} ${name}: ${values.join(', ')}`;
}

/** A value that `patchOf` makes: a number, a date or a checkbox. */
function valueText(value: PageWrite['properties'][string]): string {
  if ('number' in value) return value.number === null ? 'empty' : String(value.number);
  if ('checkbox' in value) return value.checkbox ? 'yes' : 'no';
  if ('date' in value) return value.date?.start ?? 'empty';
  return 'changed';
}

/** Why a task has its rank. */
interface RankReport {
  readonly lines: readonly string[];
  readonly pageId: string;
  /** Whose board it is; null: the page is on no board. */
  readonly person: { readonly id: string; readonly name: string | null } | null;
  /** Null: it is not ranked, and `reasons` say why. */
  readonly rank: number | null;
  readonly openTasks: number | null;
  readonly reasons: readonly string[];
}

/** A page's place on a board and its projection, one sentence per line. */
export function describeRank({ ranking, projections }: BoardPlan, pageId: string): string[] {
  const lines = explainRank(ranking, pageId);
  if (lines === null) return ['It is not among the open tasks there, so it is not ranked.'];
  const projection = projections.get(pageId);
  const day = projection?.completesOn ?? null;
  const isAtRisk = projection?.isAtRisk ?? false;
  const ready =
    day === null
      ? 'It has no estimate, or is too far away for a projected completion.'
      : `Its projected completion is ${day}.`;
  return [...lines, ready, ...(isAtRisk ? ['It is at risk: due before it can be ready.'] : [])];
}
