import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { ModelServer, replyWith } from '../../tools/fake-model/model-server';
import { TelegramServer } from '../../tools/fake-telegram';

/** What an operator can see, in the order of the design: a name, and the labels it comes with. */
const PROMISED = {
  'units of work': [
    'counter uow_commits_total{label,outcome}',
    'histogram uow_commit_seconds{label}',
    'histogram uow_pool_wait_seconds',
    'histogram uow_commits_per_unit{unit}',
    'gauge uow_open_units',
    'counter uow_foreign_key_violations_total',
    'counter uow_lock_timeouts_total',
  ],
  jobs: [
    'counter job_claims_total{queue,kind}',
    'histogram job_claim_lateness_seconds{queue}',
    'counter job_completions_total{queue}',
    'counter job_failures_total',
    'counter job_given_back_total',
    'counter job_deaths_total',
    'counter job_leases_lost_total',
    'gauge jobs_held{queue}',
    'gauge job_breaker{queue}',
    'gauge job_last_tick_age_seconds',
  ],
  buffers: [
    'gauge buffers_open',
    'gauge buffer_mean_messages',
    'counter buffer_flushes_total{cause}',
    'counter buffer_flush_outcomes_total{outcome}',
    'histogram buffer_wait_seconds',
    'histogram buffer_flush_messages',
    'counter buffer_activity_total{kind}',
    'counter buffer_errors_total',
    'counter buffer_expired_total',
  ],
  'turns, models and voices': [
    'counter turns_total{outcome}',
    'counter llm_attempts_total{purpose,outcome}',
    'histogram llm_request_seconds{purpose}',
    'counter llm_tokens_total{purpose,direction}',
    'counter knowledge_searches_total',
    'counter voices_total',
    'gauge voices_waiting',
    'counter transcriptions_total',
    'histogram transcription_seconds',
  ],
  'web, streams and attention': [
    'histogram http_request_seconds{route,method,status}',
    'gauge sse_open_streams',
    'counter stream_segments_total',
    'counter stream_notices_total',
    'counter stream_mirror_reads_total',
    'counter stream_mirror_gaps_total',
    'counter attention_items_total',
  ],
  'deliveries and Telegram': [
    'counter delivery_attempts_total',
    'histogram delivery_attempt_seconds',
    'counter delivery_unknown_total',
    'counter delivery_parts_total',
    'counter delivery_paused_seconds_total',
    'counter telegram_updates_total{outcome}',
    'counter telegram_bot_replies_total{outcome}',
    'gauge telegram_polling',
  ],
} as const;

let app: TestApp;
let model: ModelServer;
let telegram: TelegramServer;
let exposition: string;

/** After one answer on the web, and one person's first word on Telegram. */
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
