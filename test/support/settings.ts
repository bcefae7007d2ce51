import { Settings } from '../../src/common/config';

/** The settings of an environment with only these variables. */
export function settingsForTests(env: Record<string, string> = {}): Settings {
  return Settings.fromEnvironment(env);
}
