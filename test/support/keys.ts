import { ApiKeys, SCOPES } from '../../src/access';
import type { TestApp } from './app';

export interface TestKey {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

let made = 0;

/** A key with every scope for all vacancies, unless `rights` says something else. */
export async function makeKey(
  app: TestApp,
  rights: {
    readonly scopes?: readonly string[];
    readonly vacancyIds?: readonly string[] | null;
    readonly expiresAt?: Date;
  } = {},
): Promise<TestKey> {
  const { scopes = SCOPES, vacancyIds = null, expiresAt = null } = rights;
  made += 1;
  const name = `test-${String(made)}`;
  const createdBy = 'the tests';
  const { key, token } = await app.commit((tx) =>
    app.get(ApiKeys).create(tx, { name, scopes, vacancyIds, expiresAt, createdBy }),
  );
  return { id: key.id, name, token };
}

/** Revokes it as another process does: replicas learn it from the signal. */
export async function revokeKey(app: TestApp, { name }: TestKey): Promise<void> {
  const keys = app.get(ApiKeys);
  await app.commit(async (tx) => keys.revoke(tx, await keys.get(tx, name)));
}

/** Revokes it without a signal. */
export async function revokeUnheard(app: TestApp, { id }: TestKey): Promise<void> {
  await app.sql('update api_key set revoked_at = $2 where id = $1 returning id', [
    id,
    app.realOrFakeClock.now(),
  ]);
}

export function bearer({ token }: { readonly token: string }): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** The status of a response, with the code of its problem if it is a refusal. */
export async function outcomeOf(response: Response): Promise<string> {
  const { status } = response;
  if (status < 400) {
    await response.body?.cancel();
    return String(status);
  }
  return `${String(status)} ${((await response.json()) as { code: string }).code}`;
}
