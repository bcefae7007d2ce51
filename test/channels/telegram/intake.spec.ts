import { CandidateMessages } from '../../../src/channels/telegram/messages/candidate-messages';
import { CuttingProxy } from '../../../tools/fake-network/cutting-proxy';
import { EN, BotIntake, MODES, textUpdate } from './bot-intake';
import { until } from '../../support/until';

let setup: BotIntake;

afterEach(async () => {
  jest.restoreAllMocks();
  await setup.close();
});

/** From now on no update can be stored, until the returned function is called. */
async function refusingUpdates(): Promise<() => Promise<void>> {
  await setup.app.sql(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no'; end $$`);
  await setup.app.sql(
    `create trigger refuse before insert on telegram_update for each row execute function refuse()`,
  );
  return async () => {
    await setup.app.sql(`drop trigger refuse on telegram_update`);
  };
}

describe.each(MODES)('an update, %s', (mode) => {
  beforeEach(async () => {
    setup = await BotIntake.start({ mode });
  });

  test('that cannot be stored stays with Telegram and is handled once it can be stored', async () => {
    const accept = await refusingUpdates();
    const ada = setup.telegram.user();
    ada.writes('/help');
    const isTried = (): boolean =>
      mode === 'webhook'
        ? setup.telegram.webhookAttempts.some(({ status }) => status === 503)
        : setup.app.log
            .linesOf('Telegram')
            .some((line) => line.includes('storing an update failed'));
    await setup.app.until('a try has failed', isTried);

    expect(setup.telegram.pendingUpdates).toHaveLength(1);
    expect(setup.telegram.webhookAttempts.map(({ status }) => status)).not.toContain(200);
    await accept();
    await setup.untilTold(ada, EN.help({ voices: false, interviewer: 'script' }));
    await setup.app.until(
      'Telegram has no pending update',
      () => setup.telegram.pendingUpdates.length === 0,
    );
    expect(await setup.inbox(ada)).toEqual([{ state: 'handled', text: null }]);
    expect(setup.telegram.journal.violations).toEqual([]);
  });

  test('that arrives again changes nothing and gets one reply', async () => {
    const ada = setup.telegram.user();
    ada.writes('/help');
    const [update] = setup.telegram.pendingUpdates;
    if (update === undefined) throw new Error('Telegram has no pending update');
    setup.telegram.repeat(update);
    setup.telegram.repeat(update);
    ada.writes('/language');
    await setup.untilTold(ada, EN.chooseLanguage);

    expect(setup.told(ada, EN.help({ voices: false, interviewer: 'script' }))).toBe(1);
    expect(await setup.app.metrics('telegram_updates_total', { outcome: 'handled' })).toBe(2);
    expect(await setup.inbox(ada)).toHaveLength(2);
  });

  test('whose handler fails is stored unchanged and handled by the queue, before later updates', async () => {
    const ada = await setup.candidate();
    const messages = setup.app.get(CandidateMessages);
    jest.spyOn(messages, 'take').mockRejectedValueOnce(new Error('a bug with «zebra» in it'));
    ada.writes('zebra');
    ada.writes('two');
    await setup.app.until(
      'both messages are stored',
      async () => (await setup.said(ada)).length === 2,
    );

    expect(await setup.said(ada)).toEqual(['zebra', 'two']);
    expect((await setup.inbox(ada)).map(({ state }) => state)).not.toContain('waiting');
    expect(setup.app.log.linesOf('Telegram').join('\n')).toContain('the queue intake handles it');
    expect(setup.app.log.lines.join('\n')).not.toContain('zebra');
  });
});

describe('an update, pushed to several replicas', () => {
  beforeEach(async () => {
    setup = await BotIntake.start({ mode: 'webhook', isWorking: false });
  });

  test('at once is handled by one of them', async () => {
    const second = await setup.another();
    const update = textUpdate('/help');

    const responses = await Promise.all(
      [setup.app, second, setup.app, second].map((app) => setup.push(update, { app })),
    );

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await setup.app.sql('select 1 from telegram_update')).toHaveLength(1);
    expect(await setup.app.sql('select 1 from telegram_bot_reply')).toHaveLength(1);
  });

  test.each([
    // The commit failed, so the update is stored for the queue and acknowledged.
    ['before' as const, 'waiting', 0],
    ['after' as const, 'handled', 1],
  ])('is stored once when the connection breaks %s its commit', async (moment, state, replies) => {
    const proxy = await CuttingProxy.start(setup.app.databaseUrl);
    const update = textUpdate('/help');
    const replica = await setup.another(proxy.url);
    proxy.cutNextCommit(moment);

    const push = (): Promise<{ status: number }> => setup.push(update, { app: replica });
    await until('the update is accepted', async () => (await push()).status === 200);

    expect(proxy.cuts).toBe(1);
    expect(await setup.app.sql('select state from telegram_update')).toEqual([{ state }]);
    expect(await setup.app.sql('select 1 from telegram_bot_reply')).toHaveLength(replies);
    await replica.close();
    await proxy.close();
  });
});
