import { CandidateMessages } from '../../../src/channels/telegram/messages/candidate-messages';
import { CuttingProxy } from '../../support/cutting-proxy';
import { EN, IntakeStage, MODES, textUpdate } from './intake-stage';

let stage: IntakeStage;

afterEach(async () => {
  jest.restoreAllMocks();
  await stage.close();
});

/** From now on no update can be stored, until the returned function is called. */
async function refusingUpdates(): Promise<() => Promise<void>> {
  await stage.rows(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no'; end $$`);
  await stage.rows(
    `create trigger refuse before insert on telegram_update for each row execute function refuse()`,
  );
  return async () => {
    await stage.rows(`drop trigger refuse on telegram_update`);
  };
}

describe.each(MODES)('an update, %s', (mode) => {
  beforeEach(async () => {
    stage = await IntakeStage.open({ mode });
  });

  test('that cannot be stored stays with Telegram and is handled once it can be stored', async () => {
    const accept = await refusingUpdates();
    const ada = stage.telegram.user();
    ada.writes('/help');
    const isTried = (): boolean =>
      mode === 'webhook'
        ? stage.telegram.webhookAttempts.some(({ status }) => status === 503)
        : stage.app.log.linesOf('Telegram').some((line) => line.includes('could not be stored'));
    await stage.until('a try has failed', isTried);

    expect(stage.telegram.pendingUpdates).toHaveLength(1);
    expect(stage.telegram.webhookAttempts.map(({ status }) => status)).not.toContain(200);
    await accept();
    await stage.untilTold(ada, EN.help({ voices: false }));
    await stage.until(
      'Telegram has no pending update',
      () => stage.telegram.pendingUpdates.length === 0,
    );
    expect(await stage.inbox(ada)).toEqual([{ state: 'handled', text: null }]);
    expect(stage.telegram.journal.violations).toEqual([]);
  });

  test('that arrives again changes nothing and gets one reply', async () => {
    const ada = stage.telegram.user();
    ada.writes('/help');
    const [update] = stage.telegram.pendingUpdates;
    if (update === undefined) throw new Error('Telegram has no pending update');
    stage.telegram.repeat(update);
    stage.telegram.repeat(update);
    ada.writes('/language');
    await stage.untilTold(ada, EN.chooseLanguage);

    expect(stage.told(ada, EN.help({ voices: false }))).toBe(1);
    expect(await stage.metric('colloquy_telegram_updates_total{outcome="handled"}')).toBe(2);
    expect(await stage.inbox(ada)).toHaveLength(2);
  });

  test('whose handler fails is stored unchanged and handled by the queue, before later updates', async () => {
    const ada = await stage.candidate();
    const messages = stage.app.nest.get(CandidateMessages, { strict: false });
    jest.spyOn(messages, 'take').mockRejectedValueOnce(new Error('a bug with «zebra» in it'));
    ada.writes('zebra');
    ada.writes('two');
    await stage.until('both messages are stored', async () => (await stage.said(ada)).length === 2);

    expect(await stage.said(ada)).toEqual(['zebra', 'two']);
    expect((await stage.inbox(ada)).map(({ state }) => state)).not.toContain('waiting');
    expect(stage.app.log.linesOf('Telegram').join('\n')).toContain('could not be handled at once');
    expect(stage.app.log.lines.join('\n')).not.toContain('zebra');
  });
});

describe('an update, pushed to several replicas', () => {
  beforeEach(async () => {
    stage = await IntakeStage.open({ mode: 'webhook', isWorking: false });
  });

  test('at once is handled by one of them', async () => {
    const second = await stage.another();
    const update = textUpdate('/help');

    const answers = await Promise.all(
      [stage.app, second, stage.app, second].map((app) => stage.push(update, { app })),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await stage.rows('select 1 from telegram_update')).toHaveLength(1);
    expect(await stage.rows('select 1 from telegram_bot_reply')).toHaveLength(1);
  });

  test.each([
    // The commit failed, so the update is stored for the queue and acknowledged.
    ['before' as const, 'waiting', 0],
    ['after' as const, 'handled', 1],
  ])('is stored once when the connection breaks %s its commit', async (moment, state, answers) => {
    const proxy = await CuttingProxy.start(stage.app.databaseUrl);
    const update = textUpdate('/help');
    const replica = await stage.another(proxy.url);
    proxy.cutNextCommit(moment);

    let answer = await stage.push(update, { app: replica });
    while (answer.status !== 200) answer = await stage.push(update, { app: replica });

    expect(proxy.cuts).toBe(1);
    expect(await stage.rows('select state from telegram_update')).toEqual([{ state }]);
    expect(await stage.rows('select 1 from telegram_bot_reply')).toHaveLength(answers);
    await replica.close();
    await proxy.close();
  });
});
