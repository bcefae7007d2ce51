import { createTestDatabase } from '../support/postgres';
import {
  withBootConnection,
  judgeServer,
  refuseLostSettings,
} from '../../src/persistence/server-check';

const FITTING = { version: 150_004, connections: 100 };
const SMALL = { poolSize: 6, replicas: 1 };

describe('a database server', () => {
  test('is accepted from PostgreSQL 15 on', () => {
    expect(() => {
      judgeServer(FITTING, SMALL);
    }).not.toThrow();
    expect(() => {
      judgeServer({ ...FITTING, version: 140_012 }, SMALL);
    }).toThrow('The database is PostgreSQL 14, and Colloquy needs 15 or newer.');
  });

  test.each([
    [19, 1, true],
    [18, 1, false],
    [37, 3, true],
    [36, 3, false],
  ])('with %d connections and %d replicas is accepted: %s', (connections, replicas, isTaken) => {
    const judge = (): void => {
      judgeServer({ ...FITTING, connections }, { poolSize: 6, replicas });
    };

    if (isTaken) expect(judge).not.toThrow();
    else expect(judge).toThrow(/^The database allows .* raise max_connections/);
  });
});

test('refuses a server that does not keep session settings, and names them', async () => {
  const database = await createTestDatabase();

  await withBootConnection(database.url, 'test', async (client) => {
    await client.query('set statement_timeout = 3000; set lock_timeout = 1000; set jit = off');
    await expect(refuseLostSettings(client)).rejects.toThrow(
      'The database does not keep the settings of a session ' +
        '(idle_in_transaction_session_timeout is 0, not 4000): connect to PostgreSQL directly',
    );
    await client.query('set idle_in_transaction_session_timeout = 4000');
    await expect(refuseLostSettings(client)).resolves.toBeUndefined();
  });

  await database.drop();
});

describe('the error for an unusable database is one sentence without the password', () => {
  let url: URL;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    const database = await createTestDatabase();
    url = new URL(database.url);
    ({ drop } = database);
  });

  afterAll(() => drop());

  async function sentence(change: (address: URL) => void): Promise<string> {
    const address = new URL(url);
    change(address);
    const error = await withBootConnection(address.href, 'test', () => Promise.resolve()).catch(
      (reason: unknown) => reason,
    );
    expect((error as Error).message).not.toContain('hush');
    return (error as Error).message.replaceAll(url.host, 'HOST');
  }

  test('a wrong password', async () => {
    const told = await sentence((address) => {
      address.password = 'hush';
    });

    expect(told).toBe(
      'The database server at HOST refuses the user "colloquy" or its password (28P01): check DATABASE_URL.',
    );
  });

  test('no such database', async () => {
    const told = await sentence((address) => {
      address.pathname = '/nowhere';
    });

    expect(told).toBe(
      'The database server at HOST has no database "nowhere": create it, or check DATABASE_URL.',
    );
  });

  test('no such host', async () => {
    const told = await sentence((address) => {
      address.hostname = 'nowhere.invalid';
    });

    expect(told).toMatch(
      /^The database server at nowhere\.invalid:\d+ cannot be reached \(E[A-Z]+_?[A-Z]*\): check/,
    );
  });
});
