/** What an action on several interviews has done, and for how long it can be taken back. */
import type { Action, Fate } from './calls';
import type { Selection } from './selection';

export interface Outcome {
  readonly action: Action;
  readonly done: readonly OneFate[];
  readonly refused: readonly OneFate[];
  /** Null: it is not taken back. */
  readonly undo: { readonly action: Action; readonly untilMs: number } | null;
}

export interface OneFate {
  readonly id: string;
  /** Null: the name is not known. */
  readonly name: string | null;
  readonly fate: Fate;
}

const UNDO: Partial<Record<Action, Action>> = {
  remind: 'cancel_reminder',
  close: 'reopen',
  reissue: 'restore_link',
};
const REOPENED_MS = 24 * 3_600_000;
const RESTORED_MS = 10 * 60_000;
/** At least as long a reminder waits. */
const HELD_MS = 10_000;
/** A request takes a moment. */
const SPARE_MS = 1500;

/** `results`: one for each interview of the selection, in its order. */
export function outcomeOf(
  action: Action,
  selection: Selection,
  results: readonly Fate[],
  nowMs: number,
): Outcome {
  const fates = [...selection].flatMap(([id, name], at): OneFate[] => {
    const fate = results[at];
    return fate === undefined ? [] : [{ id, name, fate }];
  });
  const done = fates.filter(({ fate }) => fate.refusal === null);
  const refused = fates.filter(({ fate }) => fate.refusal !== null);
  const undo = UNDO[action];
  if (undo === undefined || done.length === 0) return { action, done, refused, undo: null };
  const untilMs = endOf(action, done, nowMs) - SPARE_MS;
  return { action, done, refused, undo: { action: undo, untilMs } };
}

function endOf(action: Action, done: readonly OneFate[], nowMs: number): number {
  if (action === 'close') return nowMs + REOPENED_MS;
  if (action === 'reissue') return nowMs + RESTORED_MS;
  // As long as one of the reminders waits; the clock of this machine may be ahead of the server's.
  return Math.max(nowMs + HELD_MS, ...done.map(({ fate }) => Date.parse(fate.at ?? '') || nowMs));
}

/** The interviews with which something was done, as a selection for the reverse action. */
export function selectionOf(done: readonly OneFate[]): Selection {
  return new Map(done.map(({ id, name }) => [id, name]));
}
