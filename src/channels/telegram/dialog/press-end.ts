/**
 * What came of a press. `outdated`: its button is of an earlier version, or of an interview that is
 * gone. `agreed`: it was the consent to an interview.
 */
export type ButtonOutcome = 'done' | 'agreed' | 'outdated';
