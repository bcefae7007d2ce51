import { Completions, LlmLedgerRepository, LlmMetrics, type SettledAttempt } from '../../src/llm';
import { RecordedRequests } from '../../src/llm/recorded-requests';
import { type ModelReply, ModelServer, replyWith } from '../../tools/fake-model/model-server';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { REQUEST, clientOf } from '../support/model-calls';
import { settingsForTests } from '../support/settings';

const PRICED = settingsForTests({ OPENAI_INPUT_PRICE: '0.4', OPENAI_OUTPUT_PRICE: '1.6' });
const ATTEMPT = { subject: 'flush:1', purpose: 'interview', n: 1, epoch: 1, model: 'm' } as const;

interface AttemptRow {
  readonly outcome: string;
  readonly request_id: string;
  readonly epoch: number;
  readonly cost_usd: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly error: string | null;
  readonly latency_ms: number | null;
  readonly sent_at: Date;
  readonly ended_at: Date | null;
}

let database: TestDatabase;
let ledger: LlmLedgerRepository;

beforeEach(async () => {
  database = await openTestDatabase();
  ledger = new LlmLedgerRepository(PRICED, database.clock);
});

afterEach(async () => {
  await database.close();
});

function open(attempt: Parameters<LlmLedgerRepository['open']>[1] = ATTEMPT): Promise<string> {
  return database.units.run('test', (uow) =>
    uow.commit('test.open', async (tx) => (await ledger.open(tx, attempt)).attemptId),
  );
}

function settle(attemptId: string, settled: SettledAttempt): Promise<void> {
  return database.units.run('test', (uow) =>
    uow.commit('test.settle', (tx) => ledger.settle(tx, attemptId, settled)),
  );
}

function attempts(): Promise<AttemptRow[]> {
  return database.units.run('test', (uow) =>
    uow.commit('test.read', (tx) => tx.query('select * from llm_attempt order by id')),
  );
}

test('stores an attempt as sent before its outcome is known', async () => {
  await open();
  expect(await attempts()).toMatchObject([
    { outcome: 'sent', sent_at: database.clock.now(), ended_at: null, latency_ms: null },
  ]);
});

test('stores outcome, time and cost of a settled attempt', async () => {
  const attemptId = await open();
  database.clock.advance(1500);
  await settle(attemptId, {
    outcome: 'ok',
    inputTokens: 1000,
    outputTokens: 250,
    latencyMs: 1499.6,
  });
  expect(await attempts()).toMatchObject([
    { outcome: 'ok', latency_ms: 1500, cost_usd: '0.000800', ended_at: database.clock.now() },
  ]);
});

test('stores one request for all attempts and claims of an answer (I2)', async () => {
  await open();
  await open({ ...ATTEMPT, epoch: 2 });
  const [first, second] = await attempts();
  expect(second?.request_id).toBe(first?.request_id);
  expect(second?.epoch).toBe(2);
});

test('refuses a second interview request for an answer (I2)', async () => {
  await open();
  await expect(open({ ...ATTEMPT, n: 2 })).rejects.toThrow('llm_request_one_interview');
});

test('numbers the requests of each purpose separately', async () => {
  await open();
  await open({ ...ATTEMPT, purpose: 'rerank' });
  await open({ ...ATTEMPT, purpose: 'rerank', n: 2 });
  expect(new Set((await attempts()).map(({ request_id }) => request_id)).size).toBe(3);
});

test('keeps the first outcome when an attempt is settled twice', async () => {
  const attemptId = await open();
  await settle(attemptId, { outcome: 'stalled', latencyMs: 5 });
  await settle(attemptId, { outcome: 'ok', latencyMs: 9 });
  expect(await attempts()).toMatchObject([{ outcome: 'stalled', latency_ms: 5 }]);
});

test('stores no cost when tokens or prices are unknown', async () => {
  await settle(await open(), { outcome: 'cut', latencyMs: 5 });
  ledger = new LlmLedgerRepository(settingsForTests(), database.clock);
  await settle(await open({ ...ATTEMPT, epoch: 2 }), {
    outcome: 'ok',
    inputTokens: 10,
    outputTokens: 10,
    latencyMs: 5,
  });
  expect((await attempts()).map(({ cost_usd }) => cost_usd)).toEqual([null, null]);
});

