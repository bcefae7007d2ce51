/**
 * The candidate's page on a slow connection (1.6 Mbit/s, 150 ms for each request), opened in Chromium
 * with an empty cache: when the first heading is painted, when its buttons work, and what was loaded.
 * Needs `npm run build`, and Chromium at CHROMIUM_PATH.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { freePort } from './lib/free-port';
import { type Figure, report } from './lib/report';
import { median } from './lib/stats';

const VISITS = 7;
const SLOW = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 1_600_000 / 8,
};
const PHONE = { width: 390, height: 844 };
const BOOT_TIMEOUT_MS = 60_000;

interface Visit {
  readonly headingMs: number;
  readonly interactiveMs: number;
  readonly layoutShift: number;
  readonly scriptBytes: number;
  readonly fontBytes: number;
}

interface Page {
  readonly links: readonly string[];
  readonly close: () => Promise<void>;
}

/** Starts the built application with its examples, on a database of its own. */
async function startApplication(): Promise<Page> {
  const port = await freePort();
  const data = mkdtempSync(path.join(tmpdir(), 'colloquy-bench-page-'));
  const { DATABASE_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, [path.join(__dirname, '..', 'dist', 'main.js')], {
    env: { ...env, PORT: String(port), COLLOQUY_DATA_DIR: data },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    rmSync(data, { recursive: true, force: true });
  };
  const timeout = setTimeout(() => child.kill('SIGTERM'), BOOT_TIMEOUT_MS);
  const links = new Set<string>();
  let output = '';
  for await (const chunk of child.stdout) {
    output += String(chunk);
    for (const [link] of output.matchAll(/http:\/\/localhost:\d+\/i\/[\w-]{10,}/g)) links.add(link);
    if (links.size === 2) break;
  }
  clearTimeout(timeout);
  if (links.size < 2) {
    await close();
    throw new Error(`the application printed ${links.size} links of the example vacancies`);
  }
  child.stdout.resume();
  return { links: [...links], close };
}

async function visit(browser: Browser, link: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: PHONE });
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.emulateNetworkConditions', SLOW);
  const types = new Map<string, string>();
  const bytes: Record<string, number> = { Script: 0, Font: 0 };
  network.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type));
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId) ?? '';
    bytes[type] = (bytes[type] ?? 0) + encodedDataLength;
  });
  await page.addInitScript(NOTE_MOMENTS);
  await page.goto(link, { waitUntil: 'networkidle' });
  const seen = await page.evaluate<Omit<Visit, 'scriptBytes' | 'fontBytes'>>(READ_MOMENTS);
  await context.close();
  return { ...seen, scriptBytes: bytes.Script ?? 0, fontBytes: bytes.Font ?? 0 };
}

/** In the page, before its own scripts: notes when a heading is in the document, and layout shifts. */
const NOTE_MOMENTS = `
  globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) globalThis.shifts += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  const watcher = new MutationObserver(() => {
    if (document.querySelector('h1') === null) return;
    performance.mark('heading');
    watcher.disconnect();
  });
  watcher.observe(document, { childList: true, subtree: true });
`;

const READ_MOMENTS = `(() => {
  const at = (name) => {
    const [entry] = performance.getEntriesByName(name);
    if (entry === undefined) throw new Error('the page has no "' + name + '"');
    return entry.startTime;
  };
  return {
    headingMs: Math.max(at('heading'), at('first-contentful-paint')),
    interactiveMs: at('interactive'),
    layoutShift: globalThis.shifts,
  };
})()`;

async function figuresOf(browser: Browser, link: string): Promise<Figure[]> {
  const visits: Visit[] = [];
  // The first visit warms the server, not the browser: each visit has an empty cache.
  await visit(browser, link);
  for (let n = 0; n < VISITS; n += 1) visits.push(await visit(browser, link));
  const middle = (of: keyof Visit): number => median(visits.map((one) => one[of]));
  const page = await (await fetch(link)).text();
  const language = /<html lang="(\w+)"/.exec(page)?.[1] ?? 'unknown';
  const name = (what: string): string => `${language}: ${what}`;
  return [
    {
      name: name('first heading'),
      value: middle('headingMs'),
      unit: 'ms',
      bound: { atMost: 1000 },
    },
    {
      name: name('interactive'),
      value: middle('interactiveMs'),
      unit: 'ms',
      bound: { atMost: 1500 },
    },
    { name: name('layout shift'), value: middle('layoutShift'), unit: '', bound: { atMost: 0.01 } },
    {
      name: name('scripts'),
      value: middle('scriptBytes') / 1000,
      unit: 'kB',
      bound: { atMost: 95 },
    },
    { name: name('fonts'), value: middle('fontBytes') / 1000, unit: 'kB' },
  ];
}

async function main(): Promise<void> {
  const application = await startApplication();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  try {
    const figures: Figure[] = [];
    for (const link of application.links) figures.push(...(await figuresOf(browser, link)));
    report('page', figures, [`medians of ${VISITS} visits with an empty cache, 390 x 844`]);
  } finally {
    await browser.close();
    await application.close();
  }
}

void main();
