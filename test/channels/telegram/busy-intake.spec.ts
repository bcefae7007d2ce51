import type { Update } from '@grammyjs/types';
import { CandidateMessages } from '../../../src/channels/telegram/messages/candidate-messages';
import { PinInput } from '../../../src/channels/telegram/intake/pin-input';
import { UpdateIntake } from '../../../src/channels/telegram/intake/update-intake';
import { TestCandidate } from '../../support/candidate';
import { CuttingProxy } from '../../support/cutting-proxy';
import { gate } from '../../support/gate';
import { IntakeStage, textUpdate } from './intake-stage';

/** As many as are taken at once. */
const TAKEN_AT_ONCE = 4;
const FIRST_CHAT = 5_000_000_001;
const FIRST_BUSY_CHAT = 6_000_000_001;

let stage: IntakeStage;
let letGo: () => void;

beforeEach(() => {
  letGo = () => undefined;
});
afterEach(async () => {
  letGo();
  jest.restoreAllMocks();
  await stage.close();
});

const chatAt = (place: number): number => FIRST_CHAT + place;
const places = (count: number): number[] => Array.from({ length: count }, (_, place) => place);
let updateId = 500_000_000;

function words(chatId: number, text: string, messageId = 1): Update {
  updateId += 1;
  return textUpdate(text, { chatId, messageId, updateId });
}

function take(update: Update, { nest } = stage.app): Promise<void> {
  return nest.get(UpdateIntake, { strict: false }).take(update as never);
}

/** So many updates are on their way in from now on, until `letGo`: what comes is gathered. */
async function beBusy({ nest } = stage.app): Promise<void> {
  const pins = nest.get(PinInput, { strict: false });
  const keyOf = pins.keyOf.bind(pins);
  const hold = gate();
  let held = 0;
  jest.spyOn(pins, 'keyOf').mockImplementation(async (update) => {
    if ('message' in update && update.message.chat.id >= FIRST_BUSY_CHAT) {
      held += 1;
      await hold.opened;
    }
    return keyOf(update);
  });
  const taking = places(TAKEN_AT_ONCE).map((n) =>
    take(words(FIRST_BUSY_CHAT + n, '/help'), { nest }),
  );
  void Promise.allSettled(taking);
  letGo = hold.open;
  await stage.until('it is busy', () => held === TAKEN_AT_ONCE);
}

/** Candidates in the middle of an interview, each in a chat of their own. */
async function interviews(count: number): Promise<number[]> {
  const chats: number[] = [];
  for (const place of places(count)) {
    const { conversationId } = await TestCandidate.begin(stage.app);
    await stage.rows(
      `insert into telegram_account (user_id, conversation_id, language) values ($1, $2, 'en')`,
      [chatAt(place), conversationId],
    );
    chats.push(chatAt(place));
  }
  return chats;
}

async function said(chatId: number): Promise<string[]> {
  const rows = await stage.rows<{ text: string }>(
    `select text from message join telegram_account using (conversation_id)
     where user_id = $1 and role = 'user' order by seq`,
    [chatId],
  );
  return rows.map(({ text }) => text);
}

async function states(chats: readonly number[]): Promise<string[]> {
  const rows = await stage.rows<{ state: string }>(
    `select state from telegram_update where chat_id = any($1) order by update_id`,
    [chats],
  );
  return rows.map(({ state }) => state);
}

const commitsOf = (label: string, outcome = 'committed', app = stage.app): Promise<number> =>
  stage.metric(`uow_commits_total{label="${label}",outcome="${outcome}"}`, app);

/** All that is due is claimed and handled. */
async function catchUp(): Promise<void> {
  const { worker } = stage.app;
  while ((await worker.tick()) > 0) await worker.waitUntilSettled(60_000);
}

