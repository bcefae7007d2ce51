import { z } from 'zod';

/** The schema of a data source. */
export interface BoardSchema {
  /** Ids of the statuses in the group "Complete". */
  readonly closedStatusIds: ReadonlySet<string>;
  readonly statuses: readonly Status[];
  /** Ids of the properties that are read or written. */
  readonly propertyIds: readonly string[];
  readonly problems: readonly PropertyProblem[];
}

/** Reads `properties` of a data source. Only the schema contains the groups of statuses. */
export function readSchema(
  properties: Readonly<Record<string, unknown>>,
  names: PropertyNames,
): BoardSchema {
  const problems = (Object.keys(PROPERTY_TYPES) as PropertyKey[]).flatMap((key) => {
    const name = names[key];
    if (name === null) return [];
    const type = typeOf(properties, name);
    return type === PROPERTY_TYPES[key] ? [] : [{ key, name, found: foundOf(type) }];
  });
  const isStatus = !problems.some(({ key }) => key === 'status');
  const { data } = STATUS.safeParse(isStatus ? properties[names.status] : null);
  if (isStatus && data === undefined) {
    problems.push({ key: 'status', name: names.status, found: 'unreadable' });
  }
  const { options = [], groups = [] } = data?.status ?? {};
  const complete = groups.filter(({ name }) => name.toLowerCase() === COMPLETE);
  if (data !== undefined && !complete.some((group) => group.option_ids.length > 0)) {
    problems.push({ key: 'status', name: names.status, found: 'no_complete_group' });
  }
  const closedStatusIds = new Set(complete.flatMap((group) => group.option_ids));
  return {
    closedStatusIds,
    statuses: options.map(({ id, name }) => ({ name, isClosed: closedStatusIds.has(id) })),
    propertyIds: idsOf(properties, names),
    problems,
  };
}

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

const STATUS = z.object({
  status: z.object({
    options: z.array(z.object({ id: z.string(), name: z.string() })),
    groups: z.array(z.object({ name: z.string(), option_ids: z.array(z.string()) })),
  }),
});
const COMPLETE = 'complete';

export interface Status {
  readonly name: string;
  readonly isClosed: boolean;
}

/** Why a property cannot be used: renamed or removed, of another type, of a strange shape, or without statuses that close a task. */
export interface PropertyProblem {
  readonly key: PropertyKey;
  readonly name: string;
  readonly found:
    'missing' | 'unreadable' | 'cut' | 'no_complete_group' | { readonly type: string };
  /** The pages whose values cannot be read; without it, the problem is the property's own. */
  readonly pageIds?: readonly string[];
}

/** The names of a board's properties; null: the board has no such property. */
export type PropertyNames = Readonly<
  Record<NeededKey, string> & Record<Exclude<PropertyKey, NeededKey>, string | null>
>;

type NeededKey = 'name' | 'assignee' | 'importance' | 'status' | 'queueRank';

const TYPED = z.object({ type: z.string() });

/** Null: there is no such property. Only own keys count, because a property may be called "constructor". */
export function typeOf(properties: Readonly<Record<string, unknown>>, name: string): string | null {
  if (!Object.hasOwn(properties, name)) return null;
  return TYPED.safeParse(properties[name]).data?.type ?? 'unknown';
}

export function foundOf(type: string | null): PropertyProblem['found'] {
  return type === null ? 'missing' : { type };
}

const PROPERTY = z.object({ id: z.string() });

function idsOf(
  properties: Readonly<Record<string, unknown>>,
  names: PropertyNames,
): readonly string[] {
  return Object.values(names).flatMap((name) => {
    if (name === null || !Object.hasOwn(properties, name)) return [];
    return PROPERTY.safeParse(properties[name]).data?.id ?? [];
  });
}

const ID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;

/** An id of Notion as it is stored: lower case, with hyphens. Null: it is not an id. */
export function notionIdOf(text: string): string | null {
  return ID.test(text) ? text.toLowerCase().replace(ID, '$1-$2-$3-$4-$5') : null;
}

/**
 * The people of a page, those who have left the workspace last: Notion returns no type for them. Without
 * the right to read users nobody has a type, and the order stays.
 */
export function presentFirst<T extends { readonly type?: unknown }>(people: readonly T[]): T[] {
  const hasLeft = ({ type }: T): boolean => type == null;
  return [...people.filter((one) => !hasLeft(one)), ...people.filter(hasLeft)];
}

/** The assignees of a page, or why they cannot be read. */
export type Assignees =
  | { readonly kind: 'read'; readonly userIds: readonly string[] }
  | { readonly kind: 'unreadable'; readonly problem: PropertyProblem };

