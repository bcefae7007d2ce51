import { execFileSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { unusedPort } from '../fake-network/load-balancer';
import type { Owner } from '../../src/persistence/embedded/place';

const DATABASE = 'colloquy';
const LOOK_EVERY_MS = 50;
/** Not part of a backup: they belong to the running server. */
const OF_THE_SERVER = new Set(['postmaster.pid', 'postmaster.opts']);

/** A PostgreSQL installation. */
export interface Installation {
  readonly name: string;
  /** The folder of its programs. */
  readonly bin: string;
  /** Whom the server runs as; null: the user of this process. */
  readonly owner: Owner | null;
}

/** One server with its data in a folder of its own, which archives its WAL. */
export class Cluster {
  private port = 0;

  private constructor(
    private readonly installation: Installation,
    private readonly data: string,
    readonly archive: string,
  ) {}

  /** Makes an empty cluster below `folder`, with a database for Colloquy, and starts it. */
  static async create(installation: Installation, folder: string): Promise<Cluster> {
    const archive = path.join(folder, 'archive');
    makeFolder(archive, installation.owner);
    const cluster = new Cluster(installation, path.join(folder, 'first'), archive);
    const locale = ['--encoding=UTF8', '--locale=C.UTF-8'];
    cluster.run('initdb', ['-D', cluster.data, '-U', 'colloquy', '--auth=trust', ...locale]);
    await cluster.start();
    await cluster.query(`create database ${DATABASE}`, 'postgres');
    return cluster;
  }

  get url(): string {
    return this.urlOf(DATABASE);
  }

  /** How many files of WAL are in the archive. */
  get archived(): number {
    return readdirSync(this.archive).length;
  }

  has(tool: string): boolean {
    return existsSync(path.join(this.installation.bin, tool));
  }

  /** Runs a program of the installation against this server; returns its standard output. */
  run(tool: string, args: readonly string[]): string {
    const { bin, owner } = this.installation;
    return execFileSync(path.join(bin, tool), args, {
      encoding: 'utf8',
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(owner === null ? {} : owner),
    });
  }

  /** What programs need to connect. */
  connection(): string[] {
    return ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'colloquy'];
  }

  async start(): Promise<void> {
    this.port = await unusedPort();
    const options = {
      port: String(this.port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      archive_mode: 'on',
      archive_command: `test ! -f ${this.archive}/%f && cp %p ${this.archive}/%f`,
    };
    const given = Object.entries(options).map(([name, value]) => `-c ${name}='${value}'`);
    const log = path.join(path.dirname(this.data), `${path.basename(this.data)}.log`);
    this.run('pg_ctl', [
      '-D',
      this.data,
      '-l',
      log,
      '-o',
      given.join(' '),
      '-w',
      '-t',
      '120',
      'start',
    ]);
  }

  /** `immediate`: as a crash. */
  stop(mode: 'fast' | 'immediate' = 'fast'): void {
    this.run('pg_ctl', ['-D', this.data, '-m', mode, '-w', 'stop']);
  }

  async query<Row>(text: string, database = DATABASE): Promise<Row[]> {
    const client = new Client({ connectionString: this.urlOf(database) });
    await client.connect();
    try {
      return (await client.query(text)).rows as Row[];
    } finally {
      await client.end();
    }
  }

  /** Copies the data while the server runs, by pg_basebackup or, without it, by the backup API in SQL. */
  async baseBackup(to: string): Promise<'pg_basebackup' | 'pg_backup_start'> {
    if (this.has('pg_basebackup')) {
      const options = ['--wal-method=none', '--checkpoint=fast'];
      this.run('pg_basebackup', ['-D', to, ...options, ...this.connection()]);
      return 'pg_basebackup';
    }
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      await client.query(`select pg_backup_start('rehearsal', fast => true)`);
      cpSync(this.data, to, {
        recursive: true,
        filter: (file) =>
          !OF_THE_SERVER.has(path.basename(file)) &&
          path.dirname(file) !== path.join(this.data, 'pg_wal'),
      });
      const { rows } = await client.query<{ labelfile: string }>(
        'select labelfile from pg_backup_stop()',
      );
      writeFileSync(path.join(to, 'backup_label'), rows[0]?.labelfile ?? '');
    } finally {
      await client.end();
    }
    return 'pg_backup_start';
  }

  /** Starts a server on a base backup that replays the archive up to a moment of the database's clock. */
  async restore(backup: string, at: string): Promise<Cluster> {
    const { owner } = this.installation;
    const data = `${backup}-restored`;
    cpSync(backup, data, { recursive: true });
    mkdirSync(path.join(data, 'pg_wal', 'archive_status'), { recursive: true });
    writeFileSync(path.join(data, 'recovery.signal'), '');
    writeFileSync(
      path.join(data, 'postgresql.auto.conf'),
      [
        `restore_command = 'cp ${this.archive}/%f %p'`,
        `recovery_target_time = '${at}'`,
        `recovery_target_action = 'promote'`,
        '',
      ].join('\n'),
    );
    if (owner !== null) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, data]);
    execFileSync('chmod', ['700', data]);
    const restored = new Cluster(this.installation, data, this.archive);
    await restored.start();
    for (;;) {
      const [row] = await restored.query<{ is: boolean }>('select pg_is_in_recovery() as is');
      if (row?.is === false) return restored;
      await pause(LOOK_EVERY_MS);
    }
  }

  private urlOf(database: string): string {
    return `postgres://colloquy@127.0.0.1:${String(this.port)}/${database}`;
  }
}

export function makeFolder(folder: string, owner: Owner | null): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  if (owner !== null) chownSync(folder, owner.uid, owner.gid);
}

/** Bytes of a file, or of all files below a folder. */
export function bytesOf(place: string): number {
  const [kilobytes = '0'] = execFileSync('du', ['-sk', place], { encoding: 'utf8' }).split('\t');
  return Number(kilobytes) * 1024;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
