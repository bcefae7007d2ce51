import type { Role } from '../../src/access';
import type { TestApp } from './app';
import { makeUser, signIn } from './users';

/** A user in a browser in which they have signed in. */
export interface Colleague {
  readonly name: string;
  request(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    sent?: { readonly body?: object; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response>;
}

export async function colleague(
  app: TestApp,
  of: {
    readonly name: string;
    readonly role: Role;
    readonly vacancyIds?: readonly string[];
  },
): Promise<Colleague> {
  const { name } = of;
  const session = await signIn(app, await makeUser(app, of));
  return {
    name,
    request: (method, path, { body, headers = {} } = {}) =>
      fetch(app.url + path, {
        method,
        headers: {
          ...session,
          ...headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  };
}
