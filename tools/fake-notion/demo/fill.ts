import type { NotionServer } from '../notion-server';
import type { Board } from '../people/board';
import type { NotionPage } from '../people/notion-page';
import type { NotionUser } from '../people/notion-user';

const FIRST = 'Ada Boris Clara Dmitri Elena Farid Grace Hugo Irina Jonas'.split(' ');
const LAST = 'Abbott Belova Costa Duarte Eriksen'.split(' ');
const VERBS = 'Review Write Fix Plan Test Translate Measure'.split(' ');
const THINGS =
  'the offer, the login page, the report, the interview, the invoice, the search'.split(', ');
const STATUSES = ['Not started', 'Not started', 'In progress', 'In review', 'Done'];
const DAY_MS = 86_400_000;

export interface Filled {
  readonly board: Board;
  readonly people: readonly NotionUser[];
}

/** Creates people with tasks, the same ones each time; dates are around `today`. */
export function fill(
  { workspace }: NotionServer,
  { people: count, tasksEach, today }: { people: number; tasksEach: number; today: Date },
): Filled {
  const board = workspace.board({ title: 'Tasks of everybody' });
  const names = FIRST.flatMap((first) => LAST.map((last) => `${first} ${last}`));
  const people = Array.from({ length: count }, (_, n) =>
    workspace.user(names[n] ?? `Person ${String(n + 1)}`),
  );
  const chance = chances(count * tasksEach);
  for (const person of people) {
    let before: NotionPage | null = null;
    for (let n = 1; n <= tasksEach; n += 1) before = addJob(board, person, before, chance, today);
  }
  return { board, people };
}

function addJob(
  board: Board,
  person: NotionUser,
  before: NotionPage | null,
  chance: (below: number) => number,
  today: Date,
): NotionPage {
  const day = (days: number): string =>
    new Date(today.getTime() + days * DAY_MS).toISOString().slice(0, 10);
  const status = STATUSES[chance(STATUSES.length)] ?? 'Not started';
  return board.task({
    Name: `${VERBS[chance(VERBS.length)] ?? ''} ${THINGS[chance(THINGS.length)] ?? ''}`,
    Assignee: person,
    Importance: chance(10) + 1,
    Status: status,
    Estimate: chance(16) + 1,
    ...(chance(2) === 0 ? { Due: day(chance(40) - 5) } : {}),
    ...(status === 'In progress' ? { 'Task Started Date': day(-chance(5)) } : {}),
    ...(before !== null && chance(8) === 0 ? { 'Blocked By': before } : {}),
  });
}

/** A pseudo-random generator with a fixed sequence (linear congruential). */
function chances(seed: number): (below: number) => number {
  let state = seed % 2_147_483_647;
  return (below) => {
    state = (state * 48_271 + 11) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * below);
  };
}
