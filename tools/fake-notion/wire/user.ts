import type { PartialUserObjectResponse, UserObjectResponse } from '@notionhq/client';
import type { Person } from '../world/person';
import type { World } from '../world/world';

export function partialUser({ id }: Person): PartialUserObjectResponse {
  return { object: 'user', id };
}

/** A person who has left has only an id. */
export function userOrPartial(
  world: World,
  id: string,
): UserObjectResponse | PartialUserObjectResponse {
  const person = world.people.get(id);
  if (person === undefined || person.isGone) return { object: 'user', id };
  return fullUser(world, person);
}

export function fullUser(world: World, person: Person): UserObjectResponse {
  const { id, name, kind } = person;
  const common = { object: 'user', id, name, avatar_url: null } as const;
  if (kind === 'person') {
    const email = `${name.toLowerCase().replaceAll(/[^\p{L}\d]+/gu, '.')}@example.org`;
    return { ...common, type: 'person', person: { email } };
  }
  return {
    ...common,
    type: 'bot',
    bot: {
      owner: { type: 'workspace', workspace: true },
      workspace_id: world.id,
      workspace_name: world.name,
      workspace_limits: { max_file_upload_size_in_bytes: 5_242_880 },
    },
  };
}
