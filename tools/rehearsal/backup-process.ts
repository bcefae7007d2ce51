/**
 * `npm run backup:rehearse`: backup and restore with a running interview, on every PostgreSQL of this
 * machine: the embedded one, and those that Debian installs in /usr/lib/postgresql.
 *
 *   point in time   a base backup, WAL archiving, and a candidate who is erased by mistake: the restore
 *                   stops right before that
 *   dump            pg_dump while an answer is being collected, pg_restore into a new database
 *
 * Both times one candidate on the page and one on Telegram are in the middle of an answer. After the
 * restore both get their reply, once, and go on. It prints what it did and exits 1 when that is not so.
 * Where an installation lacks a program, it says what could not be rehearsed.
 */
import { chmodSync, existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { locateBinaries, preparePlace } from '../../src/persistence/embedded/place';
import type { TelegramUser } from '../fake-telegram/people/telegram-user';
import { Balancer } from './balancer';
import { bytesOf, Cluster, type Installation, makeFolder, removeFolder } from './cluster';
import { until } from './load';
import { Replica } from './replica';
import * as stage from './stage';

const ROOT = path.resolve(__dirname, '../..');
const DEBIAN = '/usr/lib/postgresql';
/** Longer than a backup takes, so that an answer is still being collected when the database is lost. */
const QUIET_S = 100;
const AGREE = "I agree, let's start";

type Peers = Awaited<ReturnType<typeof stage.openPeers>>;

/** Two candidates at the same point of their interviews, and the Colloquy that interviews them. */
class Interviews {
  private replica: Replica | null = null;
  private token = '';
  conversationId = '';
  private readonly user: TelegramUser;
  private n = 0;

  constructor(
    private readonly peers: Peers,
    private readonly balancer: Balancer,
  ) {
    this.user = peers.telegram.user({ first_name: 'Ada' });
  }

  async startOn(databaseUrl: string): Promise<void> {
    this.replica = await Replica.start(this.program(databaseUrl));
    await this.balancer.add(this.replica);
  }

  program(databaseUrl: string) {
    return {
      node: process.execPath,
      app: ROOT,
      command: path.join(ROOT, 'scripts/colloquy.mjs'),
      user: null,
      env: {
        ...stage.settingsFor(this.peers, this.balancer.url),
        ...stage.secretsFor(databaseUrl, this.peers.telegram),
        INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT: String(QUIET_S),
        INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: String(QUIET_S),
      },
    };
  }

  /** As an operator stops it, or as it is lost together with its database. */
  async stop(how: 'terminate' | 'kill'): Promise<void> {
    const { replica } = this;
    if (replica === null) return;
    this.replica = null;
    this.balancer.end(replica);
    replica[how]();
    await replica.exited;
  }

  async begin(databaseUrl: string): Promise<void> {
    // No start loads the examples into a database of DATABASE_URL.
    await Replica.run(this.program(databaseUrl), ['vacancy', 'import', stage.VACANCY]);
    const openToken = await stage.openTokenOf(databaseUrl);
    const session = await this.call<{ sessionToken: string; conversationId: string }>(
      'POST',
      '/api/v1/sessions',
      { invite: openToken },
    );
    this.token = session.sessionToken;
    this.conversationId = session.conversationId;
    const { disclosure } = await this.view();
    await this.post('consent', { version: disclosure.version, accepted: true });
    await this.post('profile', { name: 'Ada', contact: 'ada@example.org' });
    this.user.starts(openToken);
    await until('the disclosure is shown', () =>
      this.chat.messages.some(({ buttons }) => buttons.flat().includes(AGREE)),
    );
    this.user.presses(AGREE);
    await until('both first questions are asked', async () => {
      const rows = await stage.rowsOf(
        databaseUrl,
        `select 1 from conversation c where status = 'active' and not exists
           (select 1 from delivery d where d.conversation_id = c.id and d.state <> 'sent')`,
      );
      return rows.length === 2;
    });
  }

  /** Both write; resolves when both messages are stored. */
  async write(databaseUrl: string): Promise<void> {
    this.n += 1;
    const text = `Answer ${String(this.n)}, which is long enough to be one.`;
    await this.post('messages', { id: `answer-${String(this.n)}`, text });
    this.user.writes(text);
    await until('both messages are stored', async () => {
      const rows = await stage.rowsOf(databaseUrl, 'select 1 from message where text = $1', [text]);
      return rows.length === 2;
    });
  }

  /** Ends the quiet time of both answers and waits for both replies. */
  async untilReplied(databaseUrl: string): Promise<void> {
    await stage.rowsOf(
      databaseUrl,
      `update job set due_at = clock_timestamp() where queue = 'flush' and state = 'open'`,
    );
    await until(
      'both have a reply',
      async () => (await stage.countWithoutReply(databaseUrl)) === 0,
    );
  }

  /** What is wrong in the database or the chat, and numbers of replies that differ from the answers. */
  async problems(databaseUrl: string): Promise<string[]> {
    const problems = await stage.problemsOf(databaseUrl, this.peers.telegram, {
      sent: [],
      read: new Map(),
    });
    const turns = await stage.rowsOf<{ n: number }>(
      databaseUrl,
      `select count(distinct turn_id)::int as n from message
       where role = 'assistant' and turn_id is not null group by conversation_id`,
    );
    for (const { n } of turns) {
      if (n !== this.n) problems.push(`${String(this.n)} answers have ${String(n)} replies`);
    }
    if (turns.length !== 2) problems.push(`expected 2 interviews, found ${String(turns.length)}`);
    const { messages } = await this.view();
    const said = messages.filter(({ role }) => role === 'user').length;
    if (said !== this.n) problems.push(`the page shows ${String(said)} answers`);
    return problems;
  }

  private get chat() {
    return this.peers.telegram.chat(this.user.user.id);
  }

  private view(): Promise<{ disclosure: { version: string }; messages: { role: string }[] }> {
    return this.call('GET', '/api/v1/conversation');
  }

  private post(action: string, body: object): Promise<unknown> {
    return this.call('POST', `/api/v1/conversation/${action}`, body);
  }

  private async call<T>(method: string, place: string, body?: object): Promise<T> {
    const response = await fetch(`${this.balancer.url}${place}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${place}: ${String(response.status)}`);
    return (await response.json()) as T;
  }
}

/** Gives `work` an empty cluster and two candidates; removes everything afterwards. */
async function onStage(
  installation: Installation,
  work: (at: { cluster: Cluster; interviews: Interviews; folder: string }) => Promise<Cluster>,
): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'colloquy-backup-'));
  makeFolder(folder, installation.owner);
  const peers = await stage.openPeers();
  const balancer = await Balancer.open();
  const interviews = new Interviews(peers, balancer);
  let last: Cluster | null = null;
  try {
    const cluster = await Cluster.create(installation, folder);
    last = cluster;
    await interviews.startOn(cluster.url);
    await interviews.begin(cluster.url);
    await interviews.write(cluster.url);
    await interviews.untilReplied(cluster.url);
    last = await work({ cluster, interviews, folder });
    // The answers that were open at the backup get their replies now, and the interview goes on.
    await interviews.untilReplied(last.url);
    await interviews.write(last.url);
    await interviews.untilReplied(last.url);
    return await interviews.problems(last.url);
  } finally {
    await interviews.stop('terminate');
    last?.stop();
    await balancer.close();
    await peers.close();
    removeFolder(folder);
  }
}