describe('updates that come while others are being taken', () => {
  beforeEach(async () => {
    stage = await IntakeStage.open({ mode: 'webhook', isWorking: false });
  });

  it('are stored by one commit, acknowledged, and handled by one commit of the lane', async () => {
    const chats = await interviews(12);
    await beBusy();

    const answers = chats.map((chatId) => take(words(chatId, `from ${String(chatId)}`)));
    await Promise.all(answers);

    expect(await commitsOf('telegram.gather')).toBe(1);
    expect(await states(chats)).toEqual(chats.map(() => 'waiting'));
    expect(await stage.rows(`select 1 from message where role = 'user'`)).toEqual([]);
    await catchUp();
    expect(await states(chats)).toEqual(chats.map(() => 'handled'));
    for (const chatId of chats) expect(await said(chatId)).toEqual([`from ${String(chatId)}`]);
    expect(await commitsOf('intake.together')).toBe(1);
    expect(
      await stage.rows(`select 1 from task where lane = 'intake' and state <> 'done'`),
    ).toEqual([]);
  });

  it('are answered with 200 one and all', async () => {
    const chats = await interviews(6);
    await beBusy();
    const answers = await Promise.all(chats.map((chatId) => stage.push(words(chatId, 'a word'))));

    expect(answers.map(({ status }) => status)).toEqual(chats.map(() => 200));
    expect(await states(chats)).toEqual(chats.map(() => 'waiting'));
  });

  it('are stored once, however often they come, together and later', async () => {
    const chats = await interviews(2);
    await beBusy();
    const [first, second] = chats.map((chatId) => words(chatId, 'once'));
    if (first === undefined || second === undefined) throw new Error('there are two');

    await Promise.all([first, second, first, first].map((update) => take(update)));
    await take(first);

    expect(await states(chats)).toEqual(['waiting', 'waiting']);
    expect(await stage.metric('telegram_updates_total{outcome="known"}')).toBe(3);
    await catchUp();
    await take(second);
    await catchUp();
    for (const chatId of chats) expect(await said(chatId)).toEqual(['once']);
  });

  it('of one chat are handled in the order of its messages, and later ones behind them', async () => {
    const [chatId = 0] = await interviews(1);
    await beBusy();
    await Promise.all([3, 1, 12, 2, 11].map((n) => take(words(chatId, String(n), n))));
    letGo();
    // Nothing is gathered any more: what waits keeps its chat's later ones behind it.
    await stage.until('it is idle', async () => (await states([FIRST_BUSY_CHAT])).length === 1);
    await take(words(chatId, '13', 13));
    await take(words(chatId, '4', 4));
    await catchUp();

    expect(await said(chatId)).toEqual(['1', '2', '3', '4', '11', '12', '13']);
  });

  it('of people whom nobody knows yet are taken by themselves', async () => {
    const known = await interviews(2);
    await beBusy();
    const stranger = chatAt(70);
    await Promise.all([...known, stranger].map((chatId) => take(words(chatId, '/help'))));

    expect(await states(known)).toEqual(['waiting', 'waiting']);
    expect(await states([stranger])).toEqual(['handled']);
  });

  it('harm nobody if one of them cannot be stored', async () => {
    const [poisoned = 0, ...others] = await interviews(4);
    await stage.rows(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no'; end $$`);
    await stage.rows(
      `create trigger refuse before insert on telegram_update for each row
       when (new.chat_id = ${String(poisoned)}) execute function refuse()`,
    );
    await beBusy();
    const chats = [poisoned, ...others];
    const results = await Promise.allSettled(chats.map((chatId) => take(words(chatId, 'a word'))));

    expect(results.map(({ status }) => status)).toEqual([
      'rejected',
      ...others.map(() => 'fulfilled'),
    ]);
    expect(await states(chats)).toEqual(others.map(() => 'handled'));
    expect(stage.log.ofTelegram.filter((line) => line.includes('together'))).toHaveLength(1);
  });

  it('wait for no account that somebody is erasing', async () => {
    const [erased = 0, ...others] = await interviews(3);
    const release = await stage.lock(
      `with gone as (delete from telegram_account where user_id = $1 returning 1)
       select 1 from conversation where id in (select null::uuid from gone)`,
      [erased],
    );
    await beBusy();
    const slow = take(words(erased, 'a word'));
    await Promise.all(others.map((chatId) => take(words(chatId, 'a word'))));

    expect(await states(others)).toEqual(['waiting', 'waiting']);
    expect(await commitsOf('telegram.gather', 'rolled_back')).toBe(0);
    await release();
    await slow;
    expect(await states([erased])).toHaveLength(1);
  });

  it.each(['before', 'after'] as const)(
    'are stored once when the connection breaks %s their commit',
    async (moment) => {
      const chats = await interviews(3);
      const proxy = await CuttingProxy.start(stage.app.databaseUrl);
      const replica = await stage.another(proxy.url);
      await beBusy(replica);
      proxy.cutNextCommit(moment);
      await Promise.all(chats.map((chatId) => take(words(chatId, 'a word'), replica)));

      expect(proxy.cuts).toBe(1);
      expect(await states(chats)).toHaveLength(chats.length);
      letGo();
      await catchUp();
      for (const chatId of chats) expect(await said(chatId)).toEqual(['a word']);
      await replica.close();
      await proxy.close();
    },
  );
});

describe('chats that have something waiting, handled together', () => {
  beforeEach(async () => {
    stage = await IntakeStage.open({ mode: 'webhook', isWorking: false });
  });

  /** Each of so many has a word that waits. */
  async function withWaiting(count: number): Promise<number[]> {
    const chats = await interviews(count);
    await beBusy();
    await Promise.all(chats.map((chatId) => take(words(chatId, `from ${String(chatId)}`))));
    return chats;
  }

  it('lose nothing to one of them that cannot be handled', async () => {
    const chats = await withWaiting(10);
    const poisoned = chats.at(-1) ?? 0;
    const messages = stage.app.nest.get(CandidateMessages, { strict: false });
    const takeOne = messages.take.bind(messages);
    jest.spyOn(messages, 'take').mockImplementation((scope, message, user) => {
      if (scope.chatId === poisoned) throw new Error('a bug');
      return takeOne(scope, message, user);
    });
    await catchUp();

    expect(await commitsOf('intake.together', 'rolled_back')).toBe(1);
    expect(await states(chats)).toEqual([...chats.slice(1).map(() => 'handled'), 'waiting']);
    expect(
      await stage.rows(`select key, failures from task where lane = 'intake' and failures > 0`),
    ).toEqual([{ key: String(poisoned), failures: 1 }]);
  });

  it.each([
    ['account', 'select 1 from telegram_account where user_id = $1'],
    [
      'conversation',
      `select 1 from conversation where id =
         (select conversation_id from telegram_account where user_id = $1)`,
    ],
  ])('do not wait for one whose %s is in use', async (_what, row) => {
    const chats = await withWaiting(10);
    const inUse = chats.at(-1) ?? 0;
    const release = await stage.lock(row, [inUse]);
    const free = chats.slice(0, -1);
    const caughtUp = catchUp();
    const areHandled = async (): Promise<boolean> => !(await states(free)).includes('waiting');
    await stage.until('the others are handled', areHandled);

    expect(await states([inUse])).toEqual(['waiting']);
    expect(await commitsOf('intake.together')).toBe(1);
    expect(await commitsOf('intake.together', 'rolled_back')).toBe(0);
    await release();
    await caughtUp;
    const isHandled = async (): Promise<boolean> => {
      await catchUp();
      return (await said(inUse)).length === 1;
    };
    await stage.until('it is handled too', isHandled);
  });

  it('are handled once when the connection breaks after their commit', async () => {
    const chats = await withWaiting(8);
    const proxy = await CuttingProxy.start(stage.app.databaseUrl);
    const replica = await stage.another(proxy.url);
    proxy.cutNextCommit('after');
    while ((await replica.worker.tick()) > 0) await replica.worker.waitUntilSettled(60_000);

    expect(proxy.cuts).toBe(1);
    for (const chatId of chats) expect(await said(chatId)).toEqual([`from ${String(chatId)}`]);
    await replica.close();
    await proxy.close();
  });
});

describe('with the lane at work', () => {
  it('60 messages at once of one chat keep their order, those taken, gathered and left mixed', async () => {
    stage = await IntakeStage.open({ mode: 'webhook' });
    const ada = await stage.candidate();
    const wordsOf = places(60).map((n) => `word ${String(n)}`);
    for (const [n, word] of wordsOf.entries()) {
      ada.writes(word);
      if (n === 20) await beBusy();
      if (n === 40) letGo();
    }
    await stage.until('all are said', async () => (await stage.said(ada)).length === 60);

    expect(await stage.said(ada)).toEqual(wordsOf);
    expect(stage.telegram.journal.violations).toEqual([]);
  });

  it('a polled batch of many chats is gathered as well', async () => {
    stage = await IntakeStage.open({ mode: 'polling' });
    const people = await Promise.all(places(9).map(() => stage.candidate()));
    const before = await commitsOf('telegram.gather');
    for (const person of people) for (const word of ['one', 'two', 'three']) person.writes(word);
    for (const person of people) {
      const isAll = async (): Promise<boolean> => (await stage.said(person)).length === 3;
      await stage.until('all are said', isAll);
      expect(await stage.said(person)).toEqual(['one', 'two', 'three']);
    }

    expect(await commitsOf('telegram.gather')).toBeGreaterThan(before);
  });
});
