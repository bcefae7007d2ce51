import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '../../src/persistence/embedded';
import { migrate } from '../../src/persistence';
import { OLD_SCHEMA, makeOld } from '../support/old-schema';
import { runCliProcess } from '../support/run-cli';
import { ServerProcess } from '../support/server-process';

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

test('a data folder that was used before the baseline is refused by the start and by commands', async () => {
  const env = { COLLOQUY_DATA_DIR: dataDir };
  const application = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  await migrate(application.url);
  await makeOld(application.url);
  const beside = await runCliProcess(['vacancy', 'list'], env);
  await application.stop();

  const alone = await runCliProcess(['vacancy', 'list'], env);
  const server = ServerProcess.start(env);
  const code = await server.exited;

  const refused = { code: 1, err: `${OLD_SCHEMA}\n` };
  expect(beside).toMatchObject({ ...refused, out: '' });
  expect(alone).toMatchObject({ ...refused, out: '' });
  expect({ code, err: server.err }).toEqual(refused);
});
