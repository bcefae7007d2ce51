import { FakeClock } from '../../../tools/support/fake-clock';
import { ModelServer, replyWith } from '../../../tools/fake-model/model-server';
import type { TelegramUser } from '../../../tools/fake-telegram';
import type { JournalEntry } from '../../../tools/fake-telegram/journal';
import { BotIntake } from './bot-intake';

const TYPING_MS = 4000;
const HELD = {
  kind: 'hold',
  // A sentence is shown once the next one begins.
  content: '{"verdict":"answered","sources":"","text":"Rye and water. The rye ',
  rest: 'was yours."}',
} as const;
let model: ModelServer;
let setup: BotIntake;
let ada: TelegramUser;
let clock: FakeClock;

beforeEach(async () => {
  clock = new FakeClock();
  model = await ModelServer.start();
  setup = await BotIntake.start({
    mode: 'webhook',
    clock,
    env: {
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: 'k',
      OPENAI_FIRST_BYTE_TIMEOUT: '600',
      OPENAI_IDLE_TIMEOUT: '600',
      INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT: '1',
    },
  });
  ada = await setup.candidate();
});
afterEach(async () => {
  model.release();
  await setup.close();
  await model.close();
});

function calls(method: string): readonly JournalEntry[] {
  return setup.telegram.journal.calls(method);
}

/** Resolves when the model works on Ada's answer. */
async function answering(): Promise<void> {
  ada.writes('Rye bread');
  await model.request(1);
}

/** The fake times at which a sleep of `ms` began; when a call arrives also depends on the machine. */
function sleepsOf(ms: number): readonly number[] {
  const begunMs: number[] = [];
  const sleep = clock.sleep.bind(clock);
  jest.spyOn(clock, 'sleep').mockImplementation((sleepMs, signal) => {
    if (sleepMs === ms) begunMs.push(clock.monotonicMs());
    return sleep(sleepMs, signal);
  });
  return begunMs;
}

async function untilReplied(): Promise<void> {
  const sent = calls('sendMessage').length;
  model.release();
  await setup.app.until('the reply', () => calls('sendMessage').length > sent);
}

/** Resolves when `ms` of fake time have passed. */
async function later(ms: number): Promise<void> {
  const endMs = clock.monotonicMs() + ms;
  await setup.app.until('the time has passed', () => clock.monotonicMs() >= endMs);
}

test('typing is shown every 4 s while the model works, and not afterwards', async () => {
  const roundsMs = sleepsOf(TYPING_MS);
  model.next(HELD);
  await answering();
  await setup.app.until('typing is shown', () => calls('sendChatAction').length >= 4);
  await untilReplied();
  const shown = calls('sendChatAction').length;
  await later(5 * TYPING_MS);

  expect(calls('sendChatAction')).toHaveLength(shown);
  // The reply can end a round before its call.
  expect(roundsMs.length).toBeGreaterThanOrEqual(shown);
  for (const [n, beganMs] of roundsMs.slice(1).entries()) {
    const gapMs = beganMs - (roundsMs[n] ?? 0);
    expect(gapMs).toBeGreaterThanOrEqual(TYPING_MS);
    expect(gapMs).toBeLessThan(TYPING_MS + 900);
  }
  expect(setup.telegram.journal.violations).toEqual([]);
});

test('a typing action that fails or hangs delays nothing, logs nothing, and leaves the bot healthy', async () => {
  const before = setup.app.log.linesOf('Telegram').length;
  setup.telegram.faults.on('sendChatAction', { kind: 'status', code: 500 }, { times: 2 });
  setup.telegram.faults.on('sendChatAction', { kind: 'hang' }, { times: Infinity });
  model.next(HELD);
  await answering();
  await setup.app.until('typing was tried', () => calls('sendChatAction').length >= 4);
  await untilReplied();

  expect(setup.app.log.linesOf('Telegram').slice(before)).toEqual([]);
  expect((await setup.ready()).condition).toBe('ok');
});

