import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../demo/running-colloquy';

const SCRAPE_EVERY_S = 2;
const READY_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 100;

/** One series of a range query: its labels, and its values by time in seconds. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

interface Rule {
  readonly name: string;
  /** `ok` when its query was evaluated without an error. */
  readonly health: string;
  readonly lastError?: string;
  /** `firing`, `pending` or `inactive`. */
  readonly state: string;
}

/** A Prometheus of this machine, which scrapes one replica and evaluates the alerts of `ruleFile`. */
export class PrometheusServer {
  private constructor(
    private readonly url: string,
    readonly stop: () => Promise<void>,
  ) {}

  /** Throws when the program is not installed. */
  static async start(target: string, ruleFile: string): Promise<PrometheusServer> {
    if (spawnSync('prometheus', ['--version']).status !== 0) {
      throw new Error(
        'prometheus is not installed: apt-get install --no-install-recommends prometheus',
      );
    }
    const folder = await mkdtemp(path.join(tmpdir(), 'colloquy-prometheus-'));
    const configFile = path.join(folder, 'prometheus.yml');
    await writeFile(configFile, configOf(target, ruleFile));
    const address = `127.0.0.1:${String(await freePort(0))}`;
    const child = spawn(
      'prometheus',
      [
        `--config.file=${configFile}`,
        `--storage.tsdb.path=${path.join(folder, 'data')}`,
        `--web.listen-address=${address}`,
        '--log.level=error',
      ],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const ended = once(child, 'exit');
    const server = new PrometheusServer(`http://${address}`, async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    });
    try {
      await server.ready();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** The series of a query in the last `seconds`. Throws the error of Prometheus. */
  async range(query: string, seconds: number): Promise<Series[]> {
    const end = Date.now() / 1000;
    const times = { start: String(end - seconds), end: String(end), step: String(SCRAPE_EVERY_S) };
    const found = await this.get<{ result: Series[] }>('query_range', { query, ...times });
    return found.result;
  }

  async rules(): Promise<Rule[]> {
    const { groups } = await this.get<{ groups: { rules: Rule[] }[] }>('rules', {});
    return groups.flatMap(({ rules }) => rules);
  }

  private async ready(): Promise<void> {
    const deadline = performance.now() + READY_WITHIN_MS;
    while (performance.now() < deadline) {
      const response = await fetch(`${this.url}/-/ready`).catch(() => null);
      if (response?.ok === true) return;
      await pause(LOOK_EVERY_MS);
    }
    throw new Error('prometheus did not start');
  }

  private async get<T>(what: string, parameters: Record<string, string>): Promise<T> {
    const query = new URLSearchParams(parameters).toString();
    const response = await fetch(`${this.url}/api/v1/${what}?${query}`);
    const body = (await response.json()) as { status: string; data: T; error?: string };
    if (body.status !== 'success') throw new Error(body.error ?? body.status);
    return body.data;
  }
}

function configOf(target: string, ruleFile: string): string {
  return `global:
  scrape_interval: ${String(SCRAPE_EVERY_S)}s
  evaluation_interval: ${String(SCRAPE_EVERY_S)}s
rule_files: ['${ruleFile}']
scrape_configs:
  - job_name: colloquy
    static_configs:
      - targets: ['${target}']
`;
}
