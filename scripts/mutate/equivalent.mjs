/**
 * Changes of the pure files that no test can notice, each with the reason. `original`: the code that is changed, on
 * one line; `on`: more of its line, where the same code stands in several. One that a test notices must go from here.
 */
export const EQUIVALENT = [];
