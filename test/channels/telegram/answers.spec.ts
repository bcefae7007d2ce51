import { AttentionService } from '../../../src/attention';
import { BotReplyRepository } from '../../../src/channels/telegram/intake/bot-reply.repository';
import { FakeClock } from '../../support/clock';
import type { TelegramUser } from '../../../tools/fake-telegram';
import { EN, IntakeStage } from './intake-stage';

let stage: IntakeStage;

/** The response of a proxy in front of the Bot API; the message does not arrive. */
const BAD_GATEWAY = { kind: 'body', status: 502, body: '<html>Bad Gateway</html>' } as const;
const HELP = EN.help({ voices: false });

function botTextsOf(person: TelegramUser): readonly string[] {
  return stage.telegram.chat(person.user.id).botTexts;
}

afterEach(() => stage.close());

function telegramCalls(method = 'sendMessage'): number {
  return stage.telegram.journal.calls(method).length;
}

/** Time may pass in long steps only after the first try, because handlers have a time limit. */
function untilTried(times = 1): Promise<void> {
  return stage.until('the reply was tried', () => telegramCalls() >= times);
}

/** Resolves when the bot has no reply left to send. */
function untilAllIsSaid(): Promise<void> {
  return stage.until('all replies are sent', async () => {
    const left = await stage.rows('select 1 from telegram_bot_reply where given_up_at is null');
    return left.length === 0 && stage.telegram.pendingUpdates.length === 0;
  });
}

function refusedLines(): string[] {
  return stage.app.log.linesOf('Telegram').filter((line) => line.includes('refused a reply'));
}

