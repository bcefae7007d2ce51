/**
 * Compares a commit with the present tree, through HTTP and the command line alone:
 *
 *   npm run bench -- against COMMIT NAME [--rounds 7]
 *
 *   stream    processor time of server and PostgreSQL for each delta; how late the first character is seen
 *   turn      processor time of Node and of PostgreSQL for an answer and its reply
 *   start     `npm start` to ready, `./colloquy vacancy list`, `./colloquy --version`, memory of an idle process
 *   readers   memory of an idle stream, and of a reply that is being written
 *
 * The commit is built in a git worktree in a temporary folder. Both builds run at the same time, each with a
 * database of its own on one PostgreSQL, and take turns in blocks: A B, B A, A B, … The result is
 * bench/results/against-NAME.json; whatever was made is removed, and whatever was started is ended.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Contest } from './against/contest';
import { readers } from './against/readers';
import { blockNotes, figuresOf } from './against/rounds';
import { starts } from './against/starts';
import { streams, turns } from './against/talks';
import { startServer } from './lib/processes';
import { report } from './lib/report';

const COMPARED = new Map([
  ['stream', streams],
  ['turn', turns],
  ['start', starts],
  ['readers', readers],
]);
const LEAST_ROUNDS = 5;
const USAGE = `npm run bench -- against COMMIT ${[...COMPARED.keys()].join('|')} [--rounds N], N at least ${LEAST_ROUNDS}`;

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: String(LEAST_ROUNDS) },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const [commit, name = '', ...others] = positionals;
  const [compared, rounds] = [COMPARED.get(name), Number(values.rounds)];
  const isAsked = commit !== undefined && compared !== undefined && others.length === 0;
  if (!isAsked || !(rounds >= LEAST_ROUNDS)) {
    process.stderr.write(`${USAGE}\n`);
    process.exitCode = 1;
    return;
  }
  const model = await startServer<{ readonly url: string }>('timed-model.ts', {
    BENCH_DELTAS: String(compared.deltas),
  });
  const folder = mkdtempSync(path.join(tmpdir(), 'colloquy-against-'));
  // Later than the handlers below: it builds without letting anything else run.
  const opening = Promise.resolve().then(() => Contest.open(commit, model.ready.url, folder));
  // So that an interrupted run leaves nothing behind, also while it builds.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void opening.then((opened) => opened.close()).finally(() => process.exit(1));
    });
  }
  const contest = await opening;
  try {
    const { quantities, notes, rounds: measured } = await compared.compare(contest, rounds);
    const { before, after } = contest.builds;
    report(`against-${name}`, figuresOf(quantities, measured), [
      `before: ${before.name}; after: ${after.name}; ${rounds} rounds in which the builds take turns`,
      ...notes,
      ...blockNotes(quantities, measured),
    ]);
  } finally {
    await contest.close();
    await model.stop();
  }
}

void main();
