import { Settings } from '../../src/common/config';

/** Settings as an environment of just these would give them. */
export function settingsForTests(env: Record<string, string> = {}): Settings {
  return Settings.fromEnvironment(env);
}
