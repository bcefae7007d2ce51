/**
 * The application on DATABASE_URL. It prints its address and the session tokens of its interviews.
 *
 *   BENCH_SESSIONS      number of interviews with a web session each
 *   BENCH_CHATS         number of interviews in a Telegram chat each
 *   BENCH_CLAIMS=none   claim no jobs: this replica only has readers
 *   BENCH_DELTAS        replace the model by one that writes this many deltas, 20 a second
 *   BENCH_COMMIT_EVERY  milliseconds between the commits of another flow, named `bench`
 *
 * It responds to these messages of the process that started it: `commits` (the commits since the last
 * time), `lateness` (how late answers were claimed since then), `profile` (where its time is spent), and
 * `take updates in` (from now on claim the queue of stored Telegram updates, and no other queue).
 */
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSessionRepository } from '../../src/candidates';
import { JobWorker } from '../../src/jobs';
import { commit, makeConversations, openApplication } from '../lib/application';
import { logCommits } from '../lib/commit-log';
import { logLateness } from '../lib/lateness-log';
import { profile } from '../lib/profile';
import { moveToChats } from '../lib/telegram';
import { useTimedModel } from '../lib/timed-model';

const PROFILED_MS = 3000;

async function main(): Promise<void> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
  const app = await openApplication(env['DATABASE_URL'] ?? '', env);
  const deltas = Number(env['BENCH_DELTAS'] ?? 0);
  if (deltas > 0) useTimedModel(app, { deltas, everyMs: 50 });
  const commits = logCommits(app);
  const lateness = logLateness(app);
  const chatCount = Number(env['BENCH_CHATS'] ?? 0);
  if (chatCount > 0) await moveToChats(app, await makeConversations(app, chatCount));
  const sessions = app.get(WebSessionRepository, { strict: false });
  const sessionCount = Number(env['BENCH_SESSIONS'] ?? 0);
  const conversations = sessionCount > 0 ? await makeConversations(app, sessionCount) : [];
  const tokens: string[] = [];
  for (let from = 0; from < conversations.length; from += 500) {
    await commit(app, async (tx) => {
      for (const id of conversations.slice(from, from + 500)) {
        tokens.push((await sessions.create(tx, id)).sessionToken);
      }
    });
  }
  await app.listen(0, '127.0.0.1');
  if (env['BENCH_CLAIMS'] !== 'none') app.get(JobWorker, { strict: false }).start();
  const everyMs = Number(env['BENCH_COMMIT_EVERY'] ?? 0);
  if (everyMs > 0) void commitAgainAndAgain(app, everyMs);
  process.stdout.write(`ready ${JSON.stringify({ url: await app.getUrl(), tokens })}\n`);
  process.on('message', (question) => {
    if (question === 'commits') process.send?.(commits());
    if (question === 'lateness') process.send?.(lateness());
    if (question === 'take updates in') {
      const worker = app.get(JobWorker, { strict: false });
      void worker
        .stopClaims(({ queue }) => queue !== 'intake')
        .then(() => {
          worker.start();
          process.send?.('begun');
        });
    }
    if (question === 'profile') {
      const meanwhile = (): Promise<void> => new Promise((end) => setTimeout(end, PROFILED_MS));
      void profile(meanwhile).then((shares) => process.send?.(shares));
    }
  });
  process.on('SIGUSR2', () => globalThis.gc?.());
  // The bench that started it is gone.
  process.once('disconnect', () => process.exit(1));
  process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
}

async function commitAgainAndAgain(app: NestFastifyApplication, everyMs: number): Promise<void> {
  for (;;) {
    await sleep(everyMs);
    await commit(app, (tx) => tx.query('select 1'));
  }
}

void main();
