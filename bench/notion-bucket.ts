/**
 * The usual rate limiter, for comparison with `notion`: a token bucket in the memory of each of four
 * replicas, which write boards of 40 changed pages to a fake Notion with the real limits.
 */
import { NotionWorld } from './lib/notion-world';
import { runPlainBuckets } from './lib/plain-bucket';
import { type Figure, report } from './lib/report';

const REPLICAS = 4;
const ALLOWED_PER_SECOND = 3;
const WARM_UP_MS = 6000;
const RUN_MS = 30_000;

async function run(latencyMs: number): Promise<Figure[]> {
  const world = await NotionWorld.open({ boards: 14, tasksEach: 40, latencyMs });
  const fromMs = performance.now() + WARM_UP_MS;
  const untilMs = fromMs + RUN_MS;
  await runPlainBuckets(world, { replicas: REPLICAS, untilMs });
  const { journal } = world.server;
  const isMeasured = ({ atMs }: { atMs: number }): boolean => atMs >= fromMs && atMs < untilMs;
  const refused = journal.refused(429).filter(isMeasured).length;
  const accepted = journal.all.filter(isMeasured).length - refused;
  await world.close();
  const name = `calls of ${String(latencyMs)} ms`;
  const allowed = (ALLOWED_PER_SECOND * RUN_MS) / 1000;
  return [
    { name: `${name}: used`, value: accepted / allowed, unit: 'of the allowed rate' },
    { name: `${name}: 429`, value: refused, unit: '' },
  ];
}

async function main(): Promise<void> {
  const figures = await Promise.all([50, 600].map(run));
  report('notion-bucket', figures.flat(), [`${String(RUN_MS / 1000)} s each`]);
}

void main();
