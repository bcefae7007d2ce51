import type { NotionServer } from '../notion-server';
import type { Board } from '../people/board';
import type { NotionPage } from '../people/notion-page';
import type { NotionUser } from '../people/notion-user';
import { type Column, findColumn } from '../state/source';
import type { Filled } from './fill';

interface TaskView {
  readonly id: string;
  readonly name: string;
  readonly rank: number | null;
  readonly importance: number | null;
  readonly status: string | null;
  readonly due: string | null;
  readonly estimate: number | null;
  readonly projected: string | null;
  readonly isAtRisk: boolean;
  /** Names of the tasks that block it. */
  readonly blockedBy: readonly string[];
}

/** Where a board stands in Colloquy's queue. */
export interface BoardState {
  readonly personId: string;
  /** `waiting` for quiet, `ready` for its turn, `running`, or `retry` after a failure. */
  readonly state: 'waiting' | 'ready' | 'running' | 'retry';
  /** When it is ready, or since when it is; Unix time in milliseconds. */
  readonly dueAtMs: number;
}

/** Something that happened on a board, newest first on the page. */
export interface Happened {
  readonly who: string;
  readonly did: 'add' | 'importance' | 'status' | 'assign' | 'ranked';
  /** A task; for `ranked` whose board it is. */
  readonly what: string;
  readonly value: string;
}

/** What the page shows. */
export interface BoardView {
  readonly title: string;
  readonly people: readonly { readonly id: string; readonly name: string; readonly open: number }[];
  readonly person: { readonly id: string; readonly name: string };
  readonly statuses: readonly string[];
  /** Open ones only; by rank, those without one last. */
  readonly tasks: readonly TaskView[];
  readonly calls: {
    readonly total: number;
    readonly writes: number;
    readonly tooMany: number;
    readonly mostInASecond: number;
    readonly lastSecond: number;
    readonly lastMinute: number;
    readonly perSecond: number | null;
    readonly perMinute: number | null;
  };
  readonly events: { readonly made: number; readonly taken: number };
  /** Boards that are to be ranked; the next one first. */
  readonly queue: readonly BoardState[];
  readonly happened: readonly Happened[];
  /** Whether colleagues who are played edit their boards; null: there are none. */
  readonly colleagues: boolean | null;
}

export interface Seen {
  readonly queue: readonly BoardState[];
  readonly happened: readonly Happened[];
  readonly colleagues: boolean | null;
  readonly nowMs: number;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const PLACES = ['running', 'ready', 'retry', 'waiting'];

export function boardView(
  notion: NotionServer,
  { board, people }: Filled,
  person: NotionUser,
  { queue, happened, colleagues, nowMs }: Seen,
): BoardView {
  const open = openTasks(board);
  const of = (one: NotionUser): readonly NotionPage[] => open.get(one.id) ?? [];
  const { journal, webhooks, limits } = notion;
  return {
    title: board.source.title,
    people: people.map((one) => ({ id: one.id, name: one.name, open: of(one).length })),
    person: { id: person.id, name: person.name },
    statuses: statusColumn(board).options.map(({ name }) => name),
    tasks: of(person)
      .map((task) => taskView(board, task))
      .sort(byRank),
    calls: {
      total: journal.all.length,
      writes: journal.calls('updatePage').length,
      tooMany: journal.refused(429).length,
      mostInASecond: journal.mostWithin(SECOND_MS),
      lastSecond: journal.countSince(nowMs - SECOND_MS),
      lastMinute: journal.countSince(nowMs - MINUTE_MS),
      perSecond: limits.allowed.perSecond,
      perMinute: limits.allowed.perWindow,
    },
    events: {
      made: webhooks.feed.made.length,
      taken: webhooks.attempts.filter(({ status }) => status === 200).length,
    },
    queue: queue.toSorted(
      (one, other) =>
        PLACES.indexOf(one.state) - PLACES.indexOf(other.state) || one.dueAtMs - other.dueAtMs,
    ),
    happened,
    colleagues,
  };
}

/** By the id of their first assignee. */
function openTasks(board: Board): ReadonlyMap<string, readonly NotionPage[]> {
  const closed = closedStatuses(board);
  const found = new Map<string, NotionPage[]>();
  for (const task of board.tasks) {
    if (closed.includes(String(task.value('Status')))) continue;
    const [assignee] = task.value('Assignee') as readonly string[];
    if (assignee === undefined) continue;
    const tasks = found.get(assignee) ?? [];
    tasks.push(task);
    found.set(assignee, tasks);
  }
  return found;
}

function closedStatuses(board: Board): readonly string[] {
  const { options, groups } = statusColumn(board);
  const ids = groups.find(({ name }) => name === 'Complete')?.option_ids ?? [];
  return options.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
}

function statusColumn(board: Board): Column {
  const column = findColumn(board.source, 'Status');
  if (column === null) throw new Error('the board has no Status');
  return column;
}

function taskView(board: Board, task: NotionPage): TaskView {
  const blockers = task.value('Blocked By') as readonly string[];
  return {
    id: task.id,
    name: task.title,
    rank: task.value('Queue Rank') as number | null,
    importance: task.value('Importance') as number | null,
    status: task.value('Status') as string | null,
    due: task.value('Due') as string | null,
    estimate: task.value('Estimate') as number | null,
    projected: task.value('Projected Completion') as string | null,
    isAtRisk: task.value('At risk') === true,
    blockedBy: blockers.map((id) => board.page(id).title),
  };
}

function byRank(one: TaskView, other: TaskView): number {
  return (one.rank ?? Infinity) - (other.rank ?? Infinity) || 0;
}
