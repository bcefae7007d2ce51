import { z } from 'zod';
import { PROPERTY_TYPES, type PropertyKey, type PropertyNames } from './property-names';
import type { PropertyProblem } from './property-problem';

/** The shapes of Notion's page properties (API 2025-09-03 and 2026-03-11), as far as they are read. */
const VALUES = {
  title: z.object({ title: z.array(z.object({ plain_text: z.string() })) }),
  people: z.object({ people: z.array(z.object({ id: z.string() })) }),
  number: z.object({ number: z.number().nullable() }),
  status: z.object({ status: z.object({ id: z.string(), name: z.string() }).nullable() }),
  date: z.object({
    date: z.object({ start: z.string(), end: z.string().nullish() }).nullable(),
  }),
  relation: z.object({ relation: z.array(z.object({ id: z.string() })) }),
  checkbox: z.object({ checkbox: z.boolean() }),
} as const;

type Types = typeof PROPERTY_TYPES;
type Value<K extends PropertyKey> = z.infer<(typeof VALUES)[Types[K]]>;
const TYPED = z.object({ type: z.string() });

/** Reads the properties of one page; what cannot be read becomes a problem and counts as absent. */
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

  /** For a value of the right shape that still means nothing. */
  unreadable(key: PropertyKey): null {
    return this.problem({ key, name: this.names[key] ?? '', found: 'unreadable' });
  }

  private problem(problem: PropertyProblem): null {
    this.found.push(problem);
    return null;
  }
}

/** Null: there is no such property. Names are own keys: a property may be called "constructor". */
export function typeOf(properties: Readonly<Record<string, unknown>>, name: string): string | null {
  if (!Object.hasOwn(properties, name)) return null;
  return TYPED.safeParse(properties[name]).data?.type ?? 'unknown';
}

export function foundOf(type: string | null): PropertyProblem['found'] {
  return type === null ? 'missing' : { type };
}
