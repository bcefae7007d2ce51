import { newToken } from '../common/ids';
import type { Tx } from '../common/uow';

const SALT_NAME = 'pin_salt';

/**
 * The salt of all PINs of the deployment (`deployment_secret`), made at first use. When several
 * replicas make it at once, one is stored and all of them read that one.
 */
export async function saltOfDeployment(tx: Tx): Promise<string> {
  await tx.query(
    `insert into deployment_secret (name, value) values ($1, $2) on conflict (name) do nothing`,
    [SALT_NAME, newToken()],
  );
  const [row] = await tx.query<{ value: string }>(
    'select value from deployment_secret where name = $1',
    [SALT_NAME],
  );
  if (row === undefined) throw new Error(`the secret "${SALT_NAME}" was stored and is not there`);
  return row.value;
}