test('the growing text is shown in one draft, which the message replaces', async () => {
  model.next(HELD);
  await answering();
  const chat = setup.telegram.chat(ada.user.id);
  await setup.app.until('a draft', () => chat.draft === 'Rye and water.');
  await later(5000);
  expect(calls('sendMessageDraft')).toHaveLength(1);
  await untilReplied();

  expect(chat.botTexts.at(-1)).toContain('Rye and water. The rye was yours.');
  expect(chat.draft).toBeNull();
  expect(setup.telegram.journal.violations).toEqual([]);
});

test('each draft has more text than the one before, under one draft id', async () => {
  const words = 'Rye and water, and a night of patience. '.repeat(4).trim();
  model.next(replyWith('answered', words, { chunkSize: 8, chunkDelayMs: 25 }));
  const sent = calls('sendMessage').length;
  await answering();
  await setup.app.until('the reply', () => calls('sendMessage').length > sent);
  const drafts = calls('sendMessageDraft').map(
    ({ params }) => params as { draft_id: number; text: string },
  );

  expect(drafts.length).toBeGreaterThan(1);
  expect(new Set(drafts.map(({ draft_id: id }) => id)).size).toBe(1);
  for (const [n, { text }] of drafts.entries()) {
    const before = drafts[n - 1]?.text ?? '';
    expect(text.startsWith(before)).toBe(true);
    expect(text).not.toBe(before);
  }
});

test('a server that does not support drafts gets only one draft', async () => {
  const missing = { kind: 'status', code: 404, description: 'Not Found' } as const;
  setup.telegram.faults.on('sendMessageDraft', missing, { times: Infinity });
  for (const n of [1, 2]) {
    model.next(HELD);
    ada.writes(`answer ${String(n)}`);
    await model.request(n);
    await setup.app.until('a draft was tried', () => calls('sendMessageDraft').length > 0);
    await later(3000);
    await untilReplied();
    await later(5000);
  }

  expect(calls('sendMessageDraft')).toHaveLength(1);
  expect((await setup.ready()).condition).toBe('ok');
});

test('nothing is shown during a pause of the bot', async () => {
  model.next(HELD);
  setup.telegram.faults.on('sendChatAction', { kind: 'status', code: 429, retryAfterS: 60 });
  await answering();
  await setup.app.until(
    'the call is refused',
    () => setup.telegram.journal.refused(429).length === 1,
  );
  await later(30_000);

  expect(calls('sendChatAction')).toHaveLength(1);
});

const PAUSED = `insert into channel_limiter (channel, paused_until) values ('telegram', $1)
  on conflict (channel) do update set paused_until = excluded.paused_until returning 1`;

test('a pause that was caused by a delivery stops typing and drafts until it ends', async () => {
  const fromNow = (ms: number): Date => new Date(clock.now().getTime() + ms);
  await setup.app.sql(PAUSED, [fromNow(60_000)]);
  model.next(HELD);
  await answering();
  await later(50_000);
  expect([...calls('sendChatAction'), ...calls('sendMessageDraft')]).toEqual([]);

  await setup.app.until('typing is shown', () => calls('sendChatAction').length > 0);
  await setup.app.until('a draft', () => calls('sendMessageDraft').length > 0);
});

test.each(['sendChatAction', 'sendMessageDraft'])(
  'a 429 of %s pauses the whole bot: replies wait, too',
  async (method) => {
    model.next(HELD);
    setup.telegram.faults.on(method, { kind: 'status', code: 429, retryAfterS: 60 });
    await answering();
    const sent = calls('sendMessage').length;
    await setup.app.until(
      'the call is refused',
      () => setup.telegram.journal.refused(429).length === 1,
    );
    const refusedAt = setup.telegram.journal.refused(429)[0]?.at.getTime() ?? 0;
    await setup.app.until('the pause is stored', async () => {
      const rows = await setup.app.sql('select 1 from channel_limiter where paused_until > $1', [
        new Date(refusedAt + 59_000),
      ]);
      return rows.length === 1;
    });
    model.release();
    await setup.app.until('the reply', () => calls('sendMessage').length > sent);

    const repliedAt = calls('sendMessage').at(-1)?.at.getTime() ?? 0;
    expect(repliedAt - refusedAt).toBeGreaterThanOrEqual(59_000);
    expect(setup.telegram.journal.refused(429)).toHaveLength(1);
  },
);
