/** Where a sign-in leads when it was begun nowhere. */
const HOME = '/console';
const SIGN_IN = '/console/sign-in';
const MAX_LENGTH = 500;
/** Any origin does: it is only compared. */
const HERE = 'https://here.invalid';

/**
 * The page of the console to which a sign-in leads, as a path of this host; the console's first page for what is
 * none. It is resolved as browsers resolve it, so that no other host can be written with slashes, backslashes,
 * dots or their encoded forms.
 */
export function consolePath(wanted: unknown): string {
  if (typeof wanted !== 'string' || wanted.length > MAX_LENGTH) return HOME;
  if (!URL.canParse(wanted, HERE)) return HOME;
  const { origin, pathname, search, hash } = new URL(wanted, HERE);
  const isBelow = pathname === HOME || pathname.startsWith(`${HOME}/`);
  // After it the person would be asked to sign in again.
  if (origin !== HERE || !isBelow || pathname === SIGN_IN) return HOME;
  return `${pathname}${search}${hash}`;
}

/** The page that says why a sign-in failed. */
export function problemPath(code: string): string {
  return `${SIGN_IN}?problem=${code}`;
}
