import { AttentionService } from '../../src/attention';
import { BufferService } from '../../src/buffer';
import { DeliveryService } from '../../src/delivery';
import { TurnRepository } from '../../src/interview/turn/turn.repository';
import { FakeChannel } from '../delivery/fake-channel';
import { replyWith } from '../../tools/fake-model/model-server';
import {
  startInterviews,
  closeInterviews,
  plugTelegram,
  words,
  pause,
  work,
  live,
} from './interviews';
import { type Interviewee, newCandidate } from './interviewee';
import { OutageNotifier } from '../../src/interview/turn/turn-ending';
import type { TestApp } from '../support/app';

let app: TestApp;
const channel = new FakeChannel();

beforeAll(async () => {
  app = await startInterviews();
  plugTelegram(app).sender = channel;
});
afterEach(() => {
  jest.restoreAllMocks();
  channel.forget();
});
afterAll(() => closeInterviews(app));

/** A candidate who writes on the channel. */
async function onChannel(): Promise<Interviewee> {
  const candidate = await newCandidate(app);
  channel.chats.set(candidate.id, `chat of ${candidate.id}`);
  return candidate;
}

/** Sends an answer on the channel; the reply is stored, and nothing of it is sent yet. */
async function answer(candidate: Interviewee, text = words()): Promise<string> {
  const message = { conversationId: candidate.id, channel: 'telegram' as const, text };
  await app.commit((tx) =>
    app.get(BufferService).append(tx, { ...message, externalId: words('the id') }),
  );
  pause(app, 10_000);
  await work(app);
  return text;
}

function deliveriesOf(candidate: Interviewee): Promise<{ kind: string; state: string }[]> {
  return app.sql(
    'select kind, channel, state from delivery where conversation_id = $1 order by id',
    [candidate.id],
  );
}

async function itemsOf(candidate: Interviewee): Promise<{ id: string; kind: string }[]> {
  return (await candidate.attention()).filter(({ closed }) => !closed);
}

test('a reply that is not sent yet is not delivered and clears no messages', async () => {
  const candidate = await onChannel();

  const text = await answer(candidate);

  expect(await candidate.turns()).toMatchObject([{ state: 'replied', completed_at: null }]);
  expect(await candidate.waiting()).toEqual([text]);
  expect(await candidate.jobs()).toMatchObject([{ state: 'done' }]);
  expect(await deliveriesOf(candidate)).toEqual([
    { kind: 'reply', channel: 'telegram', state: 'pending' },
  ]);
  await work(app);
});

test('the turn is delivered and its messages are cleared when the last part is sent', async () => {
  const candidate = await onChannel();
  await answer(candidate);
  channel.next({ kind: 'unknown' });

  await work(app);
  expect(await candidate.turns()).toMatchObject([{ state: 'replied', completed_at: null }]);
  await live(app, 5000);

  expect(channel.texts).toEqual([...(await candidate.replies()), ...(await candidate.replies())]);
  expect(await candidate.turns()).toMatchObject([
    { state: 'delivered', completed_at: expect.any(Date) as Date },
  ]);
  expect(await candidate.waiting()).toEqual([]);
  expect(await itemsOf(candidate)).toEqual([]);
});

/** How often the rows of each table contain the text. */
async function copiesOf(text: string): Promise<Record<string, number>> {
  const tables = await app.sql<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await app.sql<{ copies: number }>(
      `select coalesce(sum(regexp_count(to_jsonb(t)::text, $1)), 0)::int as copies from "${name}" t`,
      [text],
    );
    if (row !== undefined && row.copies > 0) found[name] = row.copies;
  }
  return found;
}

test.each([
  ['as it stands', (text: string) => ({ text, plain: text })],
  ['in markup, with its plain form', (text: string) => ({ text: `<b>${text}</b>`, plain: text })],
])(
  'a reply sent %s is stored as message, turn and output of its model, and no more',
  async (_, part) => {
    const candidate = await onChannel();
    jest.spyOn(channel, 'parts').mockImplementation((text) => [part(text)]);
    jest.spyOn(channel, 'wholePart').mockImplementation(part);
    // Without digits, because a number without a source is not shown.
    const said = words('reply').replace(/\d/g, 'x');
    app.model.next(replyWith('answered', said));

    await answer(candidate);
    const unsent = await copiesOf(said);
    await work(app);

    const once = { message: 1, turn: 1, reply_request: 1 };
    expect(unsent).toEqual(once);
    expect(await copiesOf(said)).toEqual(once);
    const [reply = ''] = await candidate.replies();
    expect(channel.began).toMatchObject([part(reply)]);
  },
);

test('the turn and the part change in one commit', async () => {
  const candidate = await onChannel();
  await answer(candidate);
  const turns = app.get(TurnRepository);
  jest.spyOn(turns, 'listTakenUp').mockRejectedValueOnce(new Error('made by the test'));

  await work(app);

  expect(await candidate.turns()).toMatchObject([{ state: 'replied' }]);
  expect(await deliveriesOf(candidate)).toMatchObject([{ state: 'sending' }]);
  jest.restoreAllMocks();
  await live(app, 5000);
  expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }]);
});

test('messages of an earlier outage are cleared with the turn that took them up', async () => {
  const candidate = await onChannel();
  await answer(candidate);
  const [turn] = await candidate.turns();
  const [earlier] = await app.sql<{ answer_id: string }>(
    `insert into turn (answer_id, conversation_id, interview_step, channel, message_count,
       reply_message_id, started_at, state, merged_into)
     select -1, conversation_id, 0, channel, 1, reply_message_id, started_at,
       'merged', id from turn where id = $1 returning answer_id`,
    [turn?.id],
  );
  await app.sql(
    `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at,
       answer_id)
     values (gen_random_uuid(), $1, -1, 'user', 'telegram', 'earlier', 'earlier', now(), $2)`,
    [candidate.id, earlier?.answer_id],
  );
  expect(await candidate.waiting()).toHaveLength(2);

  await work(app);

  expect(await candidate.waiting()).toEqual([]);
});

