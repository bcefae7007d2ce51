/**
 * `npm run image:rehearse`: what the image starts, without a container engine. It runs the steps of the
 * Dockerfile in temporary folders and starts two replicas of the result as a user without rights, on a
 * tree that this user cannot write, with secrets from files. Candidates on the page and on Telegram talk
 * to a balancer that honours readiness. Meanwhile all replicas are replaced twice, as Kubernetes replaces
 * pods: from the Node of this machine to the Node of the image, and then by the next version, which is
 * this one with one more change of the schema. Replicas of this version go on serving on that schema, and
 * do not start on it again.
 * It prints figures, and exits 1 when a request failed or an answer was lost.
 *
 *   --web N --telegram N   candidates at a time (10 and 10)
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Balancer } from './balancer';
import { BuiltImage } from './built-image';
import type { TelegramServer } from '../fake-telegram';
import { newLoad, playOnTelegram, playOnWeb, type Tally, until } from './load';
import { CONSENTED, REFUSAL } from './next-version';
import { type Program, Replica } from './replica';
import * as stage from './stage';

const REPLICAS = 2;
/** The deployment sleeps 10 s. Here the balancer learns at once that a replica ends. */
const PRE_STOP_MS = 2000;
const BETWEEN_MS = 4000;

const say = (line: string): void => {
  console.log(line);
};

function numberOf(option: string, byDefault: number): number {
  const at = process.argv.indexOf(option);
  const value = at === -1 ? byDefault : Number(process.argv[at + 1]);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new Error(`${option}: expected a whole number`);
}

/** Starts one replica more, then ends the old one: preStop, SIGTERM, and its exit. */
async function replace(
  balancer: Balancer,
  old: Replica,
  program: Program,
  beforeTraffic: () => Promise<void>,
): Promise<{ readonly replica: Replica; readonly code: number | string; readonly tookMs: number }> {
  const replica = await Replica.start(program);
  await beforeTraffic();
  await balancer.add(replica);
  balancer.end(old);
  await pause(PRE_STOP_MS);
  const startedMs = performance.now();
  old.terminate();
  const code = await old.exited;
  return { replica, code, tookMs: Math.round(performance.now() - startedMs) };
}

/** Replaces all replicas by `program`, one after the other; returns the new ones. */
async function rollOut(
  at: Rollout,
  old: readonly Replica[],
  { name, program, whileOldServe }: Version,
): Promise<Replica[]> {
  const { balancer, running, tally, problems } = at;
  const next: Replica[] = [];
  for (const one of old) {
    const isFirst = next.length === 0;
    const { replica, code, tookMs } = await replace(balancer, one, program, async () => {
      if (isFirst) await whileOldServe?.();
    });
    running.add(replica);
    running.delete(one);
    next.push(replica);
    if (code !== 0) problems.push(`a replica ended with ${String(code)}`);
    problems.push(...one.errors.map((line) => `a replica wrote: ${line.slice(0, 300)}`));
    say(
      `replaced by ${name}: exit ${String(code)} ${String(tookMs)} ms after ` +
        `SIGTERM; so far ${String(tally.answered)} answers, ${String(tally.requests)} requests`,
    );
    await pause(BETWEEN_MS);
  }
  return next;
}

interface Rollout {
  readonly balancer: Balancer;
  readonly running: Set<Replica>;
  readonly tally: Tally;
  readonly problems: string[];
}

interface Version {
  readonly name: string;
  readonly program: Program;
  /** Runs while the first of its replicas has started, and only replicas of before get requests. */
  readonly whileOldServe?: () => Promise<void>;
}

const versionOf = (node: string): string =>
  execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();

async function rehearse(image: BuiltImage): Promise<boolean> {
  const problems = image
    .writablePlaces()
    .map((place) => `a process of the image can write ${place}`);
  const node24 = image.fetchNode();
  say(`this machine: Node ${versionOf(process.execPath)}; the image: Node ${versionOf(node24)}`);

  const database = await stage.openDatabase();
  const peers = await stage.openPeers();
  const balancer = await Balancer.open();
  const running = new Set<Replica>();
  try {
    const program = programIn(image, { databaseUrl: database.url, peers, balancer });
    const ours = program(node24);
    const next = { ...ours, app: image.nextApp };
    const migrated = await Replica.run(ours, ['migrate']);
    say(`colloquy migrate: ${migrated.trim().split('\n').at(-1) ?? ''}`);
    // No start loads the examples into a database of DATABASE_URL.
    await Replica.run(ours, ['vacancy', 'import', stage.VACANCY]);
    let replicas: Replica[] = [];
    for (let n = 0; n < REPLICAS; n += 1) {
      const replica = await Replica.start(program(process.execPath));
      running.add(replica);
      replicas.push(replica);
      await balancer.add(replica);
    }

    const { tally, stop, candidates } = await beginLoad(database.url, peers, balancer.url);
    await until('every candidate has got a reply', () => tally.answered >= candidates.length);
    const at = { balancer, running, tally, problems };
    replicas = await rollOut(at, replicas, { name: `Node ${versionOf(node24)}`, program: ours });
    const count = (sql: string) => stage.rowsOf(database.url, sql).then((rows) => rows.length);
    let before = 0;
    replicas = await rollOut(at, replicas, {
      name: 'the next version',
      program: next,
      whileOldServe: async () => {
        before = await count(CONSENTED.underThis);
        await until(
          'replicas of this version have stored consents on the schema of the next one',
          async () => (await count(CONSENTED.underNext)) >= 2 * REPLICAS,
        );
      },
    });

    stop.abort();
    await Promise.all(candidates);
    await until(
      'every answer has its reply',
      async () => (await stage.countWithoutReply(database.url)) === 0,
    );
    for (const replica of replicas) {
      balancer.end(replica);
      replica.terminate();
      problems.push(...((await replica.exited) === 0 ? [] : ['the last replicas did not exit 0']));
      running.delete(replica);
    }
    problems.push(...(await stage.problemsOf(database.url, peers.telegram, tally)));
    problems.push(...(await problemsOfUpdate(ours, before, await count(CONSENTED.underThis))));
    report({ problems, tally, balancer, telegram: peers.telegram, image });
  } finally {
    for (const replica of running) replica.kill();
    await balancer.close();
    await peers.close();
    await database.close();
  }
  for (const problem of new Set(problems)) console.error(problem);
  return problems.length === 0;
}

