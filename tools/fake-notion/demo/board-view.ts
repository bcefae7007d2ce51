import type { NotionServer } from '../notion-server';
import type { Board } from '../people/board';
import type { NotionPage } from '../people/notion-page';
import type { NotionUser } from '../people/notion-user';
import { type Column, findColumn } from '../world/source';
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
  };
  readonly events: { readonly made: number; readonly taken: number };
}

export function boardView(
  notion: NotionServer,
  { board, people }: Filled,
  person: NotionUser,
): BoardView {
  const open = openTasks(board);
  const of = (one: NotionUser): readonly NotionPage[] => open.get(one.id) ?? [];
  const { journal, webhooks } = notion;
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
      mostInASecond: journal.mostWithin(1000),
    },
    events: {
      made: webhooks.feed.made.length,
      taken: webhooks.attempts.filter(({ status }) => status === 200).length,
    },
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
