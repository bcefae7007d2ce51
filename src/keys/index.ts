export { KeyUnknownError } from './errors';
export { revokedKeyIn } from './key-lookup';
export { CurrentPrincipal, RequireScope } from './key.guard';
export type { ApiKey, EndedKey } from './key.repository';
export { KeysModule } from './keys.module';
export { ApiKeys, KEY_NAME } from './keys.service';
export { type Principal, SCOPES, isWithin, reaches } from './rights';

declare module '../common/uow' {
  interface LabelAreas {
    keys: 'key';
  }
}
