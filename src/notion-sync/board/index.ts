export type { BoardTask, Written } from './board-task';
export { type PropertyPatch, patchOf } from './patch';
export { PROPERTY_TYPES, type PropertyNames } from './property-names';
export { describeProblem } from './property-problem';
export { type BoardPage, readBoard } from './read-board';
export { readSchema } from './read-schema';