/** People who have left the workspace still have an id. */
export function readAssignees(
  properties: Readonly<Record<string, unknown>>,
  names: PropertyNames,
): Assignees {
  const reader = new PropertyReader(properties, names);
  const value = reader.value('assignee');
  const [problem] = reader.problems;
  if (problem !== undefined) return { kind: 'unreadable', problem };
  const ids = (value?.people ?? []).flatMap(({ id }) => notionIdOf(id) ?? []);
  return { kind: 'read', userIds: [...new Set(ids)].sort() };
}

/** The shapes of the page properties that are read (API 2025-09-03 and 2026-03-11). */
const VALUES = {
  title: z.object({ title: z.array(z.object({ plain_text: z.string() })) }),
  people: z.object({
    people: z.array(z.object({ id: z.string(), type: z.string().nullish().catch(null) })),
  }),
  number: z.object({ number: z.number().nullable() }),
  status: z.object({ status: z.object({ id: z.string(), name: z.string() }).nullable() }),
  date: z.object({
    date: z.object({ start: z.string(), end: z.string().nullish() }).nullable(),
  }),
  relation: z.object({
    relation: z.array(z.object({ id: z.string() })),
    /** Notion returns 25 entries at most. */
    has_more: z.boolean().nullish(),
  }),
  checkbox: z.object({ checkbox: z.boolean() }),
} as const;

type Value<K extends PropertyKey> = z.infer<(typeof VALUES)[Types[K]]>;

/** Reads the properties of one page; an unreadable one becomes a problem and counts as absent. */
export class PropertyReader {
  private readonly found: PropertyProblem[] = [];

  constructor(
    private readonly properties: Readonly<Record<string, unknown>>,
    private readonly names: PropertyNames,
  ) {}

  get problems(): readonly PropertyProblem[] {
    return this.found;
  }

  value<K extends PropertyKey>(key: K): Value<K> | null {
    const name = this.names[key];
    if (name === null) return null;
    const type = typeOf(this.properties, name);
    if (type !== PROPERTY_TYPES[key]) return this.problem({ key, name, found: foundOf(type) });
    const parsed = VALUES[PROPERTY_TYPES[key]].safeParse(this.properties[name]);
    if (!parsed.success) return this.unreadable(key);
    return parsed.data as Value<K>;
  }

  /** For a list of which Notion has returned only the first entries. */
  cut(key: PropertyKey): void {
    this.problem({ key, name: this.names[key] ?? '', found: 'cut' });
  }

  /** For a value of the right shape that is invalid. */
  unreadable(key: PropertyKey): null {
    return this.problem({ key, name: this.names[key] ?? '', found: 'unreadable' });
  }

  private problem(problem: PropertyProblem): null {
    this.found.push(problem);
    return null;
  }
}

type Types = typeof PROPERTY_TYPES;

/** Pages that a sentence names; for the others it gives the number. */
const MOST_NAMED = 3;

/** A sentence for an operator. */
export function describeProblem({ key, name, found, pageIds }: PropertyProblem): string {
  const expected = PROPERTY_TYPES[key];
  const property = `The property "${name}"`;
  if (found === 'missing') {
    return `${property} is missing: restore its name, or set ${settingOf(key)}.`;
  }
  if (found === 'unreadable') {
    const where = pageIds === undefined ? '' : ` on ${pagesOf(pageIds)}`;
    const there = pageIds === undefined ? '' : ' there';
    return `${property} has a value that is not a ${expected}${where}: correct it${there}, or set ${settingOf(key)}.`;
  }
  if (found === 'cut') {
    return `${property} has more entries than Notion returns at once, on ${pagesOf(pageIds ?? [])}: remove some there, or set ${settingOf(key)}.`;
  }
  if (found === 'no_complete_group') {
    return `${property} has no group "Complete", so closed tasks cannot be recognised: move their statuses into that group.`;
  }
  return `${property} is of type ${found.type}; expected ${expected}: change its type, or set ${settingOf(key)}.`;
}

/** The variable that names the property `key`: `startedDate` is in NOTION_PROPERTY_STARTED_DATE. */
export function settingOf(key: string): string {
  return `NOTION_PROPERTY_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** By their ids, because a title may contain a candidate's name. */
function pagesOf(pageIds: readonly string[]): string {
  const named = pageIds.slice(0, MOST_NAMED).join(', ');
  const more = pageIds.length - MOST_NAMED;
  return `the page${pageIds.length > 1 ? 's' : ''} ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

/** All of them, for an operator; null: there are none. */
export function describeProblems(problems: readonly PropertyProblem[]): string | null {
  return problems.length === 0 ? null : problems.map(describeProblem).join(' ');
}