test('an answer that arrives meanwhile gets its reply once the earlier reply is delivered', async () => {
  const candidate = await onChannel();
  channel.next({ kind: 'paused', forMs: 20_000 });
  await answer(candidate);
  await work(app);
  await answer(candidate);
  expect(await candidate.turns()).toHaveLength(1);

  await live(app, 21_000);

  expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
  expect(channel.texts.slice(1)).toEqual(await candidate.replies());
});

test('an answer gets its reply after the earlier delivery also when the earlier messages were cleared by age', async () => {
  const candidate = await onChannel();
  channel.next({ kind: 'paused', forMs: 20_000 });
  await answer(candidate);
  await work(app);
  await app.sql('update message set cleared_at = received_at where conversation_id = $1', [
    candidate.id,
  ]);
  await answer(candidate);

  // Sooner than its own next try.
  await live(app, 21_000);

  expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
});

test('a reply that stays unconfirmed counts as delivered and is shown to a person', async () => {
  const candidate = await onChannel();
  await answer(candidate);
  channel.next({ kind: 'unknown' }, { kind: 'unknown' });

  await live(app, 5000);

  expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }]);
  expect(await candidate.waiting()).toEqual([]);
  expect(await itemsOf(candidate)).toMatchObject([{ kind: 'unknown' }]);
});

test('a refused reply goes to a person, whose replay sends it again', async () => {
  const candidate = await onChannel();
  const text = await answer(candidate);
  channel.next({ kind: 'refused', error: 'bad_request' });
  await work(app);
  expect(await candidate.turns()).toMatchObject([{ state: 'replied' }]);
  expect(await candidate.waiting()).toEqual([text]);
  const [item] = await itemsOf(candidate);
  expect(item).toMatchObject({ kind: 'dead' });

  const attention = app.get(AttentionService);
  await app.commit((tx) => attention.replay(tx, item?.id ?? '', 'a test'));
  await work(app);

  expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }]);
  expect(await itemsOf(candidate)).toEqual([]);
});

test.each(['unblock', 'replay'] as const)(
  'a reply to a candidate who blocked the bot is in the attention list until the %s',
  async (way) => {
    const candidate = await onChannel();
    const text = await answer(candidate);
    channel.next({ kind: 'blocked', error: 'forbidden' });
    await work(app);
    expect(await candidate.waiting()).toEqual([text]);
    const [item] = await itemsOf(candidate);
    expect(item).toMatchObject({ kind: 'blocked' });

    const chat = { channel: 'telegram', chat: `chat of ${candidate.id}` };
    if (way === 'unblock') await app.commit((tx) => app.get(DeliveryService).unblock(tx, chat));
    else await app.commit((tx) => app.get(AttentionService).replay(tx, item?.id ?? '', 'a test'));
    await work(app);

    expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }]);
    expect(await candidate.waiting()).toEqual([]);
    expect(await itemsOf(candidate)).toEqual([]);
  },
);

test.each([
  ['blocked', { kind: 'blocked', error: 'forbidden' }],
  ['refused', { kind: 'refused', error: 'bad_request' }],
] as const)(
  'after a reply that is %s an answer on the web gets its reply immediately',
  async (_, outcome) => {
    const candidate = await onChannel();
    await answer(candidate);
    channel.next(outcome);
    await work(app);
    const said = candidate.replies();
    expect(await said).toHaveLength(1);

    await candidate.answer(words());

    expect(await candidate.replies()).toHaveLength(2);
    expect(await candidate.turns()).toMatchObject([
      { state: 'replied', channel: 'telegram' },
      { state: 'delivered', channel: 'web' },
    ]);
  },
);

test('an answer that waits for an undelivered reply is due when that reply is given up', async () => {
  const candidate = await onChannel();
  await answer(candidate);
  channel.next({ kind: 'paused', forMs: 20_000 }, { kind: 'blocked', error: 'forbidden' });
  await work(app);
  await candidate.answer(words());
  expect(await candidate.replies()).toHaveLength(1);

  // Sooner than its own next try.
  await live(app, 21_000, 500);
  await work(app);

  expect(await candidate.replies()).toHaveLength(2);
});

test('a notice is sent on the channel of the answer and does not settle the turn', async () => {
  const { model } = app;
  const candidate = await onChannel();
  model.always({ kind: 'status', status: 503 });
  const text = await answer(candidate);
  await live(app, 4000, 500);

  await app.get(OutageNotifier).notifyWaiting();
  await work(app);

  expect(channel.began).toMatchObject([{ kind: 'notice', isLast: true }]);
  expect(channel.texts).toEqual(await candidate.notices());
  expect(await candidate.turns()).toMatchObject([{ state: 'opened' }]);
  expect(await candidate.waiting()).toEqual([text]);

  model.always({ kind: 'completion', content: '{"verdict":"answered","text":"Back."}' });
  await live(app, 90_000, 5000);
  expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }]);
  expect(channel.began).toMatchObject([{ kind: 'notice' }, { kind: 'reply' }]);
});

test('a reply on the web is delivered in the commit that stores it', async () => {
  const candidate = await onChannel();

  await candidate.answer(words());

  const rows = await app.sql(
    'select turn_id, kind, channel, state from delivery where conversation_id = $1',
    [candidate.id],
  );
  const [turn] = await candidate.turns();
  expect(rows).toEqual([{ turn_id: turn?.id, kind: 'reply', channel: 'web', state: 'sent' }]);
});
