import fc from 'fast-check';
import { Settings } from '../../src/common/config';
import type { BoardPage, BoardTask } from '../../src/notion-sync/board/board-tasks';
import { type Day, addDays, parseDay } from '../../src/common/calendar';
import { type PageWrite, boardRules } from '../../src/notion-sync/board/board-plan';
import type { RankingRules } from '../../src/notion-sync/board/ranking';

export function day(text: string): Day {
  const parsed = parseDay(text);
  if (parsed === null) throw new Error(`${text} is not a valid day`);
  return parsed;
}

/** A Sunday. */
export const TODAY = day('2026-11-22');
export const CLOSED_STATUS = 'status-done';
const { notionBoard } = Settings.fromEnvironment({});
export const boardSettings = { ...notionBoard, ...boardRules(notionBoard) };

export function rulesOf(strategy: RankingRules['strategy']): RankingRules {
  return { strategy, weights: boardSettings.ranking.weights, today: TODAY };
}

export function taskOf(pageId: string, about: Partial<BoardTask> = {}): BoardTask {
  return {
    pageId,
    name: `Task ${pageId}`,
    assigneeIds: ['person'],
    importance: null,
    status: 'To do',
    isClosed: false,
    due: null,
    estimateHours: null,
    startedOn: null,
    parentId: null,
    blockedByIds: [],
    createdAt: '2026-11-22T08:00:00.000Z',
    createdOn: TODAY,
    written: { queueRank: null, projectedCompletion: null, atRisk: false },
    ...about,
  };
}

const ID = (n: number): string => `page-${String(n).padStart(2, '0')}`;
const nearbyDay = fc.integer({ min: -20, max: 30 }).map((days) => addDays(TODAY, days));

function taskAt(place: number, size: number): fc.Arbitrary<BoardTask> {
  // Some ids are not on the board: such a task is closed or belongs to another person.
  const someId = fc.integer({ min: 0, max: size + 1 }).map(ID);
  return fc
    .record({
      importance: fc.option(fc.integer({ min: -1, max: 4 })),
      due: fc.option(nearbyDay),
      estimateHours: fc.option(fc.integer({ min: 0, max: 160 }).map((n) => n / 4)),
      startedOn: fc.option(nearbyDay, { freq: 2 }),
      parentId: fc.option(someId, { freq: 1 }),
      blockedByIds: fc.oneof(fc.constant([]), fc.array(someId, { maxLength: 2 })),
      isClosed: fc.nat(9).map((n) => n === 0),
      createdOn: fc.integer({ min: -100, max: 0 }).map((days) => addDays(TODAY, days)),
    })
    .map((about) => taskOf(ID(place), { ...about, createdAt: `${about.createdOn}T08:00:00.000Z` }));
}

/** Any board of one person; tasks may be closed, block in a circle or refer to tasks of others. */
export const anyBoard: fc.Arbitrary<BoardTask[]> = fc
  .integer({ min: 0, max: 12 })
  .chain((size) => fc.tuple(...Array.from({ length: size }, (_, n) => taskAt(n, size))));

/** A board, and its tasks in another order. */
export const anyBoardTwice = anyBoard.chain((tasks) =>
  fc.tuple(
    fc.constant(tasks),
    fc.shuffledSubarray(tasks, { minLength: tasks.length, maxLength: tasks.length }),
  ),
);

/** A page as the Notion API returns it. */
export function pageOf(task: BoardTask): BoardPage {
  const { written } = task;
  const date = (start: string | null) => ({
    type: 'date',
    date: start === null ? null : { start, end: null, time_zone: null },
  });
  const relation = (ids: readonly string[]) => ({
    type: 'relation',
    relation: ids.map((id) => ({ id })),
    has_more: false,
  });
  const status = { id: task.isClosed ? CLOSED_STATUS : 'status-open', name: task.status ?? '' };
  return {
    id: task.pageId,
    created_time: task.createdAt,
    properties: {
      Name: { id: 'title', type: 'title', title: [{ type: 'text', plain_text: task.name }] },
      Assignee: {
        id: 'a',
        type: 'people',
        people: task.assigneeIds.map((id) => ({ object: 'user', id })),
      },
      Importance: { id: 'b', type: 'number', number: task.importance },
      Status: {
        id: 'c',
        type: 'status',
        status: task.status === null ? null : { ...status, color: 'default' },
      },
      Due: date(task.due),
      Estimate: { id: 'd', type: 'number', number: task.estimateHours },
      'Task Started Date': date(task.startedOn),
      'Parent Task': relation(task.parentId === null ? [] : [task.parentId]),
      'Blocked By': relation(task.blockedByIds),
      'Queue Rank': { id: 'e', type: 'number', number: written.queueRank },
      'Projected Completion': date(written.projectedCompletion),
      'At risk': { id: 'f', type: 'checkbox', checkbox: written.atRisk ?? false },
    },
  };
}

/** The page that Notion returns after an update: it has the given values, each with its type. */
export function updated(page: BoardPage, write: PageWrite | undefined): BoardPage {
  const properties = { ...page.properties };
  for (const [name, value] of Object.entries(write?.properties ?? {})) {
    const [type = ''] = Object.keys(value);
    properties[name] = { type, ...value };
  }
  return { ...page, properties };
}

export const READING = { ...boardSettings, closedStatusIds: new Set([CLOSED_STATUS]) };
