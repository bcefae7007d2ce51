export { InvalidSettingsError } from './read-settings';
export { SETTINGS, Settings } from './settings';
export { settingWarnings } from './setting-warnings';
