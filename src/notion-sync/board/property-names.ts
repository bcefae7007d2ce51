/** The properties of a board that the sync reads or writes, each with the type it must have. */
export const PROPERTY_TYPES = {
  name: 'title',
  assignee: 'people',
  importance: 'number',
  status: 'status',
  due: 'date',
  estimate: 'number',
  startedDate: 'date',
  parentTask: 'relation',
  blockedBy: 'relation',
  queueRank: 'number',
  projectedCompletion: 'date',
  atRisk: 'checkbox',
} as const;

export type PropertyKey = keyof typeof PROPERTY_TYPES;
type NeededKey = 'name' | 'assignee' | 'importance' | 'status' | 'queueRank';

/** How a board calls its properties; null: it has none for this, and it is neither read nor written. */
export type PropertyNames = Readonly<
  Record<NeededKey, string> & Record<Exclude<PropertyKey, NeededKey>, string | null>
>;
