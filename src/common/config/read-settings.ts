import { readFileSync } from 'node:fs';
import type { Setting } from './setting-kinds';

/** Settings by the fields that they compile to. */
export interface SettingTree {
  readonly [field: string]: Setting<unknown> | SettingTree;
}

/** The values of a tree's settings, by the same fields. */
export type Values<T> = {
  readonly [K in keyof T]: T[K] extends Setting<infer V> ? V : Values<T[K]>;
};

/** One or more settings cannot be used; the message lists them all, one a line. */
export class InvalidSettingsError extends Error {
  override readonly name = 'InvalidSettingsError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

const HIDDEN = '(hidden)';
/** `DATABASE_URL_FILE` names the file that has the value of the secret `DATABASE_URL`. */
const FILE_SUFFIX = '_FILE';

/**
 * Reads all settings of a tree from an environment and freezes them. An empty variable means the
 * default. A secret may be in a file instead, as Kubernetes and Docker mount secrets; an empty file
 * means the default, too. `contradictions` is asked when each setting is valid alone. Throws
 * InvalidSettingsError.
 */
export function readSettings<T extends SettingTree>(
  tree: T,
  env: Readonly<Record<string, string | undefined>>,
  contradictions: (values: Values<T>) => string[],
): Values<T> {
  const problems: string[] = [];
  const values = readTree(tree, env, problems) as Values<T>;
  if (problems.length === 0) problems.push(...contradictions(values));
  if (problems.length > 0) throw new InvalidSettingsError(problems);
  return values;
}

/** All settings of a tree, in order. */
export function settingsIn(tree: SettingTree): readonly Setting<unknown>[] {
  return Object.values(tree).flatMap((node) => (isSetting(node) ? [node] : settingsIn(node)));
}

function readTree(
  tree: SettingTree,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): unknown {
  const entries = Object.entries(tree).map(([field, node]) => [
    field,
    isSetting(node) ? readOne(node, env, problems) : readTree(node, env, problems),
  ]);
  return Object.freeze(Object.fromEntries(entries));
}

function readOne(
  setting: Setting<unknown>,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): unknown {
  const { variable, expects, isSecret } = setting;
  const raw = isSecret ? secretText(variable, env, problems) : textOf(variable, env);
  const value = raw === '' ? setting.default : setting.read(raw);
  if (value === undefined) {
    problems.push(`${variable}=${isSecret ? HIDDEN : withoutLogin(raw)}: expected ${expects}`);
  }
  return value;
}

/** An address may contain a password, and a mistyped one `/`, `?`, `#` or `@` that are not encoded. */
function withoutLogin(text: string): string {
  return text.replace(/\/\/.*@/s, `//${HIDDEN}@`);
}

function textOf(variable: string, env: Readonly<Record<string, string | undefined>>): string {
  return env[variable]?.trim() ?? '';
}

/** The text of a secret, from its variable or its file. */
function secretText(
  variable: string,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): string {
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

function isSetting(node: Setting<unknown> | SettingTree): node is Setting<unknown> {
  return typeof node['variable'] === 'string';
}
