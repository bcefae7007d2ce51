import { CandidateRepository } from '../../../src/candidates';
import { UpdateRepository } from '../../../src/channels/telegram/intake/update.repository';
import { CandidateMessages } from '../../../src/channels/telegram/messages/candidate-messages';
import {
  InvitationRepository,
  PinHasher,
  shownPin,
  withInvitationSecrets,
} from '../../../src/vacancies';
import { CuttingProxy } from '../../../tools/fake-network/cutting-proxy';
import { rowsOf } from '../../support/outside';
import { BusyIntake } from './busy-intake';
import { BotIntake } from './bot-intake';

let setup: BotIntake;
let busy: BusyIntake;

beforeEach(async () => {
  setup = await BotIntake.start({ mode: 'webhook', isWorking: false });
  busy = new BusyIntake(setup);
});
afterEach(async () => {
  busy.letGo();
  jest.restoreAllMocks();
  await setup.close();
});

const fromEach = (chats: readonly number[]): string[][] =>
  chats.map((chatId) => [`from ${String(chatId)}`]);

/** Makes the handling fail for the messages for which `is` returns true. */
function failOn(is: (chatId: number, text: string) => boolean): void {
  const messages = setup.app.get(CandidateMessages);
  const take = messages.take.bind(messages);
  jest.spyOn(messages, 'take').mockImplementation((scope, message, user) => {
    const text = 'text' in message ? message.text : '';
    if (is(scope.chatId, text)) throw new Error('a bug');
    return take(scope, message, user);
  });
}

describe('chats with waiting updates', () => {
  test('share a commit of the queue when they are many', async () => {
    const chats = await busy.withWaiting(12);
    await busy.catchUp();

    expect(await busy.said(chats)).toEqual(fromEach(chats));
    expect(await busy.commitsOf('intake.handle_batch')).toBe(1);
  });

  test('continue with their further updates, each in the order of its messages', async () => {
    const chats = await busy.interviews(8);
    await busy.beBusy();
    for (const n of [3, 1, 2]) {
      await busy.takeAll(chats.map((chatId) => busy.update(chatId, String(n), n)));
    }
    await busy.catchUp();

    expect(await busy.said(chats)).toEqual(chats.map(() => ['1', '2', '3']));
    expect(await busy.commitsOf('intake.handle_batch')).toBeGreaterThan(0);
  });

  test('get the replies to their updates', async () => {
    const chats = await busy.interviews(8);
    await busy.beBusy();
    await busy.takeAll(chats.map((chatId) => busy.update(chatId, '/help')));
    await busy.catchUp();

    const calls = setup.telegram.journal.calls('sendMessage');
    const told = calls.map(({ params }) => params.chat_id as number).sort((a, b) => a - b);
    expect(told).toEqual(chats);
    expect(await setup.app.sql('select 1 from telegram_bot_reply')).toEqual([]);
  });

  test('lose nothing when one of them cannot be handled', async () => {
    const chats = await busy.withWaiting(10);
    const failing = chats.at(-1);
    failOn((chatId) => chatId === failing);
    await busy.catchUp();

    expect(await busy.commitsOf('intake.handle_batch', 'rolled_back')).toBe(1);
    expect(await busy.said(chats)).toEqual([...fromEach(chats.slice(0, -1)), []]);
    expect(
      await setup.app.sql(`select key from job where queue = 'intake' and failures > 0`),
    ).toEqual([{ key: String(failing) }]);
  });

  test.each([
    ['account', 'select 1 from telegram_account where user_id = $1'],
    [
      'conversation',
      `select 1 from conversation where id =
         (select conversation_id from telegram_account where user_id = $1)`,
    ],
  ])('do not wait for a chat whose %s is locked', async (_what, row) => {
    const chats = await busy.withWaiting(10);
    const inUse = chats.slice(-1);
    const free = chats.slice(0, -1);
    const release = await setup.lock(row, inUse);
    const caughtUp = busy.catchUp();
    const areHandled = async (): Promise<boolean> => !(await busy.states(free)).includes('waiting');
    await setup.app.until('the others are handled', areHandled);

    expect(await busy.states(inUse)).toEqual(['waiting']);
    expect(await busy.commitsOf('intake.handle_batch')).toBe(1);
    expect(await busy.commitsOf('intake.handle_batch', 'rolled_back')).toBe(0);
    await release();
    await caughtUp;
    await busy.untilHandled(inUse);
    expect(await busy.said(chats)).toEqual(fromEach(chats));
  });

  test('are handled once when the connection breaks after their commit', async () => {
    const chats = await busy.withWaiting(8);
    const proxy = await CuttingProxy.start(setup.app.databaseUrl);
    const replica = await setup.another(proxy.url);
    proxy.cutNextCommit('after');
    await busy.catchUp(replica);

    expect(proxy.cuts).toBe(1);
    expect(await busy.said(chats)).toEqual(fromEach(chats));
    await replica.close();
    await proxy.close();
  });

  test('skip jobs that another worker has taken over meanwhile', async () => {
    const chats = await busy.withWaiting(8);
    const lost = String(chats.at(-1));
    const inbox = setup.app.get(UpdateRepository);
    const nextOfChats = inbox.nextOfChats.bind(inbox);
    const setLockTimeout = inbox.setLockTimeout.bind(inbox);
    jest.spyOn(inbox, 'setLockTimeout').mockImplementationOnce(async (tx, ms) => {
      const next = `update job set claim_no = claim_no + 1 where queue = 'intake' and key = $1`;
      // By a connection of its own, because this runs inside a commit of the application.
      await rowsOf(setup.app.databaseUrl, next, [lost]);
      await setLockTimeout(tx, ms);
    });
    const looked = jest.spyOn(inbox, 'nextOfChats').mockImplementation(nextOfChats);
    await busy.catchUp();

    expect(looked).toHaveBeenCalledTimes(1);
    expect(await busy.said(chats)).toEqual([...fromEach(chats.slice(0, -1)), []]);
    expect(await busy.commitsOf('intake.handle_batch')).toBe(1);
  });

  test('are handled in separate commits after a crash, because one of them may have caused it', async () => {
    const chats = await busy.withWaiting(8);
    await setup.app.sql(
      `update job set state = 'running', claim_no = 1, due_at = first_at where queue = 'intake'`,
    );
    await busy.untilHandled(chats);

    expect(await busy.said(chats)).toEqual(fromEach(chats));
    expect(await busy.commitsOf('intake.handle_batch')).toBe(0);
  });
});

