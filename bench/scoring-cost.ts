/**
 * What one scoring of an example interview costs: requests, tokens of the texts that are sent and written, and
 * time, with a model server over HTTP that takes a fixed time for a request and either knows `n` or ignores
 * it. Tokens are o200k's after `npm ci --prefix bench/tokenizers`; without it, characters are counted.
 *
 *   npm run bench -- scoring-cost --base ../another-checkout
 *
 * With `--base` a copy of this file measures the other checkout too, and the figures are compared.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Jobs, JobWorker } from '../src/jobs';
import { ScoringRepository } from '../src/scoring';
import { readVacancyFile, type VacancyDraft } from '../src/vacancies';
import { ANSWERS } from '../tools/demo/answers';
import { commit, openApplication } from './lib/application';
import { openBenchDatabase } from './lib/database';
import { type Figure, report } from './lib/report';

const REQUEST_MS = 200;
const FILES = ['backend-engineer.en.yaml', 'support-lead.ru.yaml'] as const;
const TOKENIZERS = process.env.SCORING_COST_TOKENIZERS ?? path.join(__dirname, 'tokenizers');

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Count = (text: string) => number;

function counter(): { readonly unit: string; readonly count: Count } {
  if (!existsSync(path.join(TOKENIZERS, 'node_modules'))) {
    return { unit: 'characters', count: (text) => text.length };
  }
  const load = createRequire(path.join(TOKENIZERS, 'package.json'));
  const { encode } = load('gpt-tokenizer/cjs/encoding/o200k_base') as {
    encode: (text: string) => readonly number[];
  };
  return { unit: 'tokens (o200k)', count: (text) => encode(text).length };
}

interface Body {
  readonly messages: readonly { readonly content: string }[];
  readonly n?: number;
  readonly response_format: { readonly json_schema: { readonly name: string } };
}

interface Cost {
  requests: number;
  input: number;
  output: number;
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += String(part);
  return JSON.parse(text) as Body;
}

/** A rating that quotes the first message whole. */
function ratingOf({ messages, response_format: format }: Body): string {
  const data = JSON.parse(messages.at(-1)?.content ?? '{}') as {
    messages: { id?: string; text?: string }[];
  };
  const first = data.messages.find(({ id }) => id !== undefined);
  const quotes = [{ messageId: first?.id, text: first?.text }];
  if (format.json_schema.name === 'fact_reading') return JSON.stringify({ quotes, result: 'yes' });
  return JSON.stringify({ quotes, result: 'supported', mark: 4, lookedFor: '', reason: 'none' });
}

async function modelServer(knowsN: boolean, count: Count) {
  const cost: Cost = { requests: 0, input: 0, output: 0 };
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const texts = Array.from({ length: knowsN ? (body.n ?? 1) : 1 }, () => ratingOf(body));
      cost.requests += 1;
      cost.input += body.messages.reduce((sum, { content }) => sum + count(content), 0);
      cost.output += texts.reduce((sum, text) => sum + count(text), 0);
      await sleep(REQUEST_MS);
      const choices = texts.map((content, index) => ({
        index,
        message: { role: 'assistant', content },
        finish_reason: 'stop',
      }));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ choices }));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, cost, url: `http://127.0.0.1:${String(port)}/v1` };
}

type Application = Awaited<ReturnType<typeof openApplication>>;

/** A finished interview with the first answer to each question; returns its id. */
function finishedInterview(app: Application, { plan, language }: VacancyDraft): Promise<string> {
  const [vacancy, candidate, id] = [randomUUID(), randomUUID(), randomUUID()];
  return commit(app, async (tx) => {
    await tx.query(
      `insert into vacancy (id, slug, language, title, company, owner, plan, open_token)
       values ($1::uuid, $1::text, $2, 'Bench', 'Bench', '{}', $3, $1::text)`,
      [vacancy, language, JSON.stringify(plan)],
    );
    await tx.query(`insert into candidate (id, name, contact) values ($1::uuid, 'Ada', $1::text)`, [
      candidate,
    ]);
    await tx.query(
      `insert into conversation (id, vacancy_id, candidate_id, language, plan, status, state,
         consent_version, consent_accepted, consent_at)
       values ($1, $2, $3, $4, $5, 'completed', '{}', '2026-11-rating', true, now())`,
      [id, vacancy, candidate, language, JSON.stringify(plan)],
    );
    let seq = 0;
    for (const question of plan.questions) {
      const [said = 'Yes.'] = ANSWERS[`${question.id}-${language}`] ?? ANSWERS[question.id] ?? [];
      for (const text of said.replace(/\{([^|}]*)\|([^}]*)\}/g, '$2').split('\n\n')) {
        seq += 1;
        await tx.query(
          `insert into message (id, conversation_id, seq, role, channel, external_id, text,
             question_context, received_at)
           values ($1::uuid, $2, $3, 'user', 'web', $1::text, $4, $5, now())`,
          [randomUUID(), id, seq, text, question.id],
        );
      }
    }
    return id;
  });
}

