import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '../../src/persistence/embedded';
import { runCliProcess } from '../support/run-cli';

const ENGLISH = resolve(__dirname, '../../examples/backend-engineer.en.yaml');

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'colloquy-cli-'));
  // Where the tests run as root, the server's user must be able to enter.
  await chmod(dataDir, 0o755);
});

afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

test('a command without DATABASE_URL works beside the running application, and without it', async () => {
  const env = { COLLOQUY_DATA_DIR: dataDir };

  const first = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  await first.stop();
  const alone = await runCliProcess(['vacancy', 'import', ENGLISH], env);
  const application = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  const beside = await runCliProcess(['vacancy', 'import', ENGLISH], env);
  const listed = await runCliProcess(['attention'], env);
  await application.stop();
  const after = await runCliProcess(['vacancy', 'import', ENGLISH], env);

  expect(alone).toMatchObject({ code: 0, err: '' });
  expect(beside).toMatchObject({ code: 0, err: '' });
  expect(beside.out).toBe(
    alone.out.replace('created', 'unchanged').replace('4 stored', '4 unchanged'),
  );
  expect(listed).toMatchObject({ code: 0, out: 'Nothing needs a person.\n' });
  expect(after).toEqual(beside);
});
