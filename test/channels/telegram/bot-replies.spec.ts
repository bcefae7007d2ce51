import { AttentionService } from '../../../src/attention';
import { BotReplyRepository } from '../../../src/channels/telegram/intake/bot-reply.repository';
import { Drain } from '../../../src/common/lifecycle';
import { FakeClock } from '../../../tools/support/fake-clock';
import type { TelegramUser } from '../../../tools/fake-telegram';
import { EN, BotIntake } from './bot-intake';

let setup: BotIntake;

/** The response of a proxy in front of the Bot API; the message does not arrive. */
const BAD_GATEWAY = { kind: 'body', status: 502, body: '<html>Bad Gateway</html>' } as const;
const HELP = EN.help({ voices: false, interviewer: 'script' });

function botTextsOf(person: TelegramUser): readonly string[] {
  return setup.telegram.chat(person.user.id).botTexts;
}

afterEach(() => setup.close());

function telegramCalls(method = 'sendMessage'): number {
  return setup.telegram.journal.calls(method).length;
}

/** Time may pass in long steps only after the first try, because handlers have a time limit. */
function untilTried(times = 1): Promise<void> {
  return setup.app.until('the reply was tried', () => telegramCalls() >= times);
}

/** Resolves when the bot has no reply left to send. */
function untilAllIsSaid(): Promise<void> {
  return setup.app.until('all replies are sent', async () => {
    const left = await setup.app.sql('select 1 from telegram_bot_reply where given_up_at is null');
    return left.length === 0 && setup.telegram.pendingUpdates.length === 0;
  });
}

function refusedLines(): string[] {
  return setup.app.log.linesOf('Telegram').filter((line) => line.includes('refused a reply'));
}

