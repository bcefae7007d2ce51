import type { Kind } from './kinds';
import { SETTINGS } from './settings-schema';

type Schema = typeof SETTINGS;
/** The value of every setting, by its name. */
export type SettingValues = {
  readonly [K in keyof Schema]: Schema[K] extends Kind<infer T> ? T : never;
};

/** One or more settings cannot be used; the message lists them all, one a line. */
export class InvalidSettingsError extends Error {
  override readonly name = 'InvalidSettingsError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** Reads all settings from an environment. An empty value means the default. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): SettingValues {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Kind<unknown>>(SETTINGS)) {
    const raw = env[name]?.trim() ?? '';
    const value = raw === '' ? setting.default : setting.read(raw);
    if (value === undefined) problems.push(problem(name, raw, setting));
    values[name] = value;
  }
  if (problems.length > 0) throw new InvalidSettingsError(problems);
  return Object.freeze(values) as SettingValues;
}

function problem(name: string, raw: string, setting: Kind<unknown>): string {
  const shown = setting.isSecret ? '(hidden)' : raw;
  return `${name}=${shown}: expected ${setting.expects}`;
}