test('of several updates of a chat, those before one that cannot be handled are handled once', async () => {
  const chats = await busy.interviews(1);
  await busy.beBusy();
  failOn((_chat, text) => text === 'failing');
  const texts = ['a', 'b', 'failing', 'behind it'];
  const [chatId = 0] = chats;
  await busy.takeAll(texts.map((text, n) => busy.update(chatId, text, n + 1)));
  await busy.catchUp();

  expect(await busy.said(chats)).toEqual([['a', 'b']]);
  expect(await busy.states(chats)).toEqual(['handled', 'handled', 'waiting', 'waiting']);
});

test('of several updates of a chat, a PIN finds the interview before the later ones are handled', async () => {
  const chatId = busy.stranger;
  await setup.app.sql(`insert into telegram_account (user_id, language) values ($1, 'en')`, [
    chatId,
  ]);
  const pin = await invitationPin();
  await busy.beBusy();
  const texts = ['/help', pin, '/pause'];
  await busy.takeAll(texts.map((text, n) => busy.update(chatId, text, n + 1)));
  await busy.catchUp();

  const account = `select metadata->>'identifiedBy' as by from telegram_account a
    join conversation c on c.id = a.conversation_id where user_id = $1`;
  expect(await setup.app.sql(account, [chatId])).toEqual([{ by: 'pin' }]);
  expect(await busy.states([chatId])).toEqual(['handled', 'handled', 'handled']);
});

function invitationPin(): Promise<string> {
  const { app } = setup;
  return withInvitationSecrets(app.get(PinHasher), (secrets) =>
    app.commit(async (tx) => {
      const candidate = await app.get(CandidateRepository).create(tx, { name: 'Ada' });
      const wanted = { vacancyId: app.vacancy.id, candidateId: candidate.id, secrets };
      await app.get(InvitationRepository).issue(tx, wanted);
      return shownPin(secrets.pin);
    }),
  );
}
