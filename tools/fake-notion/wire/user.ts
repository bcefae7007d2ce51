import type { PartialUserObjectResponse, UserObjectResponse } from '@notionhq/client';
import type { Person } from '../state/person';
import type { WorkspaceState } from '../state/workspace-state';

export function partialUser({ id }: Person): PartialUserObjectResponse {
  return { object: 'user', id };
}

/** A person who has left has only an id. */
export function userOrPartial(
  state: WorkspaceState,
  id: string,
): UserObjectResponse | PartialUserObjectResponse {
  const person = state.people.get(id);
  if (person === undefined || person.isGone) return { object: 'user', id };
  return fullUser(state, person);
}

export function fullUser(state: WorkspaceState, person: Person): UserObjectResponse {
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
      workspace_id: state.id,
      workspace_name: state.name,
      workspace_limits: { max_file_upload_size_in_bytes: 5_242_880 },
    },
  };
}
