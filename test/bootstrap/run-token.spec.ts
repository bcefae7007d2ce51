import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepRunToken, runTokenOf } from '../../src/bootstrap/run-token';

test("the run's admin token is the same after a new start, and only its user reads it", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'token-'));
  const token = await runTokenOf(folder);
  await keepRunToken(folder, token);

  const again = await runTokenOf(folder);

  const file = path.join(folder, 'admin-token');
  expect(again).toBe(token);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await writeFile(file, 'short');
  expect(await runTokenOf(folder)).not.toBe('short');
  await rm(folder, { recursive: true });
});
