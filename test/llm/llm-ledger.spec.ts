import { LlmLedgerRepository, type SettledAttempt } from '../../src/llm';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { settingsForTests } from '../support/settings';

const PRICED = settingsForTests({ OPENAI_INPUT_PRICE: '0.4', OPENAI_OUTPUT_PRICE: '1.6' });
const ATTEMPT = { flushId: 'flush:1', purpose: 'interview', n: 1, epoch: 1, model: 'm' } as const;

interface AttemptRow {
  readonly outcome: string;
  readonly request_id: string;
  readonly epoch: number;
  readonly cost_usd: string | null;
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
