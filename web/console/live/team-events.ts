/** The team's stream of events (`GET /api/v1/team/events`), and which queries of the page an event concerns. */

export interface TeamChange {
  type: 'changed';
  kind: 'interview' | 'attention' | 'invitation' | 'vacancy' | 'judgement';
  /** Of the interview (also of a judgement), the item, the invitation or the import; the slug of the vacancy. */
  id: string;
  interviewId: string | null;
}

export interface Reader {
  id: string;
  name: string;
}

export type TeamEvent =
  | TeamChange
  | { type: 'readers'; interviewId: string; readers: readonly Reader[] }
  /** Something may have been missed. */
  | { type: 'resync' }
  | { type: 'ended'; reason: string };

export const TEAM_EVENTS = {
  names: ['changed', 'readers', 'resync', 'ended'],
  decode: (name: string, data: string): TeamEvent =>
    ({ type: name, ...(JSON.parse(data) as object) }) as TeamEvent,
} as const;

type Key = readonly [string, ...string[]];

/** The beginnings of the keys of queries that show what has changed. */
export function affectedBy({ kind, id, interviewId }: TeamChange): readonly Key[] {
  switch (kind) {
    case 'interview':
      return [['interviews'], ['interview', id], ['transcript', id]];
    case 'attention':
      return interviewId === null
        ? [['attention']]
        : [['attention'], ['interviews'], ['interview', interviewId]];
    case 'invitation':
      return [['invitations'], ['imports', id]];
    case 'vacancy':
      return [['vacancies'], ['vacancy', id]];
    case 'judgement':
      return [
        ['interviews'],
        ['interview', id],
        ['ratings', id],
        ['comments', id],
        ['decisions', id],
        ['scorecard', id],
      ];
  }
}

/** Everything that the stream keeps up to date. */
const LIVE = new Set([
  ...['interviews', 'interview', 'transcript', 'attention', 'invitations', 'imports'],
  ...['vacancies', 'vacancy', 'ratings', 'comments', 'decisions', 'scorecard'],
]);

/** `changes` null: everything may have changed. */
export function isAffected(
  queryKey: readonly unknown[],
  changes: readonly TeamChange[] | null,
): boolean {
  if (changes === null) return LIVE.has(String(queryKey[0]));
  return changes.flatMap(affectedBy).some((key) => key.every((part, at) => queryKey[at] === part));
}

/** The interviews whose rows in lists may have changed. */
export function interviewsIn(changes: readonly TeamChange[]): string[] {
  return [...new Set(changes.flatMap(({ interviewId }) => interviewId ?? []))];
}
