import { CandidateMessages } from '../../../src/channels/telegram/messages/candidate-messages';
import { MyData } from '../../../src/channels/telegram/intake/bot-replies';
import { FakeClock } from '../../../tools/support/fake-clock';
import { runCli } from '../../support/run-cli';
import type { TelegramUser } from '../../../tools/fake-telegram';
import { ADMIN_TOKEN as ADMIN } from '../../support/secrets';
import { EN, BotIntake } from './bot-intake';

let setup: BotIntake;

interface Item {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly conversationId: string | null;
  readonly reason: string;
  readonly isReplayable: boolean;
}

beforeEach(async () => {
  const clock = new FakeClock();
  setup = await BotIntake.start({ mode: 'webhook', clock, env: { ADMIN_TOKEN: ADMIN } });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await setup.close();
});

function admin(path: string, method = 'GET'): Promise<Response> {
  const headers = { authorization: `Bearer ${ADMIN}` };
  return fetch(`${setup.app.url}/api/v1/admin/attention${path}`, { method, headers });
}

async function items(): Promise<Item[]> {
  return ((await (await admin('')).json()) as { items: Item[] }).items;
}

async function conversationOf(person: TelegramUser): Promise<string> {
  const [account] = await setup.app.sql<{ id: string }>(
    'select conversation_id as id from telegram_account where user_id = $1 and conversation_id is not null',
    [person.user.id],
  );
  if (account === undefined) throw new Error('the person is in no interview');
  return account.id;
}

/** Makes the handling of this text fail until the returned function is called. */
function failOn(text: string): () => void {
  const messages = setup.app.get(CandidateMessages);
  const take = messages.take.bind(messages);
  const spy = jest.spyOn(messages, 'take').mockImplementation((scope, message, user) => {
    if ('text' in message && message.text === text) throw new Error(`cannot read "${text}"`);
    return take(scope, message, user);
  });
  return () => {
    spy.mockRestore();
  };
}

/** A candidate with a dead update, whose next message has been handled. */
async function withDeadUpdate(): Promise<{ ada: TelegramUser; item: Item; cure: () => void }> {
  const ada = await setup.candidate();
  const cure = failOn('swordfish');
  ada.writes('swordfish');
  ada.writes('behind it');
  await setup.app.until(
    'the next message is handled',
    async () => (await setup.said(ada)).length === 1,
  );
  const [item] = await items();
  if (item === undefined) throw new Error('there is no attention item');
  return { ada, item, cure };
}

test('an update that always fails is kept for a person, and its chat continues', async () => {
  const { ada, item } = await withDeadUpdate();

  expect(await setup.said(ada)).toEqual(['behind it']);
  const dead = (await setup.inbox(ada)).filter(({ state }) => state === 'dead');
  expect(dead).toEqual([{ state: 'dead', text: 'swordfish' }]);
  expect(await items()).toHaveLength(1);
  const conversationId = await conversationOf(ada);
  expect(item).toMatchObject({ kind: 'dead', isReplayable: true, conversationId });
  expect(item.subject).toMatch(/^telegram-update:\d+:\d+$/);
  const [{ failures } = { failures: 0 }] = await setup.app.sql<{ failures: number }>(
    `select failures from job where queue = 'intake' and state = 'dead'`,
  );
  expect(failures).toBe(5);
});

test("a candidate's words are in no log line, no item and no stored error", async () => {
  const { item } = await withDeadUpdate();
  const errors = await setup.app.sql('select last_error from job where last_error is not null');

  expect(errors).not.toEqual([]);
  expect(JSON.stringify([item, errors, setup.app.log.lines])).not.toContain('swordfish');
});

test('a replay after the bug is fixed handles the update', async () => {
  const { ada, item, cure } = await withDeadUpdate();
  cure();

  expect((await admin(`/${item.id}/replay`, 'POST')).status).toBe(200);
  await setup.app.until(
    'the replayed message is stored',
    async () => (await setup.said(ada)).length === 2,
  );
  expect(await setup.said(ada)).toEqual(['behind it', 'swordfish']);
  expect(await items()).toEqual([]);
  expect((await setup.inbox(ada)).map(({ state }) => state)).not.toContain('dead');
});

test('a replay at the command line does the same', async () => {
  const { ada, item, cure } = await withDeadUpdate();
  cure();
  const run = await runCli(['attention', 'replay', item.id], {
    DATABASE_URL: setup.app.databaseUrl,
  });

  expect(run).toMatchObject({ code: 0, err: '' });
  // The command uses the clock of PostgreSQL, which is ahead of the fake clock.
  await setup.app.sql(`update job set due_at = first_at where queue = 'intake' and state = 'open'`);
  await setup.app.sql(
    `update job set due_at = '2026-01-01' where queue = 'intake' and state = 'open'`,
  );
  await setup.app.until(
    'the replayed message is stored',
    async () => (await setup.said(ada)).length === 2,
  );
});

test('the export at the command line has the update', async () => {
  const { ada } = await withDeadUpdate();
  const [row] = await setup.app.sql<{ id: string }>(
    'select candidate_id as id from conversation where id = $1',
    [await conversationOf(ada)],
  );
  const run = await runCli(['candidate', 'export', row?.id ?? ''], {
    DATABASE_URL: setup.app.databaseUrl,
  });

  expect(run).toMatchObject({ code: 0, err: '' });
  const unhandledUpdates = [{ message: { text: 'swordfish' } }];
  expect(JSON.parse(run.out)).toMatchObject({
    holders: { telegram: [{ userId: String(ada.user.id), unhandledUpdates }] },
  });
});

test('a replay before the bug is fixed adds the attention item again', async () => {
  const { item } = await withDeadUpdate();

  expect((await admin(`/${item.id}/replay`, 'POST')).status).toBe(200);
  await setup.app.until('the attention item is back', async () => (await items()).length === 1);
  expect((await items())[0]).toMatchObject({ subject: item.subject, isReplayable: true });
});

test('a replay is refused after the person was erased', async () => {
  const { ada, item } = await withDeadUpdate();
  await setup.app.sql('delete from telegram_account where user_id = $1', [ada.user.id]);
  const response = await admin(`/${item.id}/replay`, 'POST');

  expect(response.status).toBe(409);
  expect(await response.json()).toMatchObject({ code: 'attention_not_replayable' });
});

test('a reply that cannot be sent gets an attention item, and the next replies are sent', async () => {
  const ada = await setup.candidate();
  const myData = setup.app.get(MyData);
  jest.spyOn(myData, 'send').mockRejectedValue(new Error('a bug'));
  ada.writes('/mydata');
  const chat = setup.telegram.chat(ada.user.id);
  await setup.app.until(
    'the bot asks for confirmation',
    () => chat.messages.at(-1)?.buttons.length === 1,
  );
  const [[button = ''] = []] = chat.messages.at(-1)?.buttons ?? [];
  ada.presses(button);
  await setup.app.until('there is an attention item', async () => (await items()).length === 1);
  ada.writes('/help');
  await setup.untilTold(ada, EN.help({ voices: false, interviewer: 'script' }));

  const [item] = await items();
  expect(item).toMatchObject({ kind: 'dead', conversationId: await conversationOf(ada) });
  expect((await admin(`/${item?.id ?? ''}/replay`, 'POST')).status).toBe(409);
  expect(await setup.app.sql('select 1 from telegram_bot_reply')).toEqual([]);
});
