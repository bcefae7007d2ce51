import { newId } from '../../src/common/ids';
import type { Tx } from '../../src/common/uow';
import { addConversation } from '../support/conversations';
import { cli, database, inCommit } from './cli-database';

interface Written {
  readonly text: string;
  /** Seconds before the answer's reply begins. */
  readonly beforeS: number;
  readonly isAddition?: boolean;
  /** No turn was opened with it, so nothing has decided whether it is an addition. */
  readonly isUndecided?: boolean;
}

/** A stored answer whose reply began at `at`. */
async function store(
  tx: Tx,
  answer: { conversationId: string; answerId: number; channel: string; at: string },
  written: readonly Written[],
): Promise<void> {
  const { conversationId, answerId, channel, at } = answer;
  for (const [n, { text, beforeS, ...of }] of written.entries()) {
    await tx.query(
      `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at,
         answer_id, before_reply, turn_id)
       values ($1::uuid, $2, $3, 'user', $4, $1::uuid::text, $5,
         $6::timestamptz - $7::float8 * interval '1 second', $8, $9, $10)`,
      [
        newId(),
        conversationId,
        answerId * 10 + n,
        channel,
        text,
        at,
        beforeS,
        answerId,
        of.isAddition === true || of.isUndecided === true,
        of.isUndecided === true ? null : answerId,
      ],
    );
  }
  await tx.query(
    `insert into turn (answer_id, conversation_id, interview_step, channel, state,
       message_count, reply_message_id, started_at)
     values ($1::bigint, $2, 0, $3, 'delivered', $4, $5, $6)`,
    [answerId, conversationId, channel, written.length, newId(), at],
  );
}

/** Yesterday at this time, UTC. */
function yesterdayAt(time: string): string {
  const day = new Date(Date.now() - 24 * 3_600_000).toISOString().slice(0, 10);
  return `${day}T${time}Z`;
}

async function storeThree(): Promise<void> {
  const conversationId = await addConversation(database());
  await inCommit(async (tx) => {
    await store(
      tx,
      { conversationId, answerId: 1, channel: 'telegram', at: yesterdayAt('09:30:00') },
      [
        { text: 'four', beforeS: 20 },
        { text: 'and six', beforeS: 10 },
      ],
    );
    await store(
      tx,
      { conversationId, answerId: 2, channel: 'telegram', at: yesterdayAt('09:40:00') },
      [{ text: 'oh', beforeS: 6, isAddition: true }],
    );
    await store(tx, { conversationId, answerId: 3, channel: 'web', at: yesterdayAt('22:10:00') }, [
      { text: 'a web answer', beforeS: 2, isUndecided: true },
    ]);
  });
}

const TELEGRAM = {
  answers: 2,
  medianWaitS: 8,
  p90WaitS: 9.6,
  splits: 1,
  additions: 1,
  messagesPerAnswer: 1.5,
  charactersPerAnswer: 6.5,
};

test('stats counts stored answers together, by channel and by hour', async () => {
  await storeThree();

  const { code, out } = await cli(['stats', '--json']);

  expect(code).toBe(0);
  const { total, channels, hours } = JSON.parse(out) as Record<string, unknown>;
  expect(total).toMatchObject({ answers: 3, medianWaitS: 6, splits: 1, additions: 1 });
  expect(channels).toEqual([
    { channel: 'telegram', ...TELEGRAM },
    expect.objectContaining({ channel: 'web', answers: 1, medianWaitS: 2, splits: 0 }),
  ]);
  expect(hours).toEqual([
    { hour: 9, ...TELEGRAM },
    expect.objectContaining({ hour: 22, answers: 1 }),
  ]);
});

test('stats counts a channel, a vacancy and the hours of a time zone', async () => {
  await storeThree();

  const telegram = await cli(['stats', '--channel', 'telegram', '--time-zone', 'Asia/Tokyo']);
  const unknown = await cli(['stats', '--vacancy', 'unheard-of']);

  expect(telegram.out).toMatch(/^all +2 +8\.0 s +9\.6 s +1 +1 +1\.5 +7$/m);
  expect(telegram.out).toMatch(/^18:00 +2 /m);
  expect(telegram.out).not.toContain('web');
  expect(unknown).toMatchObject({ code: 4, out: '' });
});

test.each(['Europe/Kyiv', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'Asia/Ho_Chi_Minh'])(
  'stats hands on the name %s as it was typed, not the older one of Node',
  async (zone) => {
    const { code, out } = await cli(['stats', '--json', '--time-zone', zone]);

    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ timeZone: zone });
  },
);

test('stats says that a channel has no answers', async () => {
  const { code, out } = await cli(['stats', '--channel', 'telegram']);

  expect(code).toBe(0);
  expect(out).toBe('No answers on the channel "telegram" in the last 90 days.\n');
});

test.each([
  [['--channel', 'pigeon'], '--channel pigeon: expected web or telegram'],
  [['--days', '0'], '--days 0: expected a whole number from 1 to 3650'],
  [['--days', 'week'], '--days week: expected a whole number from 1 to 3650'],
  [['--time-zone', 'IST'], '--time-zone IST: expected a name like Europe/Berlin'],
  [['--time-zone', '+03:00'], '--time-zone +03:00: expected a name like Europe/Berlin'],
  [
    ['--time-zone', 'US/Pacific-New'],
    '--time-zone US/Pacific-New: this PostgreSQL does not know the name',
  ],
  [['--time-zone', 'Berlin'], '--time-zone Berlin: expected a name like Europe/Berlin'],
])('stats refuses %j in one sentence', async (args, sentence) => {
  const { code, err } = await cli(['stats', ...args]);

  expect(code).toBe(2);
  expect(err).toContain(sentence);
});
