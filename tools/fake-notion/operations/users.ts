import type {
  GetUserParameters,
  ListUsersParameters,
  ListUsersResponse,
  UserObjectResponse,
} from '@notionhq/client';
import { ApiError } from '../api-error';
import { fullUser } from '../wire/user';
import { readId } from '../state/ids';
import type { CallContext } from './context';

export function getSelf({ state }: CallContext): UserObjectResponse {
  return fullUser(state, state.bot);
}

export function getUser(
  { state }: CallContext,
  { user_id }: GetUserParameters,
): UserObjectResponse {
  const id = readId('path.user_id', user_id);
  const person = state.people.get(id);
  if (person === undefined || person.isGone) throw ApiError.notFound('user', id);
  return fullUser(state, person);
}

export function listUsers(
  { state, cursors }: CallContext,
  params: ListUsersParameters,
): ListUsersResponse {
  const here = [...state.people.values()].filter(({ isGone }) => !isGone);
  const { results, ...more } = cursors.page('users', here, params);
  const users = results.map((person) => fullUser(state, person));
  return { object: 'list', type: 'user', user: {}, results: users, ...more };
}
