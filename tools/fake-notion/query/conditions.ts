import { ApiError } from '../api-error';

/** One condition that the schema has accepted, such as `{ equals: 5 }`. */
export type Condition = Readonly<Record<string, unknown>>;

/** Whether a text fulfils a condition; case does not matter. */
export function textFulfils(text: string, condition: Condition): boolean {
  return every(condition, (name, wanted) => {
    const own = text.toLowerCase();
    const other = String(wanted).toLowerCase();
    switch (name) {
      case 'equals':
        return own === other;
      case 'does_not_equal':
        return own !== other;
      case 'contains':
        return own.includes(other);
      case 'does_not_contain':
        return !own.includes(other);
      case 'starts_with':
        return own.startsWith(other);
      case 'ends_with':
        return own.endsWith(other);
      default:
        return existence(name, text === '');
    }
  });
}

export function numberFulfils(number: number | null, condition: Condition): boolean {
  return every(condition, (name, wanted) => {
    const own = number ?? NaN;
    const other = Number(wanted);
    switch (name) {
      case 'equals':
        return own === other;
      case 'does_not_equal':
        return own !== other;
      case 'greater_than':
        return own > other;
      case 'less_than':
        return own < other;
      case 'greater_than_or_equal_to':
        return own >= other;
      case 'less_than_or_equal_to':
        return own <= other;
      default:
        return existence(name, number === null);
    }
  });
}

export function checkboxFulfils(isChecked: boolean, condition: Condition): boolean {
  return every(condition, (name, wanted) =>
    name === 'equals' ? isChecked === wanted : isChecked !== wanted,
  );
}

/** `chosen`: the option's name. */
export function optionFulfils(chosen: string | null, condition: Condition): boolean {
  return every(condition, (name, wanted) => {
    const names = [wanted].flat();
    if (name === 'equals') return names.includes(chosen);
    if (name === 'does_not_equal') return !names.includes(chosen);
    return existence(name, chosen === null);
  });
}

/** `ids`: of people or of pages. */
export function listFulfils(ids: readonly string[], condition: Condition): boolean {
  return every(condition, (name, wanted) => {
    if (name === 'contains') return ids.includes(String(wanted));
    if (name === 'does_not_contain') return !ids.includes(String(wanted));
    return existence(name, ids.length === 0);
  });
}

/** Compares days when one of the two has no time, and times otherwise. */
export function dateFulfils(start: string | null, condition: Condition): boolean {
  return every(condition, (name, wanted) => {
    if (['is_empty', 'is_not_empty'].includes(name)) return existence(name, start === null);
    if (start === null) return false;
    const byDay = start.length === 10 || String(wanted).length === 10;
    const own = byDay ? start.slice(0, 10) : new Date(start).toISOString();
    const other = byDay ? String(wanted).slice(0, 10) : new Date(String(wanted)).toISOString();
    switch (name) {
      case 'equals':
        return own === other;
      case 'before':
        return own < other;
      case 'after':
        return own > other;
      case 'on_or_before':
        return own <= other;
      case 'on_or_after':
        return own >= other;
      default:
        throw new ApiError(501, 'invalid_request', `this test server has no ${name}`);
    }
  });
}

function every(
  condition: Condition,
  isFulfilled: (name: string, wanted: unknown) => boolean,
): boolean {
  return Object.entries(condition).every(([name, wanted]) => isFulfilled(name, wanted));
}

function existence(name: string, isEmpty: boolean): boolean {
  return name === 'is_empty' ? isEmpty : !isEmpty;
}
