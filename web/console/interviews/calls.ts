/** Requests of the list of interviews. */
import type { paths } from '../../../tools/api-client/api.gen';
import { gated } from '../api/calls';
import { done } from '../api/problem';

export const listWaiting = (vacancy: string | null, signal: AbortSignal) =>
  done(
    gated.GET('/api/v1/interviews/waiting', {
      params: { query: { limit: 50, ...(vacancy === null ? {} : { vacancy }) } },
      signal,
    }),
  );

type Body = paths['/api/v1/interviews/actions']['post']['requestBody'];
export type Action = NonNullable<Body>['content']['application/json']['action'];

export const actOn = (action: Action, interviewIds: string[]) =>
  done(gated.POST('/api/v1/interviews/actions', { body: { action, interviewIds } }));

export const listViews = () => done(gated.GET('/api/v1/team/views'));

export const saveView = ({ id, name, query }: View) =>
  done(gated.PUT('/api/v1/team/views/{id}', { params: { path: { id } }, body: { name, query } }));

export const deleteView = (id: string) =>
  done(gated.DELETE('/api/v1/team/views/{id}', { params: { path: { id } } }));

export type View = Awaited<ReturnType<typeof listViews>>['views'][number];
export type Fate = Awaited<ReturnType<typeof actOn>>['results'][number];
