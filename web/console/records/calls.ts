/** The requests of the records. */
import type { paths } from '../../../tools/api-client/api.gen';
import { gated } from '../api/calls';
import { done } from '../api/problem';

type Query<Path extends keyof paths> = paths[Path] extends {
  get: { parameters: { query?: infer Given } };
}
  ? NonNullable<Given>
  : never;

export const listAudit = (query: Query<'/api/v1/audit'>, signal: AbortSignal) =>
  done(gated.GET('/api/v1/audit', { params: { query }, signal }));

export const findCandidates = (query: Query<'/api/v1/admin/candidates'>, signal: AbortSignal) =>
  done(gated.GET('/api/v1/admin/candidates', { params: { query }, signal }));

export const readCandidate = (id: string) =>
  done(gated.GET('/api/v1/admin/candidates/{id}', { params: { path: { id } } }));

export const eraseCandidate = (id: string) =>
  done(gated.POST('/api/v1/admin/candidates/{id}/erase', { params: { path: { id } } }));

export const readRetention = () => done(gated.GET('/api/v1/retention'));

export const runRetention = () => done(gated.POST('/api/v1/retention/run'));

export const listKeys = () => done(gated.GET('/api/v1/keys'));

export const createKey = (body: KeyDraft) => done(gated.POST('/api/v1/keys', { body }));

export const revokeKey = (id: string) =>
  done(gated.POST('/api/v1/keys/{id}/revoke', { params: { path: { id } } }));

/** Asks for the password if it was not shown lately. */
export const confirmed = () => done(gated.GET('/api/v1/team/session/confirmed'));

export type KeyDraft = paths['/api/v1/keys']['post']['requestBody']['content']['application/json'];
export type Scope = KeyDraft['scopes'][number];
export type Key = Awaited<ReturnType<typeof listKeys>>['keys'][number];
export type NewKey = Awaited<ReturnType<typeof createKey>>;
export type AuditEvent = Awaited<ReturnType<typeof listAudit>>['events'][number];
export type Candidate = Awaited<ReturnType<typeof findCandidates>>['items'][number];
export type CandidateInFull = Awaited<ReturnType<typeof readCandidate>>;
export type Retention = Awaited<ReturnType<typeof readRetention>>;
