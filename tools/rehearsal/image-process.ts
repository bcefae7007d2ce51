/**
 * `npm run image:rehearse`: what the image starts, without a container engine. It runs the steps of the
 * Dockerfile in temporary folders and starts two replicas of the result as a user without rights, on a
 * tree that this user cannot write, with secrets from files. Candidates on the page and on Telegram talk
 * to a balancer that honours readiness. Meanwhile all replicas are replaced twice, as Kubernetes replaces
 * pods: from the Node of this machine to the Node of the image, and then by the same again.
 * It prints figures, and exits 1 when a request failed or an answer was lost.
 *
 *   --web N --telegram N   candidates at a time (10 and 10)
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Balancer } from './balancer';
import { BuiltImage } from './built-image';
import { newLoad, playOnTelegram, playOnWeb, until } from './load';
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
): Promise<{ readonly replica: Replica; readonly code: number | string; readonly tookMs: number }> {
  const replica = await Replica.start(program);
  await balancer.add(replica);
  balancer.end(old);
  await pause(PRE_STOP_MS);
  const startedMs = performance.now();
  old.terminate();
  const code = await old.exited;
  return { replica, code, tookMs: Math.round(performance.now() - startedMs) };
}

async function rehearse(image: BuiltImage): Promise<boolean> {
  const problems = image
    .writablePlaces()
    .map((place) => `a process of the image can write ${place}`);
  const node24 = image.fetchNode();
  const versionOf = (node: string): string =>
    execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  say(`this machine: Node ${versionOf(process.execPath)}; the image: Node ${versionOf(node24)}`);

  const database = await stage.openDatabase();
  const peers = await stage.openPeers();
  const balancer = await Balancer.open();
  const running = new Set<Replica>();
  try {
    const secrets = stage.secretsFor(database.url, peers.telegram);
    const files = Object.entries(secrets).map(
      ([name, value]) => [`${name}_FILE`, image.mountSecret(name, value)] as const,
    );
    const program = (node: string): Program => ({
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

    const migrated = await Replica.run(program(node24), ['migrate']);
    say(`colloquy migrate: ${migrated.trim().split('\n').at(-1) ?? ''}`);
    // No start loads the examples into a database of DATABASE_URL.
    await Replica.run(program(node24), ['vacancy', 'import', stage.VACANCY]);
    let replicas: Replica[] = [];
    for (let n = 0; n < REPLICAS; n += 1) {
      const replica = await Replica.start(program(process.execPath));
      running.add(replica);
      replicas.push(replica);
      await balancer.add(replica);
    }

    const { tally, stop, candidates } = await beginLoad(database.url, peers, balancer.url);
    await until('every candidate has got a reply', () => tally.answered >= candidates.length);
    for (const node of [node24, node24]) {
      const next: Replica[] = [];
      for (const old of replicas) {
        const { replica, code, tookMs } = await replace(balancer, old, program(node));
        running.add(replica);
        running.delete(old);
        next.push(replica);
        if (code !== 0) problems.push(`a replica ended with ${String(code)}`);
        problems.push(...old.errors.map((line) => `a replica wrote: ${line.slice(0, 300)}`));
        say(
          `replaced by Node ${versionOf(node)}: exit ${String(code)} ${String(tookMs)} ms after ` +
            `SIGTERM; so far ${String(tally.answered)} answers, ${String(tally.requests)} requests`,
        );
        await pause(BETWEEN_MS);
      }
      replicas = next;
    }

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
    const pushed = peers.telegram.webhookAttempts;
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
  } finally {
    for (const replica of running) replica.kill();
    await balancer.close();
    await peers.close();
    await database.close();
  }
  for (const problem of new Set(problems)) console.error(problem);
  return problems.length === 0;
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
