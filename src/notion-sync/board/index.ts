export type { BoardTask, Written } from './board-task';
export { notionIdOf } from './notion-id';
export { type PropertyPatch, patchOf } from './patch';
export { PROPERTY_TYPES, type PropertyKey, type PropertyNames } from './property-names';
export { type PropertyProblem, describeProblem } from './property-problem';
export { readAssignees } from './read-assignees';
export { type BoardPage, readBoard } from './read-board';
export { type BoardSchema, readSchema } from './read-schema';
