import { ACCOUNT } from './account';
import type { CallContext, Methods } from './context';
import { EDITING } from './editing';
import { MEDIA } from './media';
import { SENDING } from './sending';
import { UPDATES } from './updates';

export type { CallContext } from './context';

const METHODS: Methods = { ...SENDING, ...MEDIA, ...EDITING, ...UPDATES, ...ACCOUNT };

/** The method of this name, for parameters that the schema has accepted; null: not implemented. */
export function methodOf(
  name: string,
): ((context: CallContext, params: object) => Promise<unknown>) | null {
  if (!Object.hasOwn(METHODS, name)) return null;
  const method = METHODS[name as keyof Methods] as (
    context: CallContext,
    params: object,
  ) => unknown;
  return (context, params) => Promise.resolve().then(() => method(context, params));
}

/** Methods that a bot which has to wait may still call. */
export function isSparedByFlood(name: string): boolean {
  return Object.hasOwn(UPDATES, name) || ['getMe', 'getFile', 'logOut', 'close'].includes(name);
}
