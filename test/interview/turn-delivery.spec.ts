import { TestTelegram } from '../support/channels';
import { AttentionService } from '../../src/attention';
import { BufferService } from '../../src/buffer';
import { DeliveryService } from '../../src/delivery';
import { TurnRepository } from '../../src/interview/turn/turn.repository';
import { FakeChannel } from '../delivery/fake-channel';
import type { TurnCandidate } from './turn-candidate';
import { replyWith } from '../../tools/fake-model/model-server';
import { TurnFixture, words } from './turn-fixture';

let fixture: TurnFixture;
const channel = new FakeChannel();

beforeAll(async () => {
  fixture = await TurnFixture.open();
  fixture.main.get(TestTelegram).sender = channel;
});
afterEach(() => {
  jest.restoreAllMocks();
  channel.forget();
});
afterAll(() => fixture.close());

/** A candidate who writes on the channel. */
async function onChannel(): Promise<TurnCandidate> {
  const candidate = await fixture.candidate();
  channel.chats.set(candidate.id, `chat of ${candidate.id}`);
  return candidate;
}

/** Answers on the channel; the reply is stored, and nothing of it is sent yet. */
async function answer(candidate: TurnCandidate, text = words()): Promise<string> {
  const { main } = fixture;
  const message = { conversationId: candidate.id, channel: 'telegram' as const, text };
  await main.commit((tx) =>
    main.get(BufferService).append(tx, { ...message, externalId: words('the id') }),
  );
  fixture.pause(10_000);
  await main.work();
  return text;
}

function deliveriesOf(candidate: TurnCandidate): Promise<{ kind: string; state: string }[]> {
  return fixture.sql(
    'select kind, channel, state from delivery where conversation_id = $1 order by id',
    [candidate.id],
  );
}

async function itemsOf(candidate: TurnCandidate): Promise<{ id: string; kind: string }[]> {
  return (await candidate.attention()).filter(({ closed }) => !closed);
}

test('a reply that its channel has still to send clears nothing and is not delivered', async () => {
  const candidate = await onChannel();

  const text = await answer(candidate);

  expect(await candidate.turns()).toMatchObject([{ state: 'answered', completed_at: null }]);
  expect(await candidate.waiting()).toEqual([text]);
  expect(await candidate.jobs()).toMatchObject([{ state: 'done' }]);
  expect(await deliveriesOf(candidate)).toEqual([
    { kind: 'reply', channel: 'telegram', state: 'pending' },
  ]);
  await fixture.main.work();
});

test('the send of its last part delivers it: the turn ends and its messages wait no more', async () => {
  const candidate = await onChannel();
  await answer(candidate);
  channel.next({ kind: 'unknown' });

  await fixture.main.work();
  expect(await candidate.turns()).toMatchObject([{ state: 'answered', completed_at: null }]);
  await fixture.live(5000);

  expect(channel.texts).toEqual([...(await candidate.replies()), ...(await candidate.replies())]);
  expect(await candidate.turns()).toMatchObject([
    { state: 'delivered', completed_at: expect.any(Date) as Date },
  ]);
  expect(await candidate.waiting()).toEqual([]);
  expect(await itemsOf(candidate)).toEqual([]);
});

/** By table, how often the words stand in its rows. */
async function copiesOf(text: string): Promise<Record<string, number>> {
  const tables = await fixture.sql<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await fixture.sql<{ copies: number }>(
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
])('a reply sent %s is stored twice, before it is sent and afterwards', async (_, part) => {
  const candidate = await onChannel();
  jest.spyOn(channel, 'parts').mockImplementation((text) => [part(text)]);
  jest.spyOn(channel, 'wholePart').mockImplementation(part);
  const said = words('reply');
  fixture.model.next(replyWith('answered', said));

  await answer(candidate);
  const unsent = await copiesOf(said);
  await fixture.main.work();

  expect(unsent).toEqual({ message: 1, turn: 1 });
  expect(await copiesOf(said)).toEqual({ message: 1, turn: 1 });
  const [reply = ''] = await candidate.replies();
  expect(channel.began).toMatchObject([part(reply)]);
});

test('turn and part change in one commit', async () => {
  const candidate = await onChannel();
  await answer(candidate);
  const turns = fixture.main.get(TurnRepository);
  jest.spyOn(turns, 'listTakenUp').mockRejectedValueOnce(new Error('the test broke it'));

  await fixture.main.work();

  expect(await candidate.turns()).toMatchObject([{ state: 'answered' }]);
  expect(await deliveriesOf(candidate)).toMatchObject([{ state: 'sending' }]);
  jest.restoreAllMocks();
  await fixture.live(5000);
  expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }]);
});

test('what an earlier outage left over is delivered with the turn that took it up', async () => {
  const candidate = await onChannel();
  await answer(candidate);
  const [turn] = await candidate.turns();
  const [earlier] = await fixture.sql<{ buffer_id: string }>(
    `insert into turn (flush_id, buffer_id, conversation_id, interview_step, channel, message_count,
       reply_message_id, started_at, state, merged_into)
     select 'flush:earlier', -1, conversation_id, 0, channel, 1, reply_message_id, started_at,
       'merged', id from turn where id = $1 returning buffer_id`,
    [turn?.id],
  );
  await fixture.sql(
    `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at,
       buffer_id)
     values (gen_random_uuid(), $1, -1, 'user', 'telegram', 'earlier', 'earlier', now(), $2)`,
    [candidate.id, earlier?.buffer_id],
  );
  expect(await candidate.waiting()).toHaveLength(2);

  await fixture.main.work();

  expect(await candidate.waiting()).toEqual([]);
});

