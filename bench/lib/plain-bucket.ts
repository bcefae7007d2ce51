import { APIResponseError, Client } from '@notionhq/client';
import type { NotionWorld } from './notion-world';

const PER_SECOND = 3;
const IN_FLIGHT = 3;
const PAUSE_AFTER_429_MS = 1000;

/**
 * The usual rate limiter: each replica has a bucket of three tokens in its memory, filled with three a
 * second, and waits a second after a 429. The replicas share the boards out among them.
 */
export async function runPlainBuckets(
  world: NotionWorld,
  options: { readonly replicas: number; readonly untilMs: number },
): Promise<void> {
  const { replicas, untilMs } = options;
  const shares = Array.from({ length: replicas }, (_, n) =>
    world.userIds.filter((_user, place) => place % replicas === n),
  );
  await Promise.all(shares.map((users) => runReplica(world, users, untilMs)));
}

async function runReplica(
  world: NotionWorld,
  users: readonly string[],
  untilMs: number,
): Promise<void> {
  const bucket = new Bucket();
  const client = new Client({
    auth: world.server.token,
    baseUrl: world.server.url,
    notionVersion: '2025-09-03',
    retry: false,
    logger: () => undefined,
  });
  for (const user of users) {
    const people = { property: 'Assignee', people: { contains: user } } as const;
    await permitted(bucket, untilMs, () =>
      client.dataSources.query({ data_source_id: world.dataSourceId, filter: people }),
    );
    const pages = (world.pageIds.get(user) ?? []).map((id, place) => ({ id, rank: place + 1 }));
    const worker = async (): Promise<void> => {
      for (let page = pages.shift(); page !== undefined; page = pages.shift()) {
        const properties = { 'Queue Rank': { number: page.rank } };
        const change = { page_id: page.id, properties };
        await permitted(bucket, untilMs, () => client.pages.update(change));
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
    if (performance.now() > untilMs) return;
  }
}

async function permitted(
  bucket: Bucket,
  untilMs: number,
  call: () => Promise<unknown>,
): Promise<void> {
  while (performance.now() < untilMs) {
    await bucket.take();
    try {
      await call();
      return;
    } catch (error) {
      if (!(error instanceof APIResponseError) || error.status !== 429) throw error;
      await pause(PAUSE_AFTER_429_MS);
    }
  }
}

class Bucket {
  private tokens = PER_SECOND;
  private filledAtMs = performance.now();

  async take(): Promise<void> {
    for (;;) {
      const now = performance.now();
      const gained = ((now - this.filledAtMs) / 1000) * PER_SECOND;
      this.tokens = Math.min(PER_SECOND, this.tokens + gained);
      this.filledAtMs = now;
      if (this.tokens >= 1) {
        this.tokens -= 1;
        return;
      }
      await pause(((1 - this.tokens) / PER_SECOND) * 1000);
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
