/** Bugs by name: the rules that each breaks. */
export const BROKEN_RULES: Readonly<Record<string, readonly string[]>>;
export const SEEN_AT_THE_END: readonly string[];