describe('replies to commands', () => {
  beforeEach(async () => {
    setup = await BotIntake.start({ clock: new FakeClock() });
  });

  test('are sent once each, in the order of the commands', async () => {
    const ada = setup.telegram.user();
    for (const command of ['/help', '/language', '/start', '/help']) ada.writes(command);
    await setup.untilTold(ada, EN.help({ voices: false, interviewer: 'script' }), 2);
    await untilAllIsSaid();

    const { botTexts } = setup.telegram.chat(ada.user.id);
    expect(botTexts).toEqual([
      EN.help({ voices: false, interviewer: 'script' }),
      EN.chooseLanguage,
      EN.waysIn.script,
      EN.help({ voices: false, interviewer: 'script' }),
    ]);
    expect(
      await setup.app.metrics('telegram_api_calls_total', { method: 'sendMessage', outcome: 'ok' }),
    ).toBe(4);
  });

  test('with an unknown outcome are sent again at most once', async () => {
    const lost = { kind: 'drop', when: 'after' } as const;
    const isHelp = {
      matching: ({ text }: { text?: unknown }) =>
        text === EN.help({ voices: false, interviewer: 'script' }),
    };
    setup.telegram.faults.on('sendMessage', lost, { times: 9, ...isHelp });
    const ada = setup.telegram.user();
    ada.writes('/help');
    ada.writes('/language');
    await setup.untilTold(ada, EN.chooseLanguage);
    await untilAllIsSaid();

    expect(setup.told(ada, EN.help({ voices: false, interviewer: 'script' }))).toBe(2);
    expect(setup.told(ada, EN.chooseLanguage)).toBe(1);
    expect(setup.app.log.count('a reply of the bot may not have arrived')).toBe(1);
  });

  test('all wait during a pause of the bot, and none is lost', async () => {
    const [ada, bob] = [setup.telegram.user(), setup.telegram.user()];
    setup.telegram.flood.start(20);
    ada.writes('/help');
    await setup.app.until('a 429 response', () =>
      setup.telegram.journal.refused(429).some(({ method }) => method === 'sendMessage'),
    );
    bob.writes('/help');
    await setup.untilTold(ada, EN.help({ voices: false, interviewer: 'script' }));
    await setup.untilTold(bob, EN.help({ voices: false, interviewer: 'script' }));

    // Bob's reply may have been tried before the pause was stored.
    const refused = setup.telegram.journal.refused(429);
    const sends = refused.filter(({ method }) => method === 'sendMessage');
    expect(sends.length).toBeLessThanOrEqual(2);
    expect([
      setup.told(ada, EN.help({ voices: false, interviewer: 'script' })),
      setup.told(bob, EN.help({ voices: false, interviewer: 'script' })),
    ]).toEqual([1, 1]);
  });

  test('to a person who has blocked the bot are dropped, and the block is stored', async () => {
    const ada = await setup.candidate();
    // Telegram does not tell the bot of this block, so the next send fails.
    ada.leavesTelegram();
    const update = { chat_id: ada.user.id };
    await setup.app.commit(async (tx) => {
      const botReplies = setup.app.get(BotReplyRepository);
      for (const text of ['one', 'two']) {
        await botReplies.add(tx, ada.user.id, {
          method: 'sendMessage',
          params: { ...update, text },
        });
      }
      await tx.query(
        `insert into job (queue, key, due_at, first_at) values ('intake', $1, $2, $2)
         on conflict (queue, key) where state = 'open' do update set due_at = excluded.due_at`,
        [String(ada.user.id), new Date('2026-01-01')],
      );
    });
    await untilAllIsSaid();

    const [account] = await setup.app.sql<{ blocked: boolean }>(
      `select blocked_at is not null as blocked from telegram_account`,
    );
    expect(account).toEqual({ blocked: true });
    expect(setup.telegram.journal.refused(403)).toHaveLength(1);
    expect(await setup.app.sql(`select kind from attention`)).toEqual([{ kind: 'blocked' }]);
  });

  test('are sent again up to four times after a 5xx response, and so is the disclosure', async () => {
    setup.telegram.faults.on('sendMessage', BAD_GATEWAY, { times: 4 });
    const ada = setup.telegram.user();
    ada.starts(setup.app.vacancy.openToken);
    await untilTried();
    await setup.untilLater('the disclosure', () => botTextsOf(ada).length > 0);
    await untilAllIsSaid();

    expect(botTextsOf(ada)).toHaveLength(1);
    const times = setup.telegram.journal.calls('sendMessage').map(({ at }) => at.getTime());
    const gaps = times.slice(1).map((at, n) => at - (times[n] ?? 0));
    const leastMs = [1000, 5000, 30_000, 120_000];
    expect(gaps.map((gapMs, n) => gapMs >= (leastMs[n] ?? 0))).toEqual([true, true, true, true]);
    expect(await setup.app.sql('select 1 from attention')).toEqual([]);
  });

  test('with five 5xx responses get an attention item that sends them again; the next reply is sent', async () => {
    const isHelp = { matching: ({ text }: { text?: unknown }) => text === HELP };
    setup.telegram.faults.on('sendMessage', BAD_GATEWAY, { times: 5, ...isHelp });
    const ada = setup.telegram.user();
    ada.writes('/help');
    ada.writes('/language');
    await untilTried();
    await setup.untilLater('the next reply', () => setup.told(ada, EN.chooseLanguage) > 0);

    expect(setup.told(ada, HELP)).toBe(0);
    const items = await setup.app.sql<{ id: string; kind: string }>(
      'select id, kind from attention',
    );
    expect(items).toEqual([{ id: expect.any(String) as string, kind: 'unknown' }]);
    const attention = setup.app.get(AttentionService);
    await setup.app.commit((tx) => attention.replay(tx, items[0]?.id ?? '', 'a recruiter'));
    await setup.untilTold(ada, HELP);
  });

  test('wait in all chats while the Bot API is unavailable', async () => {
    const [ada, bob] = [setup.telegram.user(), setup.telegram.user()];
    setup.telegram.faults.on('sendMessage', BAD_GATEWAY, { times: Infinity });
    setup.telegram.faults.on('getMe', BAD_GATEWAY, { times: Infinity });
    ada.writes('/help');
    await untilTried();
    bob.writes('/help');
    for (let n = 0; n < 20; n += 1) await setup.passes(10_000);
    expect(telegramCalls()).toBeLessThan(3);
    setup.telegram.faults.clear();
    await setup.untilLater(
      'both replies',
      () => setup.told(ada, HELP) + setup.told(bob, HELP) === 2,
    );
  });

  test('are retried by the same rules as the greeting and the first question', async () => {
    const ada = setup.telegram.user();
    ada.starts(setup.app.vacancy.openToken);
    await setup.app.until('the disclosure', () => botTextsOf(ada).length > 0);
    setup.telegram.faults.on('sendMessage', BAD_GATEWAY, { times: 3 });
    const before = telegramCalls();
    ada.presses(EN.agreeButton);
    await untilTried(before + 1);
    const [question] = setup.app.vacancy.plan.questions;
    await setup.untilLater('the first question', () =>
      botTextsOf(ada).some((text) => text.includes(question?.text ?? '')),
    );

    const sent = botTextsOf(ada);
    expect(new Set(sent).size).toBe(sent.length);
  });

  test('that Telegram refuses are dropped with a log line that quotes nothing of them', async () => {
    const description = 'Bad Request: chat not found';
    setup.telegram.faults.on('sendMessage', { kind: 'status', code: 400, description });
    const ada = setup.telegram.user();
    ada.writes('/help');
    ada.writes('/language');
    await setup.untilTold(ada, EN.chooseLanguage);

    expect(setup.told(ada, EN.help({ voices: false, interviewer: 'script' }))).toBe(0);
    expect(refusedLines()).toEqual(['Telegram refused a reply of the bot: status_400 [Telegram]']);
  });

  test('wait while the Bot API rejects the token, and are sent once afterwards', async () => {
    const ada = setup.telegram.user();
    await setup.telegram.until('the bot polls', () => setup.telegram.isPolled);
    setup.telegram.faults.on(
      'sendMessage',
      { kind: 'status', code: 401, description: 'Unauthorized' },
      { times: 4 },
    );
    ada.writes('/help');
    await setup.untilTold(ada, EN.help({ voices: false, interviewer: 'script' }));
    await untilAllIsSaid();

    expect(setup.told(ada, EN.help({ voices: false, interviewer: 'script' }))).toBe(1);
    expect(telegramCalls()).toBe(5);
    expect(
      await setup.app.sql(`select 1 from job where queue = 'intake' and failures > 0`),
    ).toEqual([]);
  });
});

