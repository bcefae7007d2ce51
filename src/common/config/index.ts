export { InvalidSettingsError } from './read-settings';
export { isRefusedIp, isRefusedUrl } from './refused-addresses';
export { SETTINGS, Settings } from './settings';
export { settingWarnings } from './setting-warnings';
