/** What stands in the list, from its top: who waits for a person, then all others, each with a heading. */
import type { Interview } from '../api/calls';
import type { ShownRow } from './rows';

export type Entry =
  | { readonly kind: 'heading'; readonly id: 'waiting' | 'others'; readonly count: number | null }
  /** Shows the rest of those who wait, or hides it again. */
  | { readonly kind: 'more'; readonly id: 'more'; readonly hidden: number }
  | ({ readonly kind: 'row'; readonly id: string } & ShownRow);

/** So many of those who wait are shown before somebody asks for the rest. */
const FIRST = 6;

interface Listed {
  waiting: readonly ShownRow[];
  /** In all, shown or not. */
  waitingCount: number;
  isExpanded: boolean;
  rows: readonly Interview[];
  gone: ReadonlySet<string>;
}

/** Somebody who waits is not listed again among the others. */
export function entriesOf({ waiting, waitingCount, isExpanded, rows, gone }: Listed): Entry[] {
  const others = withoutThose(rows, waiting).map((interview): Entry => {
    return { kind: 'row', id: interview.id, interview, isGone: gone.has(interview.id) };
  });
  if (waiting.length === 0) return others;
  const top = isExpanded ? waiting : waiting.slice(0, FIRST);
  return [
    { kind: 'heading', id: 'waiting', count: waitingCount },
    ...top.map((row): Entry => ({ kind: 'row', id: row.interview.id, ...row })),
    ...(waiting.length > FIRST
      ? [{ kind: 'more', id: 'more', hidden: waiting.length - top.length } as const]
      : []),
    ...(others.length > 0 ? [{ kind: 'heading', id: 'others', count: null } as const] : []),
    ...others,
  ];
}

function withoutThose(
  rows: readonly Interview[],
  waiting: readonly ShownRow[],
): readonly Interview[] {
  if (waiting.length === 0) return rows;
  const ids = new Set(waiting.map(({ interview }) => interview.id));
  return rows.filter(({ id }) => !ids.has(id));
}
