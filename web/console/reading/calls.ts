/** The requests of the page of one interview. */
import type { paths } from '../../../tools/api-client/api.gen';
import { gated } from '../api/calls';
import { asProblem, done } from '../api/problem';
import type { ApiResult } from '../../src/console/admin-api';

export const readInterview = (id: string) =>
  done(gated.GET('/api/v1/interviews/{id}', { params: { path: { id } } }));

/** Its item is where one writes in it. */
export const takeOverInterview = (id: string) =>
  done(gated.POST('/api/v1/interviews/{id}/take-over', { params: { path: { id } }, body: {} }));

/** The newest page of lines, or the one before `before`. */
export const readTranscript = (id: string, before: number | null) =>
  done(
    gated.GET('/api/v1/admin/conversations/{id}/transcript', {
      params: { path: { id }, query: before === null ? {} : { before } },
    }),
  );

/** It never throws: the player says how it ended. */
export async function readRecording(id: string, messageId: string): Promise<ApiResult<Blob>> {
  const params = { path: { id, messageId } };
  try {
    const call = gated.GET('/api/v1/admin/conversations/{id}/voices/{messageId}/audio', {
      params,
      parseAs: 'blob',
    });
    return { kind: 'ok', value: await done(call) };
  } catch (error) {
    return { kind: asProblem(error).status === 404 ? 'gone' : 'unreachable' };
  }
}

/** With the cookie of the session the browser fetches it by itself. */
export function fileAt(id: string, messageId: string): string {
  return `/api/v1/admin/conversations/${id}/files/${messageId}/content`;
}

/** `isOwn`: nothing of others, so that one's own ratings stay open. */
const only = (isOwn: boolean): { only?: 'own' } => (isOwn ? { only: 'own' } : {});

export const readRatings = (id: string, isOwn: boolean) =>
  done(
    gated.GET('/api/v1/interviews/{id}/ratings', {
      params: { path: { id }, query: only(isOwn) },
    }),
  );

export const rate = (id: string, questionId: string, criteria: readonly GivenMark[]) =>
  done(
    gated.PUT('/api/v1/interviews/{id}/ratings/{questionId}', {
      params: { path: { id, questionId } },
      body: { criteria: [...criteria] },
    }),
  );

export const readScorecard = (id: string) =>
  done(gated.GET('/api/v1/interviews/{id}/scorecard', { params: { path: { id } } }));

export const readComments = (id: string, isOwn: boolean) =>
  done(
    gated.GET('/api/v1/interviews/{id}/comments', {
      params: { path: { id }, query: only(isOwn) },
    }),
  );

/** `key`: of the text, so that a repeat after a lost response writes it once. */
export const writeComment = (
  id: string,
  { questionId, text, key }: { questionId: string | null; text: string; key: string },
) =>
  done(
    gated.POST('/api/v1/interviews/{id}/comments', {
      params: { path: { id } },
      headers: { 'idempotency-key': key },
      body: { questionId, text },
    }),
  );

export const editComment = (id: string, commentId: string, text: string) =>
  done(
    gated.PATCH('/api/v1/interviews/{id}/comments/{commentId}', {
      params: { path: { id, commentId } },
      body: { text },
    }),
  );

export const deleteComment = (id: string, commentId: string) =>
  done(
    gated.DELETE('/api/v1/interviews/{id}/comments/{commentId}', {
      params: { path: { id, commentId } },
    }),
  );

/** With the version that a decision has to name. */
export async function readDecisions(id: string) {
  const call = gated.GET('/api/v1/interviews/{id}/decisions', { params: { path: { id } } });
  const { items } = await done(call);
  return { items, seen: (await call).response.headers.get('etag') ?? '"none"' };
}

export const decide = (
  id: string,
  { seen, key, ...body }: { isAdverse: boolean; reason: string; seen: string; key: string },
) =>
  done(
    gated.POST('/api/v1/interviews/{id}/decisions', {
      params: { path: { id }, header: { 'if-match': seen } },
      headers: { 'idempotency-key': key },
      body,
    }),
  );

/** The signed file, byte by byte. */
export const exportDecision = (decisionId: string, key: string): Promise<string> =>
  done(
    gated.POST('/api/v1/decisions/{id}/export', {
      params: { path: { id: decisionId } },
      headers: { 'idempotency-key': key },
      parseAs: 'text',
    }),
  );

export type TranscriptPage = Awaited<ReturnType<typeof readTranscript>>;
export type InterviewInFull = Awaited<ReturnType<typeof readInterview>>;
export type RatedQuestion = Awaited<ReturnType<typeof readRatings>>['questions'][number];
export type RatedCriterion = RatedQuestion['criteria'][number];
export type Scoring = Awaited<ReturnType<typeof readScorecard>>['scorings'][number];
export type ScoredQuestion = Scoring['questions'][number];
export type Comments = Awaited<ReturnType<typeof readComments>>;
export type Comment = Comments['items'][number];
export type Decisions = Awaited<ReturnType<typeof readDecisions>>;
export type Decision = Decisions['items'][number];
export type GivenMark =
  paths['/api/v1/interviews/{id}/ratings/{questionId}']['put']['requestBody']['content']['application/json']['criteria'][number];
