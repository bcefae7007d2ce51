/**
 * `npm run dashboards:check`: a crowd of candidates uses a running Colloquy, a Prometheus of this machine
 * scrapes it, and every query of every dashboard has to return values, every alert to be evaluated. With
 * `--pictures` it also draws the dashboards for docs/monitoring.md. It stops what it has started.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Crowd } from '../demo/crowd';
import { RunningDemo, openColloquy, openNotion, openTelegram } from '../demo/running-demo';
import { DASHBOARDS } from './dashboards';
import type { Dashboard, Panel } from './queries';
import { type Curve, curvesOf, dashboardSvg } from './picture';
import { PrometheusServer } from './prometheus-server';

const ROOT = path.resolve(__dirname, '../..');
const RULES = path.join(ROOT, 'deploy/monitoring/alerts.yml');
const PICTURES = path.join(ROOT, 'docs/pictures/dashboards');
/** The crowd arrives within two minutes. */
const LOAD_S = 150;
/** Grafana would choose a longer range at a longer scrape interval. */
const RATE_INTERVAL = '20s';

async function run(demo: RunningDemo): Promise<number> {
  process.env.DEMO_SPEED ??= '4';
  const telegram = await openTelegram(demo);
  const world = await openNotion(demo);
  const colloquy = await openColloquy(demo, 'dashboards-check', { telegram, ...world });
  const target = new URL(colloquy.baseUrl).host;
  const prometheus = await PrometheusServer.start(target, RULES);
  demo.onClose(() => prometheus.stop());
  void new Crowd(demo, colloquy, telegram).arrive();
  console.log(`A crowd uses Colloquy for ${String(LOAD_S)} s …`);
  await pause(LOAD_S * 1000, undefined, { signal: demo.aborted.signal });
  let problems = 0;
  for (const dashboard of DASHBOARDS) problems += await look(prometheus, dashboard);
  return problems + (await lookAtAlerts(prometheus));
}

/** Returns how many queries of the dashboard returned no value or an error. */
async function look(prometheus: PrometheusServer, dashboard: Dashboard): Promise<number> {
  const curves = new Map<Panel, Curve[]>();
  let [count, empty] = [0, 0];
  for (const panel of dashboard.panels) {
    const drawn: Curve[] = [];
    for (const { expr, legend } of panel.queries) {
      const found = curvesOf(legend, await prometheus.range(filledIn(expr, dashboard), LOAD_S));
      count += 1;
      if (found.length === 0) {
        empty += 1;
        console.error(`${dashboard.uid}, "${panel.title}": no value for ${expr}`);
      }
      drawn.push(...found);
    }
    curves.set(panel, drawn);
  }
  console.log(`${dashboard.uid}: ${String(count - empty)} of ${String(count)} queries have values`);
  if (process.argv.includes('--pictures')) {
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(path.join(PICTURES, `${dashboard.uid}.svg`), dashboardSvg(dashboard, curves));
  }
  return empty;
}

function filledIn(expr: string, { variables = [] }: Dashboard): string {
  const all = [{ name: '__rate_interval', value: RATE_INTERVAL }, ...variables];
  return all.reduce((text, { name, value }) => text.replaceAll(`$${name}`, value), expr);
}

async function lookAtAlerts(prometheus: PrometheusServer): Promise<number> {
  const rules = await prometheus.rules();
  const bad = rules.filter(({ health }) => health !== 'ok');
  for (const { name, lastError = 'not evaluated' } of bad) console.error(`${name}: ${lastError}`);
  const firing = rules.filter(({ state }) => state === 'firing').map(({ name }) => name);
  console.log(
    `${String(rules.length - bad.length)} of ${String(rules.length)} alerts are evaluated; firing: ${firing.join(', ') || 'none'}`,
  );
  return bad.length;
}

const demo = new RunningDemo();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void demo.close());
void run(demo)
  .catch((error: unknown) => {
    if (!demo.aborted.signal.aborted) console.error(error);
    return 1;
  })
  .then(async (problems) => {
    await demo.close();
    process.exit(problems === 0 ? 0 : 1);
  });
