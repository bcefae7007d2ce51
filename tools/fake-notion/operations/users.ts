import type {
  GetUserParameters,
  ListUsersParameters,
  ListUsersResponse,
  UserObjectResponse,
} from '@notionhq/client';
import { ApiError } from '../api-error';
import { fullUser } from '../wire/user';
import { readId } from '../world/ids';
import type { CallContext } from './context';

export function getSelf({ world }: CallContext): UserObjectResponse {
  return fullUser(world, world.bot);
}

export function getUser(
  { world }: CallContext,
  { user_id }: GetUserParameters,
): UserObjectResponse {
  const id = readId('path.user_id', user_id);
  const person = world.people.get(id);
  if (person === undefined || person.isGone) throw ApiError.notFound('user', id);
  return fullUser(world, person);
}

export function listUsers(
  { world, cursors }: CallContext,
  params: ListUsersParameters,
): ListUsersResponse {
  const here = [...world.people.values()].filter(({ isGone }) => !isGone);
  const { results, ...more } = cursors.page('users', here, params);
  const users = results.map((person) => fullUser(world, person));
  return { object: 'list', type: 'user', user: {}, results: users, ...more };
}
