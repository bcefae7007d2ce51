/** Bugs by name: the rules that each breaks. */
export const BROKEN_RULES: Readonly<Record<string, readonly string[]>>;
/** Names of the bugs that show only at a moment which not every storm has. */
export const NOT_IN_EVERY_STORM: readonly string[];
/** What the storm of a bug aims at; left out: at nothing. */
export const AIMS: Readonly<Record<string, 'sigterm' | 'late_reply' | 'late_outcome'>>;
/** Names of the bugs that only the check after the storm finds. */
export const SEEN_AT_THE_END: readonly string[];
