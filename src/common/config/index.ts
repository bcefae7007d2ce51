export { InvalidSettingsError } from './read-settings';
export { networkOf, siteOf } from './ip-address';
export { isRefusedIp, isRefusedUrl } from './address-ranges';
export type { OidcSettings } from './oidc-settings';
export { SETTINGS, Settings } from './settings';
export { settingWarnings } from './setting-warnings';
