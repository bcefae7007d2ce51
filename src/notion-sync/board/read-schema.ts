import { z } from 'zod';
import { PROPERTY_TYPES, type PropertyKey, type PropertyNames } from './property-names';
import type { PropertyProblem } from './property-problem';
import { foundOf, typeOf } from './read-property';

/** What a data source says about all of its pages. */
export interface BoardSchema {
  /** Ids of the statuses in the group "Complete". */
  readonly closedStatusIds: ReadonlySet<string>;
  readonly problems: readonly PropertyProblem[];
}

const STATUS = z.object({
  status: z.object({
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
  const complete = data?.status.groups.filter(({ name }) => name.toLowerCase() === COMPLETE) ?? [];
  return { closedStatusIds: new Set(complete.flatMap((group) => group.option_ids)), problems };
}
