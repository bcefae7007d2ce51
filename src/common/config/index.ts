export { InvalidSettingsError, readSettings } from './read-settings';
export { Settings } from './settings';
export { SETTINGS } from './settings-schema';
