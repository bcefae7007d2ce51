/** The bounds of a list in time, as a query has them: ISO 8601. */
export function timesOf({ since, until }: QueryTimes): {
  readonly since: Date | undefined;
  readonly until: Date | undefined;
} {
  return { since: dateOf(since), until: dateOf(until) };
}

interface QueryTimes {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
