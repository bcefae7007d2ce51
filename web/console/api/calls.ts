/**
 * Every request of the console, with the types of the API's OpenAPI document. A failed one throws an ApiProblem.
 * `ungated`: of pages without a session. `gated`: the gate asks the person where the server does.
 */
import createClient from 'openapi-fetch';
import type { paths } from '../../../tools/api-client/api.gen';
import { Gate } from './gate';
import { done } from './problem';

const TIMEOUT_MS = 30_000;

/** A request without a response ends as a connection that fails. */
function send(request: Request): Promise<Response> {
  return fetch(request, {
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
}

export const gate = new Gate(send);

const ungated = createClient<paths>({ cache: 'no-store', fetch: send });
export const gated = createClient<paths>({ cache: 'no-store', fetch: gate.fetch });

export const signInOptions = () => done(ungated.GET('/api/v1/team/sign-in'));

export const readSession = () => done(ungated.GET('/api/v1/team/session'));

export const signIn = (email: string, password: string) =>
  done(ungated.POST('/api/v1/team/session', { body: { email, password } }));

export const signOut = () => done(ungated.DELETE('/api/v1/team/session'));

export const confirm = (password: string) =>
  done(ungated.POST('/api/v1/team/session/confirm', { body: { password } }));

export const readLink = (token: string) =>
  done(ungated.GET('/api/v1/team/links/{token}', { params: { path: { token } } }));

export const redeemLink = (
  token: string,
  body: { name: string; email: string; password: string } | { password: string },
) => done(ungated.POST('/api/v1/team/links/{token}', { params: { path: { token } }, body }));

export const changePassword = (current: string, next: string) =>
  done(gated.PUT('/api/v1/team/password', { body: { current, next } }));

export const listSessions = () => done(gated.GET('/api/v1/team/sessions'));

export const endSession = (id: string) =>
  done(gated.DELETE('/api/v1/team/sessions/{id}', { params: { path: { id } } }));

export const endOtherSessions = () => done(gated.DELETE('/api/v1/team/sessions'));

export const listUsers = () => done(gated.GET('/api/v1/users'));

interface Post {
  role: Role;
  /** Null: all. */
  vacancies: string[] | null;
}

export const invite = ({ role, vacancies, name, email }: Post & { name: string; email: string }) =>
  done(
    gated.POST('/api/v1/users/invitations', {
      body: {
        role,
        ...(vacancies === null ? {} : { vacancies }),
        ...(name === '' ? {} : { name }),
        ...(email === '' ? {} : { email }),
      },
    }),
  );

export const revokeInvitation = (id: string) =>
  done(gated.DELETE('/api/v1/users/invitations/{id}', { params: { path: { id } } }));

export const changeUser = (id: string, { role, vacancies }: Post) =>
  done(gated.PATCH('/api/v1/users/{id}', { params: { path: { id } }, body: { role, vacancies } }));

export const disableUser = (id: string) =>
  done(gated.POST('/api/v1/users/{id}/disable', { params: { path: { id } } }));

export const enableUser = (id: string) =>
  done(gated.POST('/api/v1/users/{id}/enable', { params: { path: { id } } }));

export const endUserSessions = (id: string) =>
  done(gated.DELETE('/api/v1/users/{id}/sessions', { params: { path: { id } } }));

export const passwordLink = (id: string) =>
  done(gated.POST('/api/v1/users/{id}/password-link', { params: { path: { id } } }));

export const listVacancies = () => done(gated.GET('/api/v1/vacancies'));

type InterviewsQuery = NonNullable<paths['/api/v1/interviews']['get']['parameters']['query']>;

export const listInterviews = (query: InterviewsQuery, signal: AbortSignal) =>
  done(gated.GET('/api/v1/interviews', { params: { query }, signal }));

export type Session = Awaited<ReturnType<typeof readSession>>;
export type Link = Awaited<ReturnType<typeof readLink>>;
export type Role = Session['user']['role'];
export type OwnSession = Awaited<ReturnType<typeof listSessions>>['sessions'][number];
type Users = Awaited<ReturnType<typeof listUsers>>;
export type User = Users['users'][number];
export type Invitation = Users['invitations'][number];
export type NewLink = Awaited<ReturnType<typeof passwordLink>>;
export type Vacancy = Awaited<ReturnType<typeof listVacancies>>['items'][number];
export type Interview = Awaited<ReturnType<typeof listInterviews>>['items'][number];
