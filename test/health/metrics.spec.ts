import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { ModelServer, replyWith } from '../../tools/fake-model/model-server';
import { TelegramServer } from '../../tools/fake-telegram';

/** The metrics that an operator sees, in the order of the design: names and labels. */
const PROMISED = {
  'the release and the interviews': [
    'gauge colloquy_build_info{version,node}',
    'gauge colloquy_interview_funnel{stage}',
  ],
  'units of work': [
    'counter colloquy_uow_commits_total{label,outcome}',
    'histogram colloquy_uow_commit_seconds{label}',
    'histogram colloquy_uow_pool_wait_seconds',
    'histogram colloquy_uow_commits_per_unit{unit}',
    'gauge colloquy_uow_open_units',
    'counter colloquy_uow_foreign_key_violations_total',
    'counter colloquy_uow_lock_timeouts_total',
  ],
  'the database': [
    'gauge colloquy_pool_connections{state}',
    'gauge colloquy_pool_waiting',
    'gauge colloquy_postgres_connections',
    'gauge colloquy_postgres_max_connections',
    'gauge colloquy_postgres_oldest_transaction_seconds',
    'gauge colloquy_postgres_lock_waits',
    'gauge colloquy_postgres_deadlocks',
    'gauge colloquy_postgres_dead_rows',
    'gauge colloquy_postgres_size_bytes',
  ],
  jobs: [
    'counter colloquy_job_claims_total{queue,kind}',
    'histogram colloquy_job_claim_lateness_seconds{queue}',
    'histogram colloquy_job_run_seconds{queue}',
    'gauge colloquy_jobs_due{queue}',
    'gauge colloquy_jobs_dead{queue}',
    'gauge colloquy_job_oldest_due_seconds{queue}',
    'counter colloquy_job_completions_total{queue}',
    'counter colloquy_job_failures_total',
    'counter colloquy_job_given_back_total',
    'counter colloquy_job_deaths_total',
    'counter colloquy_job_leases_lost_total',
    'gauge colloquy_jobs_held{queue}',
    'gauge colloquy_job_breaker{queue}',
    'gauge colloquy_job_last_tick_age_seconds',
  ],
  buffers: [
    'gauge colloquy_answers_waiting',
    'histogram colloquy_reply_wait_seconds{channel}',
    'gauge colloquy_buffers_open',
    'gauge colloquy_buffer_mean_messages',
    'counter colloquy_buffer_flushes_total{cause}',
    'counter colloquy_buffer_flush_outcomes_total{channel,outcome}',
    'histogram colloquy_buffer_wait_seconds',
    'histogram colloquy_buffer_flush_messages',
    'counter colloquy_buffer_activity_total{kind}',
    'counter colloquy_buffer_errors_total',
    'counter colloquy_buffer_expired_total',
  ],
  'turns, models and voices': [
    'counter colloquy_turns_total{outcome}',
    'counter colloquy_llm_attempts_total{purpose,outcome}',
    'histogram colloquy_llm_request_seconds{purpose}',
    'counter colloquy_llm_tokens_total{purpose,direction}',
    'gauge colloquy_voices_waiting',
  ],
  'web, streams and attention': [
    'histogram colloquy_http_request_seconds{route,method,status}',
    'gauge colloquy_sse_open_streams',
    'counter colloquy_attention_items_total',
  ],
  'deliveries and Telegram': [
    'counter colloquy_delivery_attempts_total',
    'histogram colloquy_delivery_attempt_seconds',
    'counter colloquy_delivery_unknown_total',
    'counter colloquy_delivery_parts_total',
    'counter colloquy_delivery_paused_seconds_total',
    'counter colloquy_telegram_updates_total{outcome}',
  ],
} as const;

let app: TestApp;
let model: ModelServer;
let telegram: TelegramServer;
let exposition: string;

/** After one answer on the web, and one person's first message on Telegram. */
beforeAll(async () => {
  [model, telegram] = await Promise.all([
    ModelServer.start(replyWith('answered', 'Thanks.')),
    TelegramServer.start(),
  ]);
  app = await startTestApp({
    env: {
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_TRANSCRIPTION_MODEL: 'ears',
      TELEGRAM_BOT_TOKEN: telegram.token,
      TELEGRAM_API_ROOT: telegram.apiRoot,
    },
  });
  const person = telegram.user();
  person.starts();
  const candidate = await TestCandidate.begin(app);
  await candidate.post('activity', { type: 'typing' });
  await candidate.answer('a', 'I bake.');
  await telegram
    .chat(person.user.id)
    .until('the bot has answered', ({ botTexts }) => botTexts.length > 0);
  exposition = await (await fetch(`${app.url}/metrics`)).text();
});

afterAll(async () => {
  await app.close();
  await telegram.close();
  await model.close();
});

describe.each(Object.entries(PROMISED))('/metrics, %s:', (_of, promised) => {
  test.each([...promised])('%s', (line) => {
    const [kind, name, labels = ''] = line.split(/[ {}]/);

    expect(exposition).toContain(`# TYPE ${name ?? ''} ${kind ?? ''}\n`);
    const samples = exposition
      .split('\n')
      .filter(
        (sample) => sample.startsWith(`${name ?? ''}{`) || sample.startsWith(`${name ?? ''}_`),
      );
    for (const label of labels.split(',').filter((word) => word !== '')) {
      expect(samples.filter((sample) => sample.includes(`${label}="`))).not.toEqual([]);
    }
  });
});

test('interviews are counted by how far they came', () => {
  const counted = [
    ...exposition.matchAll(/^colloquy_interview_funnel\{stage="(\w+)"\} (\d+)$/gm),
  ].map(([, stage, count]) => [stage, Number(count)]);

  expect(Object.fromEntries(counted)).toEqual({
    invited: 0,
    opened: 1,
    consented: 1,
    first_answer: 1,
    finished: 0,
    handed_over: 0,
    withdrawn: 0,
    expired: 0,
  });
});

test('every metric of the application begins with colloquy_', () => {
  const names = [...exposition.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);

  expect(names.filter((name) => !name.startsWith('colloquy_'))).toEqual([]);
});

test('docs/metrics.md lists the labels that are promised', () => {
  const rows = readFileSync(path.join(__dirname, '../../docs/metrics.md'), 'utf8').split('\n');

  for (const line of Object.values(PROMISED).flat()) {
    const [, name = '', labels = ''] = line.split(/[ {}]/);
    const row = rows.find((one) => one.startsWith(`| \`${name}\` |`));
    for (const label of labels.split(',').filter((word) => word !== '')) {
      expect(row).toContain(`\`${label}\``);
    }
  }
});

test('docs/metrics.md lists every metric of the application with its kind', () => {
  const documented = readFileSync(path.join(__dirname, '../../docs/metrics.md'), 'utf8');
  const own = [...exposition.matchAll(/^# TYPE (colloquy_\w+) (\w+)$/gm)];

  expect(own.length).toBeGreaterThan(50);
  for (const [, name = '', kind = ''] of own) {
    expect(documented).toContain(`| \`${name}\` | ${kind} |`);
  }
});
