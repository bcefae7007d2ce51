/** Shared by the tests of the embedded PostgreSQL: starts programs and checks what they leave behind. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { Host, linkPackages, openFolder, writeHost } from './embedded-host';
import { processesOn } from './processes';
import { until } from '../until';

export class EmbeddedBench {
  private readonly hosts: Host[] = [];

  private constructor(readonly folder: string) {}

  /** A folder with the compiled starter, its program and the project's packages. */
  static async open(name: string): Promise<EmbeddedBench> {
    const folder = await openFolder(name);
    await writeHost(folder);
    await linkPackages(folder);
    return new EmbeddedBench(folder);
  }

  start(dataDir: string, behaviour = 'patient'): Host {
    const host = new Host(this.folder, [dataDir, behaviour]);
    this.hosts.push(host);
    return host;
  }

  /** Called after each test: ends every program that it started. */
  async endHosts(): Promise<void> {
    await Promise.all(this.hosts.splice(0).map((host) => host.end()));
  }

  async close(): Promise<void> {
    await nothingRunsIn(this.folder);
    await rm(this.folder, { recursive: true, force: true });
  }
}

export async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return rows;
  } finally {
    await client.end();
  }
}

export async function responds(url: string): Promise<boolean> {
  return query(url, 'select 1').then(
    () => true,
    () => false,
  );
}

/** Waits until no process is left on the data folder; fails when the server left its lock file. */
export async function nothingIsLeft(dataDir: string): Promise<void> {
  await nothingRunsIn(dataDir);
  expect(existsSync(pidFile(dataDir))).toBe(false);
}

async function nothingRunsIn(folder: string): Promise<void> {
  await until('no process is left', async () => (await processesOn(folder)).length === 0);
}

export function pidFile(dataDir: string): string {
  return path.join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
}

export async function pidOf(part: string, dataDir: string): Promise<number> {
  const found = (await processesOn(dataDir)).find(({ command }) => command.includes(part));
  if (found === undefined) throw new Error(`no ${part} runs on ${dataDir}`);
  return found.pid;
}