describe('replies to commands', () => {
  beforeEach(async () => {
    stage = await IntakeStage.open({ clock: new FakeClock() });
  });

  test('are sent once each, in the order of the commands', async () => {
    const ada = stage.telegram.user();
    for (const command of ['/help', '/language', '/start', '/help']) ada.writes(command);
    await stage.untilTold(ada, EN.help({ voices: false }), 2);
    await untilAllIsSaid();

    const { botTexts } = stage.telegram.chat(ada.user.id);
    expect(botTexts).toEqual([
      EN.help({ voices: false }),
      EN.chooseLanguage,
      EN.waysIn,
      EN.help({ voices: false }),
    ]);
    expect(await stage.metric('colloquy_telegram_bot_replies_total{outcome="sent"}')).toBe(4);
    expect(
      await stage.metric('colloquy_telegram_api_calls_total{method="sendMessage",outcome="ok"}'),
    ).toBe(4);
  });

  test('with an unknown outcome are sent again at most once', async () => {
    const lost = { kind: 'drop', when: 'after' } as const;
    const isHelp = {
      matching: ({ text }: { text?: unknown }) => text === EN.help({ voices: false }),
    };
    stage.telegram.faults.on('sendMessage', lost, { times: 9, ...isHelp });
    const ada = stage.telegram.user();
    ada.writes('/help');
    ada.writes('/language');
    await stage.untilTold(ada, EN.chooseLanguage);
    await untilAllIsSaid();

    expect(stage.told(ada, EN.help({ voices: false }))).toBe(2);
    expect(stage.told(ada, EN.chooseLanguage)).toBe(1);
    expect(await stage.metric('colloquy_telegram_bot_replies_total{outcome="given_up"}')).toBe(1);
  });

  test('all wait during a pause of the bot, and none is lost', async () => {
    const [ada, bob] = [stage.telegram.user(), stage.telegram.user()];
    stage.telegram.flood.start(20);
    ada.writes('/help');
    await stage.until('a 429 response', () =>
      stage.telegram.journal.refused(429).some(({ method }) => method === 'sendMessage'),
    );
    bob.writes('/help');
    await stage.untilTold(ada, EN.help({ voices: false }));
    await stage.untilTold(bob, EN.help({ voices: false }));

    // Bob's reply may have been tried before the pause was stored.
    const refused = stage.telegram.journal.refused(429);
    const sends = refused.filter(({ method }) => method === 'sendMessage');
    expect(sends.length).toBeLessThanOrEqual(2);
    expect([
      stage.told(ada, EN.help({ voices: false })),
      stage.told(bob, EN.help({ voices: false })),
    ]).toEqual([1, 1]);
  });

  test('to a person who has blocked the bot are dropped, and the block is stored', async () => {
    const ada = await stage.candidate();
    // Telegram does not tell the bot of this block, so the next send fails.
    ada.leavesTelegram();
    const update = { chat_id: ada.user.id };
    await stage.app.commit(async (tx) => {
      const answers = stage.app.nest.get(BotReplyRepository, { strict: false });
      for (const text of ['one', 'two']) {
        await answers.add(tx, ada.user.id, { method: 'sendMessage', params: { ...update, text } });
      }
      await tx.query(
        `insert into job (queue, key, due_at, first_at) values ('intake', $1, $2, $2)
         on conflict (queue, key) where state = 'open' do update set due_at = excluded.due_at`,
        [String(ada.user.id), new Date('2026-01-01')],
      );
    });
    await untilAllIsSaid();

    const [account] = await stage.rows<{ blocked: boolean }>(
      `select blocked_at is not null as blocked from telegram_account`,
    );
    expect(account).toEqual({ blocked: true });
    expect(stage.telegram.journal.refused(403)).toHaveLength(1);
    expect(await stage.rows(`select kind from attention`)).toEqual([{ kind: 'blocked' }]);
  });

  test('are sent again up to four times after a 5xx response, and so is the disclosure', async () => {
    stage.telegram.faults.on('sendMessage', BAD_GATEWAY, { times: 4 });
    const ada = stage.telegram.user();
    ada.starts(stage.app.vacancy.openToken);
    await untilTried();
    await stage.untilLater('the disclosure', () => botTextsOf(ada).length > 0);
    await untilAllIsSaid();

    expect(botTextsOf(ada)).toHaveLength(1);
    const times = stage.telegram.journal.calls('sendMessage').map(({ at }) => at.getTime());
    const gaps = times.slice(1).map((at, n) => at - (times[n] ?? 0));
    const leastMs = [1000, 5000, 30_000, 120_000];
    expect(gaps.map((gapMs, n) => gapMs >= (leastMs[n] ?? 0))).toEqual([true, true, true, true]);
    expect(await stage.rows('select 1 from attention')).toEqual([]);
  });

  test('with five 5xx responses get an attention item that sends them again; the next reply is sent', async () => {
    const isHelp = { matching: ({ text }: { text?: unknown }) => text === HELP };
    stage.telegram.faults.on('sendMessage', BAD_GATEWAY, { times: 5, ...isHelp });
    const ada = stage.telegram.user();
    ada.writes('/help');
    ada.writes('/language');
    await untilTried();
    await stage.untilLater('the next reply', () => stage.told(ada, EN.chooseLanguage) > 0);

    expect(stage.told(ada, HELP)).toBe(0);
    const items = await stage.rows<{ id: string; kind: string }>('select id, kind from attention');
    expect(items).toEqual([{ id: expect.any(String) as string, kind: 'unknown' }]);
    const attention = stage.app.nest.get(AttentionService, { strict: false });
    await stage.app.commit((tx) => attention.replay(tx, items[0]?.id ?? '', 'a recruiter'));
    await stage.untilTold(ada, HELP);
  });

  test('wait in all chats while the Bot API is unavailable', async () => {
    const [ada, bob] = [stage.telegram.user(), stage.telegram.user()];
    stage.telegram.faults.on('sendMessage', BAD_GATEWAY, { times: Infinity });
    stage.telegram.faults.on('getMe', BAD_GATEWAY, { times: Infinity });
    ada.writes('/help');
    await untilTried();
    bob.writes('/help');
    for (let n = 0; n < 20; n += 1) await stage.passes(10_000);
    expect(telegramCalls()).toBeLessThan(3);
    stage.telegram.faults.clear();
    await stage.untilLater(
      'both replies',
      () => stage.told(ada, HELP) + stage.told(bob, HELP) === 2,
    );
  });

  test('are retried by the same rules as the greeting and the first question', async () => {
    const ada = stage.telegram.user();
    ada.starts(stage.app.vacancy.openToken);
    await stage.until('the disclosure', () => botTextsOf(ada).length > 0);
    stage.telegram.faults.on('sendMessage', BAD_GATEWAY, { times: 3 });
    const before = telegramCalls();
    ada.presses(EN.agreeButton);
    await untilTried(before + 1);
    const [question] = stage.app.vacancy.plan.questions;
    await stage.untilLater('the first question', () =>
      botTextsOf(ada).some((text) => text.includes(question?.text ?? '')),
    );

    const sent = botTextsOf(ada);
    expect(new Set(sent).size).toBe(sent.length);
  });

  test('that Telegram refuses are dropped with a log line that quotes nothing of them', async () => {
    const description = 'Bad Request: chat not found';
    stage.telegram.faults.on('sendMessage', { kind: 'status', code: 400, description });
    const ada = stage.telegram.user();
    ada.writes('/help');
    ada.writes('/language');
    await stage.untilTold(ada, EN.chooseLanguage);

    expect(stage.told(ada, EN.help({ voices: false }))).toBe(0);
    expect(refusedLines()).toEqual(['Telegram refused a reply of the bot: status_400 [Telegram]']);
  });

  test('wait while the Bot API rejects the token, and are sent once afterwards', async () => {
    const ada = stage.telegram.user();
    await stage.telegram.until('the bot polls', () => stage.telegram.isPolled);
    stage.telegram.faults.on(
      'sendMessage',
      { kind: 'status', code: 401, description: 'Unauthorized' },
      { times: 4 },
    );
    ada.writes('/help');
    await stage.untilTold(ada, EN.help({ voices: false }));
    await untilAllIsSaid();

    expect(stage.told(ada, EN.help({ voices: false }))).toBe(1);
    expect(telegramCalls()).toBe(5);
    expect(await stage.rows(`select 1 from job where queue = 'intake' and failures > 0`)).toEqual(
      [],
    );
  });
});

