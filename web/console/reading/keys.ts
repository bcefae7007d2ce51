/** Under which names the page keeps what it has read (TanStack Query). */
export const INTERVIEW = (id: string) => ['interview', id] as const;
export const TRANSCRIPT = (id: string) => ['transcript', id] as const;
/** `own`: without anything of others. The rest is asked for by the person, and not by itself. */
export const OWN_RATINGS = (id: string) => ['ratings', id, 'own'] as const;
export const ALL_RATINGS = (id: string) => ['ratings', id, 'all'] as const;
export const OWN_COMMENTS = (id: string) => ['comments', id, 'own'] as const;
export const ALL_COMMENTS = (id: string) => ['comments', id, 'all'] as const;
export const SCORECARD = (id: string) => ['scorecard', id] as const;
export const DECISIONS = (id: string) => ['decisions', id] as const;