function pointInTime(installation: Installation): Promise<string[]> {
  return onStage(installation, async ({ cluster, interviews, folder }) => {
    const backup = path.join(folder, 'base');
    const startedMs = performance.now();
    const tool = await cluster.baseBackup(backup);
    say(`base backup by ${tool}: ${megabytes(backup)} in ${since(startedMs)}`);
    await interviews.write(cluster.url);
    await interviews.untilReplied(cluster.url);
    await interviews.write(cluster.url);
    const [now] = await cluster.query<{ at: string }>('select clock_timestamp()::text as at');
    const [mistaken] = await cluster.query<{ id: string }>(
      `select candidate_id as id from conversation where id = '${interviews.conversationId}'`,
    );
    await Replica.run(interviews.program(cluster.url), [
      'candidate',
      'erase',
      mistaken?.id ?? '',
      '--yes',
    ]);
    // What is not archived is lost with the server: at most archive_timeout or one segment of 16 MB.
    await cluster.query('select pg_switch_wal()');
    await archived(cluster);
    await interviews.stop('kill');
    cluster.stop('immediate');
    const lostMs = performance.now();
    const restored = await cluster.restore(backup, now?.at ?? '');
    await interviews.startOn(restored.url);
    say(
      `restored to ${now?.at ?? ''} from ${String(cluster.archived)} segments of WAL, ` +
        `before a candidate was erased; serving again after ${since(lostMs)}`,
    );
    return restored;
  });
}

