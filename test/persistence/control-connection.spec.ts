import { DatabaseUnavailableError } from '../../src/common/uow';
import { ControlConnection } from '../../src/persistence';
import { FakeClock } from '../../tools/support/fake-clock';
import { CuttingProxy } from '../../tools/fake-network/cutting-proxy';
import { connectionsTo, giveBack, rowsOf, takeAway } from '../support/outside';
import { createTestDatabase } from '../support/postgres';
import { until } from '../support/until';

let url: string;
let clock: FakeClock;
let control: ControlConnection;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ url, drop } = await createTestDatabase());
});

beforeEach(() => {
  clock = new FakeClock();
  control = new ControlConnection(url, clock);
});

afterEach(() => control.close());

afterAll(() => drop());

const PID = 'select pg_backend_pid() as pid';

async function endSession(): Promise<void> {
  const [row] = await control.query<{ pid: number }>(PID);
  await rowsOf(url, 'select pg_terminate_backend($1, 1000)', [row?.pid]);
}

describe('the control connection', () => {
  test('connects once at the first statement, also for concurrent callers', async () => {
    const before = control.connectedSinceMs();
    const rows = await Promise.all([1, 2, 3].map(() => control.query<{ pid: number }>(PID)));

    expect(before).toBeNull();
    expect(new Set(rows.map(([row]) => row?.pid)).size).toBe(1);
    expect(control.connectedSinceMs()).toBe(0);
  });

  test('detects that its idle session was ended, and counts contact from the new one', async () => {
    await endSession();
    await until('the control connection has noticed it', () => control.isLost);
    const whileLost = control.connectedSinceMs();
    clock.advance(500);
    await control.query(PID);

    expect(whileLost).toBeNull();
    expect(control.connectedSinceMs()).toBe(500);
    expect(control.isLost).toBe(false);
  });

  test('throws while the database is unreachable, and works again afterwards', async () => {
    await control.query(PID);
    await takeAway(url);
    const refused = await control.query(PID).catch((error: unknown) => error);
    const again = await control.query(PID).catch((error: unknown) => error);
    await giveBack(url);

    expect([refused, again].map((error) => error instanceof DatabaseUnavailableError)).toEqual([
      true,
      true,
    ]);
    await expect(control.query(PID)).resolves.toHaveLength(1);
  });

  test('times out on a silent network, and leaves no connection behind', async () => {
    const proxy = await CuttingProxy.start(url);
    const patient = new ControlConnection(proxy.url, clock, 800);
    await patient.query(PID);
    proxy.mute();

    await expect(patient.query(PID)).rejects.toBeInstanceOf(DatabaseUnavailableError);
    proxy.heal();
    await expect(patient.query(PID)).resolves.toHaveLength(1);

    await until(
      'the silent connection is gone',
      async () => (await connectionsTo(url)).length === 1,
    );
    await patient.close();
    await proxy.close();
  });

  test('does not count a failed statement as a lost connection', async () => {
    await expect(control.query('select 1 / 0')).rejects.toThrow('division by zero');

    expect(control.connectedSinceMs()).toBe(0);
  });

  test('stays closed when closed while it connects', async () => {
    const asking = control.query(PID).catch((error: unknown) => error);
    await control.close();
    await asking;

    await expect(control.query(PID)).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await until('nothing is connected', async () => (await connectionsTo(url)).length === 0);
  });
});
