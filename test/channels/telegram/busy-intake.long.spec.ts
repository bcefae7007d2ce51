import { UpdateBatcher } from '../../../src/channels/telegram/intake/update-batcher';
import { CuttingProxy } from '../../../tools/fake-network/cutting-proxy';
import { gate } from '../../../tools/http-fake/gate';
import { BusyIntake, places } from './busy-intake';
import { BotIntake, type Mode } from './bot-intake';

let setup: BotIntake;
let busy: BusyIntake;

afterEach(async () => {
  busy.letGo();
  jest.restoreAllMocks();
  await setup.close();
});

async function open(mode: Mode, { isWorking }: { isWorking: boolean }): Promise<void> {
  setup = await BotIntake.start({ mode, isWorking });
  busy = new BusyIntake(setup);
}

const allIn = (state: string, chats: readonly number[]): string[] => chats.map(() => state);

describe('updates that come while others are being stored', () => {
  beforeEach(() => open('webhook', { isWorking: false }));

  test('are stored by one commit, and handled by the queue', async () => {
    const chats = await busy.withWaiting(12);

    expect(await busy.commitsOf('telegram.store_batch')).toBe(1);
    expect(await busy.states(chats)).toEqual(allIn('waiting', chats));
    expect((await busy.said(chats)).flat()).toEqual([]);
    await busy.catchUp();
    expect(await busy.states(chats)).toEqual(allIn('handled', chats));
    expect(await busy.said(chats)).toEqual(chats.map((chatId) => [`from ${String(chatId)}`]));
    expect(
      await setup.app.sql(`select 1 from job where queue = 'intake' and state <> 'done'`),
    ).toEqual([]);
  });

  test('all get 200', async () => {
    const chats = await busy.interviews(6);
    await busy.beBusy();
    const answers = await Promise.all(
      chats.map((chatId) => setup.push(busy.update(chatId, 'a word'))),
    );

    expect(answers.map(({ status }) => status)).toEqual(chats.map(() => 200));
    expect(await busy.states(chats)).toEqual(allIn('waiting', chats));
  });

  test('are stored once, even if they arrive several times', async () => {
    const chats = await busy.interviews(2);
    await busy.beBusy();
    const [first, second] = chats.map((chatId) => busy.update(chatId, 'once'));
    if (first === undefined || second === undefined) throw new Error('expected two updates');

    await busy.takeAll([first, second, first, first]);
    await busy.take(first);

    expect(await busy.states(chats)).toEqual(['waiting', 'waiting']);
    expect(await setup.app.metrics('telegram_updates_total', { outcome: 'known' })).toBe(3);
    await busy.catchUp();
    await busy.take(second);
    await busy.catchUp();
    expect(await busy.said(chats)).toEqual([['once'], ['once']]);
  });

  test('of one chat are handled in the order of its messages, including those that arrive later', async () => {
    const [chatId = 0] = await busy.interviews(1);
    await busy.beBusy();
    await busy.takeAll([3, 1, 12, 2, 11].map((n) => busy.update(chatId, String(n), n)));
    await busy.beIdle();
    // While an update waits, later updates of its chat wait behind it.
    await busy.take(busy.update(chatId, '13', 13));
    await busy.take(busy.update(chatId, '4', 4));
    await busy.catchUp();

    expect(await busy.said([chatId])).toEqual([['1', '2', '3', '4', '11', '12', '13']]);
  });

  test('are not overtaken by an update of their chat that arrives before they are stored', async () => {
    const [chatId = 0] = await busy.interviews(1);
    const batcher = setup.app.get(UpdateBatcher);
    const keep = batcher.keep.bind(batcher);
    const hold = gate();
    jest.spyOn(batcher, 'keep').mockImplementationOnce(async (uow, update) => {
      await hold.opened;
      return keep(uow, update);
    });
    await busy.beBusy();
    const first = busy.take(busy.update(chatId, '1', 1));
    await busy.beIdle();
    await busy.take(busy.update(chatId, '2', 2));
    hold.open();
    await first;
    await busy.catchUp();

    expect(await busy.said([chatId])).toEqual([['1', '2']]);
  });

  test('of new people are stored in a commit of their own', async () => {
    const known = await busy.interviews(2);
    await busy.beBusy();
    const chats = [...known, busy.stranger];
    await busy.takeAll(chats.map((chatId) => busy.update(chatId, '/help')));

    expect(await busy.states(known)).toEqual(['waiting', 'waiting']);
    expect(await busy.states([busy.stranger])).toEqual(['handled']);
  });

  test('are stored even if one of them cannot be stored', async () => {
    const chats = await busy.interviews(4);
    const [failing = 0, ...others] = chats;
    await setup.app.sql(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no'; end $$`);
    await setup.app.sql(
      `create trigger refuse before insert on telegram_update for each row
       when (new.chat_id = ${String(failing)}) execute function refuse()`,
    );
    await busy.beBusy();
    const results = await Promise.allSettled(
      chats.map((chatId) => busy.take(busy.update(chatId, 'a word'))),
    );

    expect(results.map(({ status }) => status)).toEqual([
      'rejected',
      ...allIn('fulfilled', others),
    ]);
    expect(await busy.states(chats)).toEqual(allIn('handled', others));
    expect(
      setup.app.log
        .linesOf('Telegram')
        .filter((line) => line.includes('storing a batch of updates failed')),
    ).toHaveLength(1);
  });

  test('do not wait for an account that is being erased', async () => {
    const [erased = 0, ...others] = await busy.interviews(3);
    const release = await setup.lock(
      `with gone as (delete from telegram_account where user_id = $1 returning 1)
       select 1 from conversation where id in (select null::uuid from gone)`,
      [erased],
    );
    await busy.beBusy();
    const slow = busy.take(busy.update(erased, 'a word'));
    await busy.takeAll(others.map((chatId) => busy.update(chatId, 'a word')));

    expect(await busy.states(others)).toEqual(['waiting', 'waiting']);
    expect(await busy.commitsOf('telegram.store_batch', 'rolled_back')).toBe(0);
    await release();
    await slow;
    expect(await busy.states([erased])).toHaveLength(1);
  });

  test.each(['before', 'after'] as const)(
    'are stored once when the connection breaks %s their commit',
    async (moment) => {
      const chats = await busy.interviews(3);
      const proxy = await CuttingProxy.start(setup.app.databaseUrl);
      const replica = await setup.another(proxy.url);
      await busy.beBusy(replica);
      proxy.cutNextCommit(moment);
      await busy.takeAll(
        chats.map((chatId) => busy.update(chatId, 'a word')),
        replica,
      );

      expect(proxy.cuts).toBe(1);
      expect(await busy.states(chats)).toHaveLength(chats.length);
      busy.letGo();
      await busy.catchUp();
      expect(await busy.said(chats)).toEqual(chats.map(() => ['a word']));
      await replica.close();
      await proxy.close();
    },
  );
});

describe('while the queue works', () => {
  test('60 messages of one chat keep their order, whether they are stored alone or in batches', async () => {
    await open('webhook', { isWorking: true });
    const ada = await setup.candidate();
    const words = places(60).map((n) => `word ${String(n)}`);
    for (const word of words.slice(0, 20)) ada.writes(word);
    await busy.beBusy();
    for (const word of words.slice(20, 40)) ada.writes(word);
    const isBatched = async (): Promise<boolean> =>
      (await busy.commitsOf('telegram.store_batch')) > 0;
    await setup.app.until('some updates are batched', isBatched);
    busy.letGo();
    for (const word of words.slice(40)) ada.writes(word);
    await setup.app.until(
      'all messages are stored',
      async () => (await setup.said(ada)).length === 60,
    );

    expect(await setup.said(ada)).toEqual(words);
  });

  test('polled updates of many chats are batched too', async () => {
    await open('polling', { isWorking: true });
    const people = await Promise.all(places(9).map(() => setup.candidate()));
    const before = await busy.commitsOf('telegram.store_batch');
    const words = ['one', 'two', 'three'];
    for (const person of people) for (const word of words) person.writes(word);
    for (const person of people) {
      const areAll = async (): Promise<boolean> => (await setup.said(person)).length === 3;
      await setup.app.until('all messages are stored', areAll);
      expect(await setup.said(person)).toEqual(words);
    }

    expect(await busy.commitsOf('telegram.store_batch')).toBeGreaterThan(before);
  });
});
