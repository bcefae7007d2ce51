export type { BoardTask, Written } from './board-task';
export { type PropertyPatch, patchOf } from './patch';
export { PROPERTY_TYPES, type PropertyKey, type PropertyNames } from './property-names';
export { type PropertyProblem, describeProblem } from './property-problem';
export { type BoardPage, readBoard } from './read-board';
export { type BoardSchema, readSchema } from './read-schema';
