/** A statement whose values have names. */
interface NamedStatement<Values> {
  /** As the driver takes it: `$1`, `$2`, … */
  readonly text: string;
  /** In the order of the text. Each value is in one of the parts: to merge them first costs more than a look. */
  values(...parts: readonly Partial<Values>[]): unknown[];
}

const NAME = /\$([a-z]\w*)/gi;

/** `sql` says `$text` where the driver's text says `$6`. To be composed once: statements are prepared by text. */
export function namedStatement<Values extends object>(sql: string): NamedStatement<Values> {
  const names = [...new Set(Array.from(sql.matchAll(NAME), ([, name = '']) => name))];
  const text = sql.replace(NAME, (_, name: string) => `$${names.indexOf(name) + 1}`);
  return {
    text,
    values: (...parts) =>
      names.map((name) => {
        for (const part of parts) if (name in part) return part[name as keyof Values];
        throw new Error(`the statement has no value for $${name}`);
      }),
  };
}

/**
 * A parameter with its type (`$1::bigint[]`) whose value the planner does not see. PostgreSQL plans a statement
 * with an array, or a limit, anew each time, because it expects less of a short one; to plan often costs
 * more than to run. For statements that run for each message or reply, and whose plan is the same for all values.
 */
export function keptPlan(parameter: string): string {
  const type = parameter.slice(parameter.indexOf('::'));
  return `(select ${parameter})${type}`;
}
