/**
 * How much longer others' edits take to be ranked while the query of one person's board always fails:
 * at once (503), or by a timeout. Phases without and with such failures alternate on one application.
 * Everything is three times as fast as in production; only ratios within one run count.
 */
import { NotionEdits, sleep } from './lib/notion-edits';
import { openBenchDatabase } from './lib/database';
import { startServer } from './lib/processes';
import { report } from './lib/report';
import { median, percentile } from './lib/stats';

const OTHERS = 6;
const PHASE_MS = 18_000;
/** How often the owner of the failing board edits it. */
const FAILING_EDIT_EVERY_MS = 6000;
const TIMEOUT_MS = 30_000;
const KINDS = ['fine', 'failing', 'fine', 'hanging', 'fine'] as const;
const BOUND = 1.2;

type Kind = (typeof KINDS)[number];

async function main(): Promise<void> {
  const notion = await NotionEdits.open();
  const database = await openBenchDatabase();
  const server = await startServer<{ url: string }>('application.ts', {
    ...notion.env,
    DATABASE_URL: database.url,
  });
  notion.server.webhooks.sendTo(`${server.ready.url}/webhooks/notion`);
  const others = Array.from({ length: OTHERS }, (_, n) => notion.editor(`Other ${n}`, 4));
  const failing = notion.editor('Failing', 4);
  await Promise.all(others.map((one) => notion.edit(one, TIMEOUT_MS)));

  const times: Record<Kind, number[]> = { fine: [], failing: [], hanging: [] };
  const failures: Record<Kind, number> = { fine: 0, failing: 0, hanging: 0 };
  for (const kind of KINDS) {
    const matching = (params: object): boolean =>
      kind !== 'fine' && JSON.stringify(params).includes(failing.user.id);
    const { faults } = notion.server;
    if (kind === 'failing') {
      faults.on('queryDataSource', { kind: 'status', status: 503 }, { times: 1e6, matching });
    }
    if (kind === 'hanging') {
      faults.on('queryDataSource', { kind: 'delay', ms: 3000 }, { times: 1e6, matching });
    }
    const before = notion.server.journal.calls('queryDataSource').length;
    const untilMs = performance.now() + PHASE_MS;
    const editing = (async () => {
      for (let n = 0; kind !== 'fine' && performance.now() < untilMs; n += 1) {
        failing.tasks[n % 4]?.edit({ Importance: Math.random() }, failing.user);
        await sleep(FAILING_EDIT_EVERY_MS);
      }
    })();
    await Promise.all(
      others.map(async (one, n) => {
        await sleep(n * 400);
        while (performance.now() < untilMs) {
          times[kind].push(await notion.edit(one, TIMEOUT_MS));
          await sleep(200);
        }
      }),
    );
    await editing;
    const queries = notion.server.journal.calls('queryDataSource').slice(before);
    failures[kind] += queries.filter(({ params }) => matching(params)).length;
    faults.clear();
  }
  const alone = percentile(times.fine, 0.95);
  const figuresOf = (kind: Kind, what: string) => [
    { name: `an edit, median, ${what}`, value: median(times[kind]), unit: 'ms' },
    { name: `an edit, p95, ${what}`, value: percentile(times[kind], 0.95), unit: 'ms' },
  ];
  const ratioOf = (kind: Kind, what: string) => ({
    name: `p95, ${what}, over without`,
    value: percentile(times[kind], 0.95) / alone,
    unit: '×',
    bound: { atMost: BOUND },
  });
  report(
    'failing-board',
    [
      ...figuresOf('fine', 'without'),
      ...figuresOf('failing', 'one board fails'),
      ...figuresOf('hanging', 'one board hangs'),
      ratioOf('failing', 'one board fails'),
      ratioOf('hanging', 'one board hangs'),
      { name: 'edits', value: Object.values(times).flat().length, unit: '' },
      { name: 'queries that failed at once', value: failures.failing, unit: 'calls' },
      { name: 'queries that hung', value: failures.hanging, unit: 'calls' },
    ],
    [],
  );
  await server.stop();
  await notion.server.close();
  await database.close();
}

void main();
