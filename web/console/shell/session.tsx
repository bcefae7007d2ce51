/** Who is signed in, for everything inside the shell. */
import { createContext, use } from 'react';
import { useQuery } from '@tanstack/react-query';
import { readSession } from '../api/calls';
import type { Session } from '../api/calls';

export const SESSION = ['session'] as const;
/** Where the person has signed in. */
export const SESSIONS = ['sessions'] as const;

const SessionContext = createContext<Session | null>(null);
export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = use(SessionContext);
  if (session === null) throw new Error('there is no session outside of the shell');
  return session;
}

/** Read again whenever somebody returns to the page: a role may have changed. */
export function useReadSession() {
  return useQuery({ queryKey: SESSION, queryFn: readSession, staleTime: 30_000 });
}

/** What the navigation has, by rights. */
export function mayReadInvitations({ scopes }: Session): boolean {
  return scopes.includes('invitations:read');
}

export function mayInvite({ scopes }: Session): boolean {
  return scopes.includes('invitations:write');
}

export function mayManageUsers({ scopes }: Session): boolean {
  return scopes.includes('users:write');
}

export function mayUseInbox({ scopes }: Session): boolean {
  return scopes.includes('attention:read');
}