/** What runs in the image, by the Node that runs it. */
function programIn(
  image: BuiltImage,
  {
    databaseUrl,
    peers,
    balancer,
  }: {
    readonly databaseUrl: string;
    readonly peers: Awaited<ReturnType<typeof stage.openPeers>>;
    readonly balancer: Balancer;
  },
): (node: string) => Program {
  const secrets = stage.secretsFor(databaseUrl, peers.telegram);
  const files = Object.entries(secrets).map(
    ([name, value]) => [`${name}_FILE`, image.mountSecret(name, value)] as const,
  );
  return (node) => ({
    node,
    app: image.app,
    command: image.command,
    user: image.user,
    env: {
      ...stage.settingsFor(peers, balancer.url),
      ...Object.fromEntries(files),
      TMPDIR: image.writable,
    },
  });
}

/** After the update: this version does not start on the schema of the next one, which kept all rows. */
async function problemsOfUpdate(ours: Program, before: number, after: number): Promise<string[]> {
  const said = await Replica.refusal(ours);
  const migrated = await Replica.run(ours, ['migrate']).catch((error: unknown) => String(error));
  const sentences = [said, migrated].map((text) =>
    text.split('\n').find((line) => line.startsWith(REFUSAL)),
  );
  say(`this version, started again: ${sentences[0] ?? said}`);
  return [
    ...(sentences.includes(undefined) ? ['this version was not refused by its sentence'] : []),
    ...(before === after && before > 0
      ? []
      : [`${String(before)} consents of before the update are ${String(after)} now`]),
  ];
}

function report({
  problems,
  tally,
  balancer,
  telegram,
  image,
}: {
  readonly problems: string[];
  readonly tally: Tally;
  readonly balancer: Balancer;
  readonly telegram: TelegramServer;
  readonly image: BuiltImage;
}): void {
  const pushed = telegram.webhookAttempts;
  const unpushed = pushed.filter(({ status }) => status !== 200).length;
  problems.push(...tally.failed.map((failed) => `a request failed: ${failed}`));
  if (unpushed > 0) problems.push(`${String(unpushed)} updates of Telegram were refused`);
  const left = image.leftFiles();
  say(`
requests                                  ${String(tally.requests)}
  of them failed                          ${String(tally.failed.length)}
  broken or refused at the balancer       ${String(balancer.broken + balancer.refused)}
updates pushed by Telegram                ${String(pushed.length)}
  of them refused                         ${String(unpushed)}
event streams cut and resumed             ${String(tally.reopened)}
messages sent by candidates               ${String(tally.sent.length)}
replies read to the end on the page       ${String(tally.read.size)}
answers seen by candidates                ${String(tally.answered)}
files left in the writable folder         ${left.length === 0 ? 'none' : left.join(', ')}
problems                                  ${String(problems.length)}`);
}

async function beginLoad(
  databaseUrl: string,
  { telegram }: { readonly telegram: Parameters<typeof playOnTelegram>[0] },
  baseUrl: string,
) {
  const { tally, stop } = newLoad();
  const options = {
    baseUrl,
    openToken: await stage.openTokenOf(databaseUrl),
    tally,
    stop: stop.signal,
  };
  const [web, chats] = [numberOf('--web', 10), numberOf('--telegram', 10)];
  const candidates = [
    ...Array.from({ length: web }, () => playOnWeb(options)),
    ...Array.from({ length: chats }, () => playOnTelegram(telegram, options)),
  ];
  // Reported when they are awaited at the end.
  for (const candidate of candidates) candidate.catch(() => undefined);
  return { tally, stop, candidates };
}

async function main(): Promise<void> {
  const image = BuiltImage.build(say);
  try {
    const who = image.user === null ? 'this user' : `uid ${String(image.user.uid)}`;
    say(`the tree is read-only for its processes, which run as ${who}`);
    process.exitCode = (await rehearse(image)) ? 0 : 1;
  } finally {
    image.remove();
  }
}

void main();
