import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startEmbeddedPostgres } from '../../src/persistence/embedded';
import { EmbeddedBench, nothingIsLeft, pidOf, query } from '../support/postgres/embedded-bench';
import { until } from '../support/until';

let bench: EmbeddedBench;

beforeAll(async () => {
  bench = await EmbeddedBench.open('creation');
});

afterEach(() => bench.endHosts());
afterAll(() => bench.close());

describe('The creation of the embedded PostgreSQL', () => {
  /** Resolves when initdb has begun to write and is far from finished. */
  async function initdbBegan(dir: string): Promise<void> {
    const home = path.join(dir, 'postgres');
    await until('initdb writes', () => {
      const [fresh] = existsSync(home) ? readdirSync(home) : [];
      return fresh !== undefined && existsSync(path.join(home, fresh, 'data', 'PG_VERSION'));
    });
  }

  test.each([
    ['the program', false],
    ['the program and its supervisor', true],
  ])('survives a kill -9 of %s in the middle', async (_who, withSupervisor) => {
    const dir = path.join(bench.folder, `interrupted-${String(withSupervisor)}`);
    const host = bench.start(dir);
    await initdbBegan(dir);

    host.signal('SIGSTOP');
    if (withSupervisor) process.kill(await pidOf('supervisor.cjs', dir), 'SIGKILL');
    host.signal('SIGKILL');
    await host.exited;
    expect(host.words).toEqual([]);
    const next = bench.start(dir);

    expect(await query(await next.said('url'), 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(readdirSync(path.join(dir, 'postgres'))).toEqual(['cluster']);
    next.signal('SIGTERM');
    await next.exited;
    await nothingIsLeft(dir);
  });

  test('stops at a signal and leaves nothing behind', async () => {
    const dir = path.join(bench.folder, 'given-up');
    const abort = new AbortController();
    const starting = startEmbeddedPostgres({
      dataDir: dir,
      log: () => undefined,
      signal: abort.signal,
    });
    const outcome = expect(starting).rejects.toThrow('no longer wanted');
    await initdbBegan(dir);

    abort.abort(new Error('no longer wanted'));

    await outcome;
    await nothingIsLeft(dir);
    expect(readdirSync(path.join(dir, 'postgres'))).toEqual([]);
  });

  test('leaves no folder behind when its data are disposable', async () => {
    const dir = path.join(bench.folder, 'disposable');
    const server = await startEmbeddedPostgres({
      dataDir: dir,
      log: () => undefined,
      disposable: true,
    });
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);

    await server.stop();

    expect(existsSync(dir)).toBe(false);
  });

  test('refuses data of another major version and leaves them in place', async () => {
    const dir = path.join(bench.folder, 'older');
    const host = bench.start(dir);
    await host.said('url');
    host.signal('SIGTERM');
    await host.exited;
    writeFileSync(path.join(dir, 'postgres', 'cluster', 'PG_VERSION'), '17\n');

    const next = bench.start(dir);

    expect(await next.said('error')).toBe('EmbeddedPostgresError');
    expect(await next.said('message')).toContain(
      'are of PostgreSQL 17, and this version of Colloquy has 18',
    );
  });
});
