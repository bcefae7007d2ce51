import type { UpdatePageParameters } from '@notionhq/client';
import type { Written } from './board-task';
import type { PropertyNames } from './property-names';

export type PropertyPatch = NonNullable<UpdatePageParameters['properties']>;

/** The given values as `properties` of a page update; what the board has no property for is left out. */
export function patchOf(values: Partial<Written>, names: PropertyNames): PropertyPatch {
  const patch: PropertyPatch = {};
  const { queueRank, projectedCompletion, atRisk } = values;
  if (queueRank !== undefined) patch[names.queueRank] = { number: queueRank };
  if (projectedCompletion !== undefined && names.projectedCompletion !== null) {
    const date = projectedCompletion === null ? null : { start: projectedCompletion };
    patch[names.projectedCompletion] = { date };
  }
  if (atRisk !== undefined && names.atRisk !== null) {
    patch[names.atRisk] = { checkbox: atRisk ?? false };
  }
  return patch;
}
