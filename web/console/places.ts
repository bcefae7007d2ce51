/** Addresses of the console, and where somebody goes after signing in. */
export const HOME = '/console/interviews';

export const INBOX = '/console/inbox';
const SIGN_IN = '/console/sign-in';

/** The sign-in page that leads back to this address. */
export function signInAt(to: string): string {
  return to === HOME || to === '/console' ? SIGN_IN : `${SIGN_IN}?to=${encodeURIComponent(to)}`;
}

/**
 * Where the person wanted to go, from the query of the sign-in page. An address of another site, or outside of the
 * console, leads home: anybody can write a link to the sign-in page.
 */
export function destinationOf(search: string): string {
  const to = new URLSearchParams(search).get('to') ?? '';
  if (!/^\/console(\/[\w\-/.]*)?(\?[^\\\s]*)?$/.test(to) || to.includes('..')) return HOME;
  return /^\/console\/(sign-in|signed-in|join)(\/|\?|$)/.test(to) ? HOME : to;
}

export function singleSignOn(returnTo: string, { isConfirming = false } = {}): string {
  const query = new URLSearchParams({ returnTo, ...(isConfirming ? { confirm: 'true' } : {}) });
  return `/api/v1/team/oidc?${query.toString()}`;
}

/** The page of one interview. */
export function interviewAt(id: string): string {
  return `${HOME}/${id}`;
}

/** An interview for the printer. */
export function reportAt(id: string): string {
  return `${interviewAt(id)}/report`;
}

/** An item of the inbox, where one writes to its candidate. */
export function itemAt(id: string): string {
  return `${INBOX}/${id}`;
}
