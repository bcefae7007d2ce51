/**
 * The console's list of interviews in Chromium: how much processor time scrolling takes with 10,000 rows against 500,
 * while rows change, and whether the memory of the page stays flat over as many changes as a busy hour has. Needs
 * `npm run build` and Chromium.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { type Browser, type CDPSession, type Page, chromium } from 'playwright-core';
import { findRunningEmbeddedPostgres, homesOf } from '../src/persistence/embedded';
import { STATE } from './lib/application';
import { freePort } from './lib/free-port';
import { report } from './lib/report';
import { percentile } from './lib/stats';

const FEW = 500;
const MANY = 10_000;
/** One each second. */
const CHANGES_OF_AN_HOUR = 3_600;
/** After these the page has whatever it keeps of changed rows. */
const WARM_CHANGES = 400;
const CHANGE_EACH_MS = 20;
const WHEEL_STEPS = 300;
const BOOT_TIMEOUT_MS = 60_000;
const ROUNDS = 3;

interface Console {
  readonly base: string;
  readonly database: Client;
  readonly link: string;
  close(): Promise<void>;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The built application with an embedded database, and the link of its first admin. */
async function startApplication(): Promise<Console> {
  const port = await freePort();
  const data = mkdtempSync(path.join(tmpdir(), 'colloquy-bench-list-'));
  const { DATABASE_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, [path.join(__dirname, '..', 'dist', 'main.js')], {
    env: { ...env, PORT: String(port), COLLOQUY_DATA_DIR: data },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  const base = `http://localhost:${String(port)}`;
  const linkFile = path.join(data, 'first-admin-link');
  const deadline = Date.now() + BOOT_TIMEOUT_MS;
  while (!existsSync(linkFile) && Date.now() < deadline) await pause(100);
  const url = await findRunningEmbeddedPostgres(data);
  if (url === null || !existsSync(linkFile)) {
    child.kill('SIGTERM');
    throw new Error('the application did not start');
  }
  const database = new Client({ connectionString: url });
  await database.connect();
  return {
    base,
    database,
    link: readFileSync(linkFile, 'utf8').trim(),
    close: async () => {
      await database.end();
      child.kill('SIGTERM');
      await exited;
      for (const home of homesOf(data)) rmSync(home, { recursive: true, force: true });
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function makeInterviews(database: Client): Promise<void> {
  await database.query(
    `with people as (
       insert into candidate (id, name)
       select gen_random_uuid(), case when n <= $1 then 'Few ' else 'Other ' end || n
       from generate_series(1, $2::int) n returning id)
     insert into conversation (id, vacancy_id, candidate_id, language, plan, state, status)
     select gen_random_uuid(), v.id, people.id, v.language, v.plan, $3::jsonb, 'active'
     from people, (select * from vacancy where language = 'en' limit 1) v`,
    [FEW, MANY, JSON.stringify(STATE)],
  );
  await database.query('analyze');
}

/** A candidate's name changes, and the feed hears of it as it does of any commit. */
class Changes {
  private made = 0;

  constructor(
    private readonly database: Client,
    private readonly ids: readonly string[],
  ) {}

  async make(): Promise<void> {
    const id = this.ids[this.made % this.ids.length];
    this.made += 1;
    await this.database.query(
      `update candidate set name = regexp_replace(name, '( again \\d+)?$', ' again ' || $2)
       where id = (select candidate_id from conversation where id = $1)`,
      [id, this.made],
    );
    await this.database.query(`select pg_notify('colloquy_notices', $1)`, [JSON.stringify([[id]])]);
  }
}

async function signIn(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.locator('input[name=name]').fill('Ada');
  await page.locator('input[name=email]').fill('ada@example.org');
  await page.locator('input[name=password]').fill('seven slow green trams');
  await page.keyboard.press('Enter');

  await page.locator('[data-interview]').first().waitFor();
}

/** Opens the list with this search, and loads all of its rows. */
async function openList(page: Page, base: string, text: string): Promise<void> {
  await page.goto(`${base}/console/interviews?text=${text}`);
  await page.locator('[data-interview]').first().waitFor();
  const known = (): Promise<number> =>
    page.evaluate(`(() => {
      scrollTo(0, document.body.scrollHeight);
      return Number(document.querySelector('.table').getAttribute('aria-rowcount'));
    })()`);
  // Below zero while more rows are to come.
  while ((await known()) < 0) await pause(30);
  await page.evaluate('scrollTo(0, 0)');
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Processor time of the tasks of the page's main thread in ms, while the list is scrolled and changes. */
async function scroll(page: Page, changes: Changes): Promise<number[]> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]));
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'devtools.timeline'] },
  });
  await page.mouse.move(600, 500);
  for (let step = 0; step < WHEEL_STEPS; step += 1) {
    await page.mouse.wheel(0, step < WHEEL_STEPS / 2 ? 120 : -120);
    await pause(16);
    if (step % 20 === 0) await changes.make();
  }
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const main = events.find(
    ({ name, args, pid, tid }) =>
      name === 'thread_name' &&
      args.name === 'CrRendererMain' &&
      events.some((one) => one.name === 'FunctionCall' && one.pid === pid && one.tid === tid),
  );
  if (main === undefined) throw new Error('the trace has no main thread');
  return events
    .filter(({ ph, pid, tid }) => ph === 'X' && pid === main.pid && tid === main.tid)
    .filter(({ name }) => name.endsWith('RunTask'))
    .map(({ dur = 0, tdur = dur }) => tdur / 1000);
}

