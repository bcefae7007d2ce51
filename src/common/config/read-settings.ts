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

/**
 * Reads all settings of a tree from an environment and freezes them. An empty variable means the
 * default. `contradictions` is asked when each setting is valid alone. Throws InvalidSettingsError.
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
  const raw = env[variable]?.trim() ?? '';
  const value = raw === '' ? setting.default : setting.read(raw);
  if (value === undefined) {
    problems.push(`${variable}=${isSecret ? '(hidden)' : raw}: expected ${expects}`);
  }
  return value;
}

function isSetting(node: Setting<unknown> | SettingTree): node is Setting<unknown> {
  return typeof node['variable'] === 'string';
}