describe('a process that is killed', () => {
  /** Makes the process look killed to the database and to Telegram while it sends a reply. */
  async function killedWhileSending(ada: TelegramUser, when: 'before' | 'after'): Promise<void> {
    stage.telegram.faults.on('sendMessage', { kind: 'hang', when });
    ada.writes('/help');
    await stage.telegram.until('a reply is being sent', () => stage.telegram.faults.waiting > 0);
    await stage.rows(`update job set claim_no = claim_no + 1, due_at = '2026-01-01'
      where queue = 'intake' and state = 'running'`);
  }

  beforeEach(async () => {
    stage = await IntakeStage.open({ clock: new FakeClock() });
  });

  test.each([
    ['before' as const, 1],
    ['after' as const, 2],
  ])('%s Telegram accepted a reply: another claim sends it', async (when, times) => {
    const ada = stage.telegram.user();
    await killedWhileSending(ada, when);
    await stage.untilTold(ada, EN.help({ voices: false }), times);
    await untilAllIsSaid();

    expect(stage.told(ada, EN.help({ voices: false }))).toBe(times);
  });

  test('twice during the same reply: it is not sent a third time, and the next one is sent', async () => {
    const ada = stage.telegram.user();
    stage.telegram.faults.on('sendMessage', { kind: 'hang', when: 'after' });
    await killedWhileSending(ada, 'after');
    await stage.telegram.until(
      'the reply is being sent again',
      () => stage.telegram.faults.waiting === 2,
    );
    await stage.rows(`update job set claim_no = claim_no + 1, due_at = '2026-01-01'
      where queue = 'intake' and state = 'running'`);
    ada.writes('/language');
    await stage.untilTold(ada, EN.chooseLanguage);

    expect(stage.told(ada, EN.help({ voices: false }))).toBe(2);
  });
});

test('a shutdown finishes the reply that is being sent, and leaves the rest for the next process', async () => {
  stage = await IntakeStage.open({ mode: 'webhook' });
  stage.telegram.faults.on('sendMessage', { kind: 'hang' });
  const ada = stage.telegram.user();
  ada.writes('/help');
  ada.writes('/language');
  await stage.until('both updates are stored', async () => (await stage.inbox(ada)).length === 2);
  await stage.telegram.until('a reply is being sent', () => stage.telegram.faults.waiting === 1);
  const closing = stage.app.nest.close();
  await new Promise((resolve) => setTimeout(resolve, 100));
  stage.telegram.faults.release();
  await closing;
  await stage.another();
  await stage.untilTold(ada, EN.chooseLanguage);

  expect(stage.telegram.chat(ada.user.id).botTexts).toEqual([
    EN.help({ voices: false }),
    EN.chooseLanguage,
  ]);
});