async function scoringMs(app: Application, id: string): Promise<number> {
  const startedMs = performance.now();
  await commit(app, (tx) => app.get(Jobs).enqueue(tx, { queue: 'score', key: id, dueInMs: 0 }));
  for (;;) {
    // It also renews the lease.
    await app.get(JobWorker).tick();
    const runs = await commit(app, (tx) => app.get(ScoringRepository).runsOf(tx, [id]));
    const [run] = runs;
    if (run?.state === 'done') return performance.now() - startedMs;
    if (run?.state === 'failed') throw new Error('the scoring failed');
    await sleep(20);
  }
}

/** One scoring: of which interview, and with which server. */
interface Measured extends Cost {
  readonly name: string;
  readonly knowsN: boolean;
  readonly seconds: number;
}

async function measure(count: Count): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const file of FILES) {
    const draft = await readVacancyFile(path.join(__dirname, '../examples', file));
    for (const knowsN of [true, false]) {
      const { server, cost, url } = await modelServer(knowsN, count);
      const database = await openBenchDatabase();
      const app = await openApplication(database.url, {
        OPENAI_API_KEY: 'bench',
        OPENAI_BASE_URL: url,
        SCORING: 'true',
      });
      const ms = await scoringMs(app, await finishedInterview(app, draft));
      const name = `${draft.language}, a server that ${knowsN ? 'knows' : 'ignores'} n`;
      measured.push({ name, knowsN, ...cost, seconds: ms / 1000 });
      await app.close();
      await database.close();
      server.close();
    }
  }
  return measured;
}

/** The same of another checkout. */
function measuredBy(base: string): Measured[] {
  const copy = path.join(base, 'bench', 'scoring-cost-of-base.ts');
  const register = path.join(base, 'tools', 'support', 'swc-register.cjs');
  copyFileSync(__filename, copy);
  try {
    const env = { ...process.env, SCORING_COST_TOKENIZERS: TOKENIZERS };
    const given = ['-r', register, copy, '--json'];
    const printed = execFileSync(process.execPath, given, { cwd: base, env, encoding: 'utf8' });
    return JSON.parse(printed.trim().split('\n').at(-1) ?? '') as Measured[];
  } finally {
    rmSync(copy);
  }
}

function figuresOf(own: Measured, unit: string, base: Measured | undefined): Figure[] {
  const { name, knowsN, requests, input, output, seconds } = own;
  const figures: Figure[] = [
    { name: `${name}: requests`, value: requests, unit: '', bound: { atMost: knowsN ? 10 : 30 } },
    { name: `${name}: input`, value: input, unit },
    { name: `${name}: output`, value: output, unit },
    { name: `${name}: time`, value: seconds, unit: 's' },
  ];
  if (base === undefined) return figures;
  const ratio = (what: 'input' | 'seconds', atMost: number): Figure => ({
    name: `${name}: ${what === 'input' ? 'input' : 'time'}, times the base's`,
    value: own[what] / base[what],
    unit: '',
    bound: { atMost },
  });
  return [...figures, ratio('input', knowsN ? 0.35 : 0.9), ratio('seconds', 0.35)];
}

async function main(): Promise<void> {
  const { unit, count } = counter();
  const own = await measure(count);
  if (process.argv.includes('--json')) {
    process.stdout.write(`${JSON.stringify(own)}\n`);
    return;
  }
  const at = process.argv.indexOf('--base');
  const base = at < 0 ? undefined : measuredBy(path.resolve(process.argv[at + 1] ?? ''));
  const figures = own.flatMap((one) =>
    figuresOf(
      one,
      unit,
      base?.find(({ name }) => name === one.name),
    ),
  );
  report('scoring-cost', figures, [
    `the server takes ${String(REQUEST_MS)} ms for each request`,
    'an English interview with 10 criteria and knock-outs, a Russian one with 9',
  ]);
}

void main();
