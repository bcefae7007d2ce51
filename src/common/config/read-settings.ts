import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ABOUT, type About, FILE_SUFFIX } from './setting-kinds';
import { type Environment, unknownSettings } from './unknown-settings';

/**
 * Reads all settings of a schema from an environment. An empty variable means the default. A secret may
 * be in a file instead, as Kubernetes and Docker mount secrets; an empty file means the default, too.
 * `contradictions` is asked when each setting is valid alone. Names that are no settings are refused like
 * values. Throws InvalidSettingsError.
 */
export function readSettings<S extends z.ZodObject>(
  schema: S,
  env: Environment,
  contradictions: (values: z.output<S>) => readonly string[],
): z.output<S> {
  const problems = unknownSettings(settingsIn(schema), env);
  const texts = new Map<string, string>();
  const input = inputOf(schema, (about) => {
    const text = about.isSecret ? secretText(about, env, problems) : textOf(about.variable, env);
    texts.set(about.variable, text);
    return text;
  });
  const { data, error } = schema.safeParse(input);
  const refused = new Set((error?.issues ?? []).flatMap(({ path }) => aboutAt(schema, path) ?? []));
  for (const about of refused) problems.push(refusalOf(about, texts.get(about.variable) ?? ''));
  if (data !== undefined && problems.length === 0) problems.push(...contradictions(data));
  if (data === undefined || problems.length > 0) throw new InvalidSettingsError(problems);
  return data;
}

/** What is told of every setting of a schema, in order. */
export function settingsIn(schema: z.ZodType): readonly About[] {
  const found: About[] = [];
  inputOf(schema, (about) => found.push(about));
  return found;
}

/** The schema's own input: the text of each setting at the setting's place. */
function inputOf(schema: z.ZodType, textOf: (about: About) => unknown): unknown {
  const about = ABOUT.get(schema);
  if (about !== undefined) return textOf(about);
  const fields = Object.entries(shapeOf(schema));
  return Object.fromEntries(fields.map(([field, inner]) => [field, inputOf(inner, textOf)]));
}

/** The setting at this place of the schema, or above it. */
function aboutAt(schema: z.ZodType, [field, ...rest]: readonly PropertyKey[]): About | undefined {
  const about = ABOUT.get(schema);
  if (about !== undefined || field === undefined) return about;
  const inner = shapeOf(schema)[String(field)];
  return inner === undefined ? undefined : aboutAt(inner, rest);
}

function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> {
  if (schema instanceof z.ZodObject) return schema.shape;
  throw new Error('a schema of settings has groups and settings only');
}

/** One or more settings cannot be used; the message lists them all, one a line. */
export class InvalidSettingsError extends Error {
  override readonly name = 'InvalidSettingsError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

function refusalOf({ variable, isSecret, expects }: About, text: string): string {
  return `${variable}=${isSecret ? HIDDEN : withoutLogin(text)}: expected ${expects}`;
}

const HIDDEN = '(hidden)';

/** An address may contain a password, and a mistyped one `/`, `?`, `#` or `@` that are not encoded. */
function withoutLogin(text: string): string {
  return text.replace(/\/\/.*@/s, `//${HIDDEN}@`);
}

function textOf(variable: string, env: Environment): string {
  return env[variable]?.trim() ?? '';
}

/** The text of a secret, from its variable or its file. */
function secretText({ variable }: About, env: Environment, problems: string[]): string {
  const [given, file] = [textOf(variable, env), textOf(variable + FILE_SUFFIX, env)];
  if (file === '') return given;
  if (given !== '') {
    problems.push(`${variable}${FILE_SUFFIX}: expected to be empty, because ${variable} is set`);
    return given;
  }
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    problems.push(`${variable}${FILE_SUFFIX}=${file}: expected a file that can be read (${code})`);
    return '';
  }
}
