/** A statement whose values have names. */
interface NamedStatement<Values> {
  /** As the driver takes it: `$1`, `$2`, … */
  readonly text: string;
  /** In the order of the text. */
  values(of: Values): unknown[];
}

const NAME = /\$([a-z]\w*)/gi;

/** `sql` says `$text` where the driver's text says `$6`. To be composed once: statements are prepared by text. */
export function namedStatement<Values extends object>(sql: string): NamedStatement<Values> {
  const names = [...new Set(Array.from(sql.matchAll(NAME), ([, name = '']) => name))];
  const text = sql.replace(NAME, (_, name: string) => `$${names.indexOf(name) + 1}`);
  return {
    text,
    values: (of) =>
      names.map((name) => {
        if (name in of) return of[name as keyof Values];
        throw new Error(`the statement has no value for $${name}`);
      }),
  };
}