/** Resolves when the newest complete segment is in the archive. */
async function archived(cluster: Cluster): Promise<void> {
  const [wanted] = await cluster.query<{ segment: string }>(
    'select pg_walfile_name(pg_current_wal_lsn() - 1) as segment',
  );
  await until('the WAL is archived', async () => {
    const [row] = await cluster.query<{ last: string | null }>(
      'select last_archived_wal as last from pg_stat_archiver',
    );
    return (row?.last ?? '') >= (wanted?.segment ?? '');
  });
}

function dump(installation: Installation): Promise<string[]> {
  return onStage(installation, async ({ cluster, interviews, folder }) => {
    await interviews.write(cluster.url);
    const file = path.join(folder, 'colloquy.dump');
    const startedMs = performance.now();
    cluster.run('pg_dump', [
      '--format=custom',
      '--file',
      file,
      ...cluster.connection(),
      'colloquy',
    ]);
    say(`pg_dump: ${megabytes(file)} in ${since(startedMs)}, while an answer was collected`);
    await interviews.stop('terminate');
    const lostMs = performance.now();
    await cluster.query('drop database colloquy', 'postgres');
    await cluster.query('create database colloquy', 'postgres');
    cluster.run('pg_restore', [
      '--exit-on-error',
      '--no-owner',
      '-d',
      'colloquy',
      ...cluster.connection(),
      file,
    ]);
    await interviews.startOn(cluster.url);
    say(`pg_restore into a new database; serving again after ${since(lostMs)}`);
    return cluster;
  });
}

async function installations(folder: string): Promise<Installation[]> {
  const { binaries, owner } = await preparePlace(folder, await locateBinaries());
  const embedded = {
    name: `PostgreSQL ${binaries.version} (embedded)`,
    bin: path.join(binaries.folder, 'bin'),
    owner,
  };
  const versions = existsSync(DEBIAN)
    ? readdirSync(DEBIAN).filter((name) => Number(name) >= 15)
    : [];
  const debian = versions.map((version) => ({
    name: `PostgreSQL ${version} (Debian)`,
    bin: path.join(DEBIAN, version, 'bin'),
    owner,
  }));
  return [embedded, ...debian];
}

const say = (line: string): void => {
  console.log(`  ${line}`);
};
const since = (startedMs: number): string =>
  `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
const megabytes = (place: string): string => `${(bytesOf(place) / 1e6).toFixed(1)} MB`;

async function main(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'colloquy-binaries-'));
  chmodSync(folder, 0o755);
  let count = 0;
  try {
    for (const installation of await installations(folder)) {
      for (const [name, tool, rehearse] of [
        ['point in time', 'initdb', pointInTime],
        ['dump', 'pg_dump', dump],
      ] as const) {
        console.log(`${installation.name}, ${name}`);
        if (!existsSync(path.join(installation.bin, tool))) {
          say(`not rehearsed: this installation has no ${tool}`);
          continue;
        }
        const problems = await rehearse(installation);
        count += problems.length;
        for (const problem of problems) console.error(`  problem: ${problem}`);
        if (problems.length === 0) {
          say(
            'the open answers got one reply each, both interviews went on, nothing was sent twice',
          );
        }
      }
    }
  } finally {
    removeFolder(folder);
  }
  process.exitCode = count === 0 ? 0 : 1;
}

void main();