/** Bytes that are in use when what is not needed has been collected. */
async function heapBytes(session: CDPSession): Promise<number> {
  for (let times = 0; times < 3; times += 1) await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize;
}

async function changesInAnHour(page: Page, changes: Changes): Promise<{ grown: number }> {
  const session = await page.context().newCDPSession(page);
  const during = async (count: number): Promise<void> => {
    for (let made = 0; made < count; made += 1) {
      await changes.make();
      await pause(CHANGE_EACH_MS);
    }
    // What is still on its way to the page.
    await pause(3000);
  };
  await during(WARM_CHANGES);
  const before = await heapBytes(session);
  await during(CHANGES_OF_AN_HOUR);
  return { grown: (await heapBytes(session)) / before };
}

async function idsOf(database: Client, name: string): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `select c.id from conversation c join candidate p on p.id = c.candidate_id
     where p.name like $1 || '%' order by c.id limit 200`,
    [name],
  );
  return rows.map(({ id }) => id);
}

async function measure(browser: Browser, { base, database, link }: Console): Promise<void> {
  await makeInterviews(database);
  const page = await (
    await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en' })
  ).newPage();
  await signIn(page, link);
  const changes = new Changes(database, await idsOf(database, 'Few'));
  const few: number[] = [];
  const many: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await openList(page, base, 'Few');
    few.push(...(await scroll(page, changes)));
    await openList(page, base, '');
    many.push(...(await scroll(page, changes)));
  }
  const rows = await page.locator('[data-interview]').count();
  const { grown } = await changesInAnHour(page, changes);
  const frames = many.filter((ms) => ms > 50).length;
  report(
    'console-list',
    [
      { name: `a task while ${FEW} rows scroll, p99`, value: percentile(few, 0.99), unit: 'ms' },
      { name: `a task while ${MANY} rows scroll, p99`, value: percentile(many, 0.99), unit: 'ms' },
      {
        name: `${MANY} rows against ${FEW}, p99`,
        value: percentile(many, 0.99) / percentile(few, 0.99),
        unit: '×',
        bound: { atMost: 1.5 },
      },
      { name: 'tasks of more than 50 ms among them', value: frames, unit: '' },
      { name: `rows in the document of ${MANY}`, value: rows, unit: '', bound: { atMost: 100 } },
      {
        name: `memory of the page after ${CHANGES_OF_AN_HOUR} changes against before`,
        value: grown,
        unit: '×',
        bound: { atMost: 1.05 },
      },
    ],
    [
      `${many.length} tasks of the page's main thread in ${ROUNDS} rounds; processor time, not time that passed`,
      `memory: the heap after a collection of garbage, first after ${WARM_CHANGES} changes`,
    ],
  );
}

async function main(): Promise<void> {
  const application = await startApplication();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  try {
    await measure(browser, application);
  } finally {
    await browser.close();
    await application.close();
  }
}

void main();
