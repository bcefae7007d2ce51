import { z } from 'zod';
import { PROPERTY_TYPES, type PropertyKey, type PropertyNames } from './property-names';
import type { PropertyProblem } from './property-problem';
import { foundOf, typeOf } from './read-property';

/** What a data source says about all of its pages. */
export interface BoardSchema {
  /** Ids of the statuses in the group "Complete". */
  readonly closedStatusIds: ReadonlySet<string>;
  readonly statuses: readonly Status[];
  /** Of the properties that are read or written. */
  readonly propertyIds: readonly string[];
  readonly problems: readonly PropertyProblem[];
}

export interface Status {
  readonly name: string;
  readonly isClosed: boolean;
}

const PROPERTY = z.object({ id: z.string() });
const STATUS = z.object({
  status: z.object({
    options: z.array(z.object({ id: z.string(), name: z.string() })),
    groups: z.array(z.object({ name: z.string(), option_ids: z.array(z.string()) })),
  }),
});
const COMPLETE = 'complete';

/** Reads `properties` of a data source. A page knows its status, only the schema the status's group. */
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

function idsOf(
  properties: Readonly<Record<string, unknown>>,
  names: PropertyNames,
): readonly string[] {
  return Object.values(names).flatMap((name) => {
    if (name === null || !Object.hasOwn(properties, name)) return [];
    return PROPERTY.safeParse(properties[name]).data?.id ?? [];
  });
}
