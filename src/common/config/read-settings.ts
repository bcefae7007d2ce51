import type { Kind } from './setting-kinds';
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
  if (problems.length === 0) problems.push(...contradictions(values as SettingValues));
  if (problems.length > 0) throw new InvalidSettingsError(problems);
  return Object.freeze(values) as SettingValues;
}

/** Settings that are good each by itself, and not together. */
function contradictions(values: SettingValues): string[] {
  return [
    ...webhookContradictions(values),
    ...boardContradictions(values),
    ...syncContradictions(values),
  ];
}

function webhookContradictions(values: SettingValues): string[] {
  if (values.TELEGRAM_BOT_TOKEN === '' || values.TELEGRAM_MODE === 'polling') return [];
  const problems: string[] = [];
  if (!values.PUBLIC_URL.startsWith('http')) {
    problems.push('TELEGRAM_MODE=webhook: expected PUBLIC_URL, where Telegram reaches this server');
  }
  if (values.TELEGRAM_WEBHOOK_SECRET === '') {
    problems.push('TELEGRAM_MODE=webhook: expected TELEGRAM_WEBHOOK_SECRET');
  }
  return problems;
}

/** One property for two meanings: the rank would be written over the importance. */
function boardContradictions(values: SettingValues): string[] {
  const problems: string[] = [];
  const owners = new Map<unknown, string>();
  for (const [setting, name] of Object.entries(values)) {
    if (!setting.startsWith('NOTION_PROPERTY_') || typeof name !== 'string') continue;
    const owner = owners.get(name);
    if (owner === undefined) owners.set(name, setting);
    else problems.push(`${setting}=${name}: expected another property than ${owner}`);
  }
  if (values.NOTION_REGION !== null && values.NOTION_COUNTRY === null) {
    problems.push(`NOTION_REGION=${values.NOTION_REGION}: expected NOTION_COUNTRY`);
  }
  return problems;
}

function syncContradictions(values: SettingValues): string[] {
  const problems: string[] = [];
  if (values.NOTION_TOKEN !== '' && values.NOTION_DATA_SOURCE_ID === '') {
    problems.push('NOTION_TOKEN is set: expected NOTION_DATA_SOURCE_ID, where the jobs are');
  }
  if (values.NOTION_DEBOUNCE_MAX_MS < values.NOTION_DEBOUNCE_MS) {
    problems.push('NOTION_DEBOUNCE_MAX_MS: expected no less than NOTION_DEBOUNCE_MS');
  }
  return problems;
}

function problem(name: string, raw: string, setting: Kind<unknown>): string {
  const shown = setting.isSecret ? '(hidden)' : raw;
  return `${name}=${shown}: expected ${setting.expects}`;
}