describe('a process that is killed', () => {
  /** Makes the process look killed to the database and to Telegram while it sends a reply. */
  async function killedWhileSending(ada: TelegramUser, when: 'before' | 'after'): Promise<void> {
    setup.telegram.faults.on('sendMessage', { kind: 'hang', when });
    ada.writes('/help');
    await setup.telegram.until('a reply is being sent', () => setup.telegram.faults.waiting > 0);
    await setup.app.sql(`update job set claim_no = claim_no + 1, due_at = '2026-01-01'
      where queue = 'intake' and state = 'running'`);
  }

  beforeEach(async () => {
    setup = await BotIntake.start({ clock: new FakeClock() });
  });

  test.each([
    ['before' as const, 1],
    ['after' as const, 2],
  ])('%s Telegram accepted a reply: another claim sends it', async (when, times) => {
    const ada = setup.telegram.user();
    await killedWhileSending(ada, when);
    await setup.untilTold(ada, EN.help({ voices: false, interviewer: 'script' }), times);
    await untilAllIsSaid();

    expect(setup.told(ada, EN.help({ voices: false, interviewer: 'script' }))).toBe(times);
  });

  test('twice during the same reply: it is not sent a third time, and the next one is sent', async () => {
    const ada = setup.telegram.user();
    setup.telegram.faults.on('sendMessage', { kind: 'hang', when: 'after' });
    await killedWhileSending(ada, 'after');
    await setup.telegram.until(
      'the reply is being sent again',
      () => setup.telegram.faults.waiting === 2,
    );
    await setup.app.sql(`update job set claim_no = claim_no + 1, due_at = '2026-01-01'
      where queue = 'intake' and state = 'running'`);
    ada.writes('/language');
    await setup.untilTold(ada, EN.chooseLanguage);

    expect(setup.told(ada, EN.help({ voices: false, interviewer: 'script' }))).toBe(2);
  });
});

test("a shutdown sends the chat's replies before it ends", async () => {
  setup = await BotIntake.start({ mode: 'webhook' });
  setup.telegram.faults.on('sendMessage', { kind: 'hang' });
  const ada = setup.telegram.user();
  ada.writes('/help');
  ada.writes('/language');
  await setup.app.until(
    'both updates are stored',
    async () => (await setup.inbox(ada)).length === 2,
  );
  await setup.telegram.until('a reply is being sent', () => setup.telegram.faults.waiting === 1);
  const closing = setup.app.nest.close();
  const drain = setup.app.get(Drain);
  await setup.app.until('the shutdown has begun', () => drain.isDraining);
  setup.telegram.faults.release();
  await closing;

  expect(setup.telegram.chat(ada.user.id).botTexts).toEqual([
    EN.help({ voices: false, interviewer: 'script' }),
    EN.chooseLanguage,
  ]);
});
