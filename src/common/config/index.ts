export { InvalidSettingsError } from './read-settings';
export { SETTINGS, Settings } from './settings';
