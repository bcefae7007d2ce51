/**
 * `npm run fuzz -- --seed N --requests 20000`: starts Colloquy as a process with an embedded database, a
 * model and a Bot API of this machine, and sends it requests made from its own OpenAPI document. The exit
 * code is 1 when a response was wrong. docs/security.md describes what is checked.
 */
import { parseArgs } from 'node:util';
import { ModelServer } from '../fake-model/model-server';
import { TelegramServer } from '../fake-telegram';
import { RunningColloquy, freePort } from '../demo/running-colloquy';
import { type FuzzOptions, FUZZ_SETTINGS, REPEATING, runFuzz } from './fuzz';
import type { Report } from './report';

const HANG_MS = 20_000;
const MAX_SEED = 2 ** 32;
const MAX_REQUESTS = 10_000_000;

function optionsOf(args: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
      requests: { type: 'string', default: '20000' },
    },
  });
  const whole = (name: string, given: string, low: number, high: number): number => {
    const read = Number(given);
    if (Number.isInteger(read) && given.trim() !== '' && read >= low && read <= high) return read;
    const range = `from ${String(low)} to ${String(high)}`;
    throw new Error(`--${name} ${given}: expected a whole number ${range}`);
  };
  return {
    seed: whole('seed', values.seed, 0, MAX_SEED - 1),
    requests: whole('requests', values.requests, 1, MAX_REQUESTS),
    hangMs: HANG_MS,
  };
}

/** Starts all that takes part, and ends it whatever happens. */
async function fuzz(options: FuzzOptions): Promise<Report> {
  const model = await ModelServer.start(REPEATING);
  const telegram = await TelegramServer.start();
  let colloquy: RunningColloquy | null = null;
  // Also when it is ended early, Colloquy and its database must not be left behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void Promise.resolve(colloquy?.stop()).finally(() => process.exit(130));
    });
  }
  try {
    colloquy = await RunningColloquy.start(
      {
        folder: 'fuzz',
        port: await freePort(0),
        env: {
          ...FUZZ_SETTINGS,
          OPENAI_API_KEY: 'fuzz',
          OPENAI_BASE_URL: model.baseUrl,
          TELEGRAM_BOT_TOKEN: telegram.token,
          TELEGRAM_API_ROOT: telegram.apiRoot,
        },
      },
      (started) => (colloquy = started),
    );
    const { baseUrl, adminToken, vacancies } = colloquy;
    const [long, short] = vacancies;
    if (long === undefined || short === undefined) throw new Error('there are no two vacancies');
    const sql = (statement: string): Promise<readonly Record<string, unknown>[]> =>
      (colloquy as RunningColloquy).rows<Record<string, unknown>>(statement);
    await sql(
      `update vacancy set plan = plan || jsonb_build_object(
         'receipt', true, 'questions', jsonb_build_array(plan->'questions'->0))
       where open_token = '${short.openToken}'`,
    );
    return await runFuzz(
      {
        baseUrl,
        adminToken,
        telegramSecret: FUZZ_SETTINGS.TELEGRAM_WEBHOOK_SECRET,
        invite: long.openToken,
        shortInvite: short.openToken,
        sql,
      },
      options,
    );
  } finally {
    await colloquy?.stop();
    await telegram.close();
    await model.close();
  }
}

function print(report: Report, { seed }: FuzzOptions): void {
  const { violations, requests, successShare } = report;
  const write = (line: string): void => void process.stdout.write(`${line}\n`);
  for (const line of report.lines()) write(`  ${line}`);
  for (const { rule, operation, what, kind, curl, times } of violations) {
    write(`  VIOLATION ${rule} (${String(times)} ×, ${kind}) ${operation}: ${what}\n    ${curl}`);
  }
  const share = `${(successShare * 100).toFixed(0)} % successful`;
  write(`  seed ${String(seed)}: ${String(requests)} requests, ${share}`);
  write(`  violations: ${String(violations.length)}`);
}

async function main(): Promise<void> {
  let options;
  try {
    options = optionsOf(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
    return;
  }
  process.stdout.write(`fuzz of seed ${String(options.seed)}\n`);
  const began = performance.now();
  const report = await fuzz(options);
  print(report, options);
  process.stdout.write(`  ${((performance.now() - began) / 1000).toFixed(0)} s\n`);
  process.exitCode = report.violations.length > 0 ? 1 : 0;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 2;
});