test('an answer that was given meanwhile is replied to as soon as the reply is delivered', async () => {
  const candidate = await onChannel();
  channel.next({ kind: 'paused', forMs: 20_000 });
  await answer(candidate);
  await fixture.main.work();
  await answer(candidate);
  expect(await candidate.turns()).toHaveLength(1);

  await fixture.live(21_000);

  expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
  expect(channel.texts.slice(1)).toEqual(await candidate.replies());
});

test('a reply that stays unconfirmed is delivered, and a person hears of it', async () => {
  const candidate = await onChannel();
  await answer(candidate);
  channel.next({ kind: 'unknown' }, { kind: 'unknown' });

  await fixture.live(5000);

  expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }]);
  expect(await candidate.waiting()).toEqual([]);
  expect(await itemsOf(candidate)).toMatchObject([{ kind: 'unknown' }]);
});

test('a refused reply goes to a person, whose replay sends it again', async () => {
  const candidate = await onChannel();
  const text = await answer(candidate);
  channel.next({ kind: 'refused', error: 'bad_request' });
  await fixture.main.work();
  expect(await candidate.turns()).toMatchObject([{ state: 'answered' }]);
  expect(await candidate.waiting()).toEqual([text]);
  const [item] = await itemsOf(candidate);
  expect(item).toMatchObject({ kind: 'dead' });

  const attention = fixture.main.get(AttentionService);
  await fixture.main.commit((tx) => attention.replay(tx, item?.id ?? '', 'a test'));
  await fixture.main.work();

  expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }]);
  expect(await itemsOf(candidate)).toEqual([]);
});

test.each(['unblock', 'replay'] as const)(
  'a blocked candidate is before a person until the %s',
  async (way) => {
    const candidate = await onChannel();
    const text = await answer(candidate);
    channel.next({ kind: 'blocked', error: 'forbidden' });
    await fixture.main.work();
    expect(await candidate.waiting()).toEqual([text]);
    const [item] = await itemsOf(candidate);
    expect(item).toMatchObject({ kind: 'blocked' });

    const chat = { channel: 'telegram', chat: `chat of ${candidate.id}` };
    const { main } = fixture;
    if (way === 'unblock') await main.commit((tx) => main.get(DeliveryService).unblock(tx, chat));
    else await main.commit((tx) => main.get(AttentionService).replay(tx, item?.id ?? '', 'a test'));
    await main.work();

    expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }]);
    expect(await candidate.waiting()).toEqual([]);
    expect(await itemsOf(candidate)).toEqual([]);
  },
);

test.each([
  ['blocked', { kind: 'blocked', error: 'forbidden' }],
  ['refused', { kind: 'refused', error: 'bad_request' }],
] as const)('after a reply that is %s the web is answered at once', async (_, outcome) => {
  const candidate = await onChannel();
  await answer(candidate);
  channel.next(outcome);
  await fixture.main.work();
  const said = candidate.replies();
  expect(await said).toHaveLength(1);

  await candidate.answer(words());

  expect(await candidate.replies()).toHaveLength(2);
  expect(await candidate.turns()).toMatchObject([
    { state: 'answered', channel: 'telegram' },
    { state: 'delivered', channel: 'web' },
  ]);
});

test('an answer that waits for a reply is due when that reply is given up', async () => {
  const candidate = await onChannel();
  await answer(candidate);
  channel.next({ kind: 'paused', forMs: 20_000 }, { kind: 'blocked', error: 'forbidden' });
  await fixture.main.work();
  await candidate.answer(words());
  expect(await candidate.replies()).toHaveLength(1);

  // Before it would be looked at again by itself.
  await fixture.live(21_000, 500);
  await fixture.main.work();

  expect(await candidate.replies()).toHaveLength(2);
});

test('a notice is sent to where the answer came from, and settles nothing', async () => {
  const { main, model } = fixture;
  const candidate = await onChannel();
  model.always({ kind: 'status', status: 503 });
  const text = await answer(candidate);
  await fixture.live(4000, 500);

  await main.notices.notifyWaiting();
  await main.work();

  expect(channel.began).toMatchObject([{ kind: 'notice', isLast: true }]);
  expect(channel.texts).toEqual(await candidate.notices());
  expect(await candidate.turns()).toMatchObject([{ state: 'opened' }]);
  expect(await candidate.waiting()).toEqual([text]);

  model.always({ kind: 'answer', content: '{"verdict":"answered","text":"Back."}' });
  await fixture.live(90_000, 5000);
  expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }]);
  expect(channel.began).toMatchObject([{ kind: 'notice' }, { kind: 'reply' }]);
});

test('a reply on the web is delivered by the commit that stores it', async () => {
  const candidate = await onChannel();

  await candidate.answer(words());

  const rows = await fixture.sql(
    'select turn_id, kind, channel, state from delivery where conversation_id = $1',
    [candidate.id],
  );
  const [turn] = await candidate.turns();
  expect(rows).toEqual([{ turn_id: turn?.id, kind: 'reply', channel: 'web', state: 'sent' }]);
});
