/** The requests of the pages of invitations. */
import { gate, gated } from '../api/calls';
import { ApiProblem, done } from '../api/problem';
import type { paths } from '../../../tools/api-client/api.gen';
import type { Language } from '../../src/api/wire';

type InvitationsQuery = NonNullable<paths['/api/v1/invitations']['get']['parameters']['query']>;
type NewPerson =
  paths['/api/v1/vacancies/{slug}/invitations']['post']['requestBody']['content']['application/json'];

export const listInvitations = (query: InvitationsQuery, signal: AbortSignal) =>
  done(gated.GET('/api/v1/invitations', { params: { query }, signal }));

/** Throws a RefusedProblem with the server's sentence in this language. */
export const inviteOne = (slug: string, body: NewPerson, language: Language) =>
  worded(
    gated.POST('/api/v1/vacancies/{slug}/invitations', {
      params: { path: { slug } },
      body,
      headers: { 'accept-language': language },
    }),
  );

export const reissue = (id: string, validUntil: string, language: Language) =>
  worded(
    gated.POST('/api/v1/invitations/{id}/reissue', {
      params: { path: { id } },
      body: validUntil === '' ? {} : { validUntil },
      headers: { 'accept-language': language },
    }),
  );

export const revoke = (id: string) =>
  done(gated.POST('/api/v1/invitations/{id}/revoke', { params: { path: { id } } }));

export const readImport = (id: string, signal?: AbortSignal) =>
  done(
    gated.GET('/api/v1/invitation-imports/{id}', {
      params: { path: { id } },
      ...(signal === undefined ? {} : { signal }),
    }),
  );

/** Rows with their links, after row `cursor`. */
export const readLinks = (id: string, linkKey: string, cursor: string | null) =>
  done(
    gated.GET('/api/v1/invitation-imports/{id}/rows', {
      params: {
        path: { id },
        query: { state: 'created', limit: 500, ...(cursor === null ? {} : { cursor }) },
        header: { 'x-link-key': linkKey },
      },
    }),
  );

/** `repeatKey`: the same for each try to send the same. Throws a RefusedProblem in this language. */
export async function sendImport(
  slug: string,
  file: Blob,
  { repeatKey, language }: { readonly repeatKey: string; readonly language: Language },
): Promise<AcceptedImport> {
  const request = new Request(`/api/v1/vacancies/${encodeURIComponent(slug)}/invitation-imports`, {
    method: 'POST',
    cache: 'no-store',
    body: file,
    headers: {
      'content-type': 'text/csv',
      'idempotency-key': repeatKey,
      'accept-language': language,
    },
  });
  const send = async (): Promise<Outcome<AcceptedImport>> => {
    const response = await gate.fetch(request);
    const body: unknown = await response.json().catch(() => null);
    return response.ok ? { data: body as AcceptedImport, response } : { error: body, response };
  };
  return worded(send());
}

/** What the server would not take, in its own words. */
export class RefusedProblem extends ApiProblem {
  constructor(
    status: number,
    code: string,
    readonly sentence: string,
  ) {
    super(status, code);
  }
}

const WORDED = new Set(['invitation_refused', 'invitation_file_refused']);

interface Outcome<T> {
  data?: T | undefined;
  error?: unknown;
  response: Response;
}

async function worded<T>(call: Promise<Outcome<T>>): Promise<T> {
  try {
    return await done(call);
  } catch (error) {
    if (!(error instanceof ApiProblem) || !WORDED.has(error.code)) throw error;
    const title = ((await call).error as { readonly title?: unknown } | null)?.title;
    throw typeof title === 'string' ? new RefusedProblem(error.status, error.code, title) : error;
  }
}

export type Invitation = Awaited<ReturnType<typeof listInvitations>>['items'][number];
export type NewInvitation = Awaited<ReturnType<typeof inviteOne>>;
export type ImportProgress = Awaited<ReturnType<typeof readImport>>;
export type ImportRow = Awaited<ReturnType<typeof readLinks>>['items'][number];
export type AcceptedImport =
  paths['/api/v1/vacancies/{slug}/invitation-imports']['post']['responses'][202]['content']['application/json'];
