export { KeyUnknownError } from './errors';
export { revokedKeyIn } from './keys/key-lookup';
export { CurrentPrincipal, RequireScope } from './access.guard';
export type { ApiKey, EndedKey } from './keys/key.repository';
export { AccessModule } from './access.module';
export { ApiKeys, KEY_NAME } from './keys/keys.service';
export { type Principal, type Role, ROLES, SCOPES, isWithin, reaches, scopesOf } from './rights';

declare module '../common/uow' {
  interface LabelAreas {
    keys: 'key';
  }
}