describe('a request outside the interview', () => {
  let server: ModelServer;

  beforeEach(async () => {
    server = await ModelServer.start();
  });

  afterEach(async () => {
    await server.close();
  });

  function complete(...replies: readonly ModelReply[]) {
    server.next(...replies);
    const metrics = new LlmMetrics(database.registry);
    const requests = new RecordedRequests(database.units, ledger, metrics, database.clock);
    const completions = new Completions(clientOf(server, database.clock), requests);
    return completions.complete({ subject: 'score:1', ...REQUEST }, new AbortController().signal);
  }

  const status = (message: string): ModelReply => ({
    kind: 'status',
    status: 400,
    error: { message },
  });

  test.each<[string, object, object]>([
    ['length', { content: 'Half' }, { finish_reason: 'length' }],
    ['content_filter', { content: 'Half' }, { finish_reason: 'content_filter' }],
    ['refused', { refusal: 'I cannot do that.' }, { finish_reason: 'stop' }],
    ['empty', {}, { finish_reason: 'stop' }],
  ])('that ends with "%s" is stored with its tokens and its cost', async (outcome, delta, end) => {
    const usage = { prompt_tokens: 1000, completion_tokens: 250 };
    const result = await complete({
      kind: 'lines',
      lines: [
        `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}`,
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, ...end }] })}`,
        `data: ${JSON.stringify({ choices: [], usage })}`,
        'data: [DONE]',
      ],
    });

    expect(result).toMatchObject({ ok: false, reason: outcome });
    expect(await attempts()).toMatchObject([
      { outcome, input_tokens: 1000, output_tokens: 250, cost_usd: '0.000800' },
    ]);
  });

  test('is counted once and as "ok" when its end cannot be stored', async () => {
    const settling = jest.spyOn(ledger, 'settle').mockRejectedValue(new Error('the test broke it'));

    await expect(complete(replyWith('answered', 'Hi'))).rejects.toThrow('the test broke it');
    settling.mockRestore();

    const { body: counted } = await database.registry.exposition();
    expect(counted).toMatch(/llm_attempts_total\{[^}]*outcome="ok"[^}]*\} 1\n/);
    expect(counted).not.toMatch(/llm_attempts_total\{[^}]*outcome="error"/);
  });

  test('is sent again without what the server refused, each time in a row of its own', async () => {
    const result = await complete(
      status("Unsupported parameter: 'max_tokens'"),
      status('stream_options: extra field'),
      status("'response_format' is not supported"),
      replyWith('answered', 'Hi'),
    );

    expect(result).toMatchObject({ ok: true });
    const { body } = await server.request(4);
    expect(body).toMatchObject({ max_completion_tokens: 400 });
    expect([body.max_tokens, body.stream_options, body.response_format]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const rows = await attempts();
    expect(rows.map(({ outcome, error }) => [outcome, error])).toEqual([
      ['bad_request', 'adjusted'],
      ['bad_request', 'adjusted'],
      ['bad_request', 'adjusted'],
      ['ok', null],
    ]);
    expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(4);
  });

  test('gets more room after reasoning used up its tokens, and the row names the setting', async () => {
    const thought = 'data: {"choices":[{"delta":{"reasoning_content":"Weak."}}]}';
    const over = 'data: {"choices":[{"delta":{},"finish_reason":"length"}]}';
    const result = await complete(
      { kind: 'lines', lines: [thought, over, 'data: [DONE]'] },
      replyWith('answered', 'Hi'),
    );

    expect(result).toMatchObject({ ok: true });
    expect((await server.request(2)).body.max_tokens).toBe(8400);
    expect((await attempts()).map(({ outcome, error }) => [outcome, error])).toEqual([
      ['length', 'adjusted OPENAI_MAX_OUTPUT_TOKENS'],
      ['ok', null],
    ]);
  });

  test('that the server always refuses ends as a bad request', async () => {
    const refused = Array.from({ length: 9 }, () => status(''));

    expect(await complete(...refused)).toMatchObject({ ok: false, reason: 'bad_request' });
    expect(server.requests).toHaveLength(4);
  });
});
