import type { BoardPlan } from '../diff/plan-board';
import type { PageWrite } from '../diff/page-writes';
import { describeRun } from '../diff/estimate';
import { describeCycle } from '../ranking/explain-rank';

/** A plan in lines for an operator. */
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

function writeLine({ rank, properties }: PageWrite, name: string): string {
  const values = Object.entries(properties).map(
    ([property, value]) => `${property} = ${valueText(value)}`,
  );
  const place = rank === null ? 'closed or nobody’s' : `${String(rank)}.`;
  return `  ${place} ${name}: ${values.join(', ')}`;
}

/** What `patchOf` makes: a number, a date, a checkbox. */
function valueText(value: PageWrite['properties'][string]): string {
  if ('number' in value) return value.number === null ? 'empty' : String(value.number);
  if ('checkbox' in value) return value.checkbox ? 'yes' : 'no';
  if ('date' in value) return value.date?.start ?? 'empty';
  return 'changed';
}

function titleOf(name: string): string {
  return name.trim() === '' ? '(untitled)' : name.trim();
}
