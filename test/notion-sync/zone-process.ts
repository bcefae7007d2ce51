import { readBoard } from '../../src/notion-sync/board/board-tasks';
import { BoardPlanner } from '../../src/notion-sync/board/board-plan';
import { READING, boardSettings, pageOf, taskOf } from './boards';

/** Plans one board and prints the plan. A test starts it in several time zones of the machine. */
const tasks = Array.from({ length: 12 }, (_, n) =>
  taskOf(`page-${n}`, { importance: n % 4, estimateHours: 11, createdAt: '2026-10-25T00:30:00Z' }),
);
const lines = ['2026-12-31T22:59:00Z', '2026-12-31T23:01:00Z', '2026-10-25T01:00:00Z'].map(
  (now) => {
    const place = { country: 'DE', region: 'BY' };
    const rules = { ...boardSettings, place, timeZone: 'Europe/Berlin' };
    const board = readBoard(tasks.map(pageOf), { ...READING, timeZone: rules.timeZone });
    const { writes } = new BoardPlanner(rules).plan(board.tasks, new Date(now));
    return JSON.stringify([board.tasks.map(({ createdOn }) => createdOn), writes]);
  },
);
process.stdout.write(lines.join('\n'));
