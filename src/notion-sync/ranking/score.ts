import type { BoardTask } from '../board/board-task';
import { type Day, daysBetween } from '../calendar/day';

/** How much counts what in the weighted ranking, in points. */
export interface Weights {
  /** For each unit of importance. */
  readonly importance: number;
  /** For a task that is due today or overdue, fading to none `DUE_DAYS` before. */
  readonly due: number;
  /** For a task that is `AGE_DAYS` old or older, growing evenly until then. */
  readonly age: number;
}

const DUE_DAYS = 14;
const AGE_DAYS = 90;

/** In tenths of a point: whole numbers, so that a task that seems equal is equal. */
export interface Score {
  readonly total: number;
  readonly importance: number;
  readonly due: number;
  readonly age: number;
  readonly daysUntilDue: number | null;
  readonly ageDays: number;
}

/** It depends on the task and the day alone: what else is on the board does not turn two tasks round. */
export function scoreOf(task: BoardTask, weights: Weights, today: Day): Score {
  const daysUntilDue = task.due === null ? null : daysBetween(today, task.due);
  const ageDays = task.createdOn === null ? 0 : Math.max(0, daysBetween(task.createdOn, today));
  const nearness = daysUntilDue === null ? 0 : share(DUE_DAYS - daysUntilDue, DUE_DAYS);
  const importance = tenths(weights.importance * (task.importance ?? 0));
  const due = tenths(weights.due * nearness);
  const age = tenths(weights.age * share(ageDays, AGE_DAYS));
  return { total: importance + due + age, importance, due, age, daysUntilDue, ageDays };
}

function share(part: number, whole: number): number {
  return Math.min(1, Math.max(0, part / whole));
}

function tenths(points: number): number {
  return Math.round(points * 10);
}

export function pointsText(value: number): string {
  return String(value / 10);
}
