import fc from 'fast-check';
import { LEARNED, ODDS_IN_ORDER } from '../../src/buffer/answer-pace';
import type { ChannelName } from '../../src/channels';
import { withConstants } from '../support/constants';
import { settingsForTests } from '../support/settings';
import { TestBuffer } from './test-buffer';

const SETTING_MS = 4000;
const ENOUGH = 3;
const FLOOR_MS = 2000;
const CEILING_MS = 9000;
const MAX_WAIT_MS = 20_000;
const MAX_SIZE = 50;

let setup: TestBuffer;
let conversation: string;
withConstants(LEARNED, { enough: ENOUGH, floorMs: FLOOR_MS, ceilingMs: CEILING_MS });
beforeAll(async () => {
  setup = await TestBuffer.open({
    INTERVIEW_BUFFER_MAX_WAIT: String(MAX_WAIT_MS / 1000),
    INTERVIEW_BUFFER_MAX_SIZE: String(MAX_SIZE),
  });
});
beforeEach(async () => {
  conversation = await setup.conversation();
});
afterEach(() => setup.reset());
afterAll(() => setup.close());

interface PaceRow {
  readonly messages: number;
  readonly gaps: number;
  readonly mean: number;
  readonly variance: number;
  /** After a message that looks complete, unclear or unfinished, without the bounds. */
  readonly quietMs: readonly number[] | null;
}

async function pace(of = conversation): Promise<PaceRow> {
  const [row] = await setup.sql<PaceRow>(
    `select paced_messages as messages, gaps, gap_mean as mean, gap_variance as variance,
       quiet_ms as "quietMs"
     from conversation where id = $1`,
    [of],
  );
  if (row === undefined) throw new Error('there is no such conversation');
  return row;
}

/** Messages with this many milliseconds between them. */
async function write(of: string, gapsMs: readonly number[], text = 'words'): Promise<void> {
  await setup.append(of, text);
  for (const gapMs of gapsMs) {
    setup.clock.advance(gapMs);
    await setup.append(of, text);
  }
}

/** As the commit does it that opens the turn of an answer. */
function learn(of = conversation, channel: ChannelName = 'web'): Promise<void> {
  return setup.commit((tx) => setup.buffer.learnQuietTime(tx, { conversationId: of, channel }));
}

/** The answer of the page is claimed, and the candidate has opened the interview in Telegram. */
async function elsewhere(): Promise<string> {
  await setup.sql(`update conversation set channel = 'telegram' where id = $1`, [conversation]);
  await setup.sql(`update job set state = 'done', due_at = null where key = $1`, [conversation]);
  return conversation;
}

let replies = 0;

/** A reply to what was written so far is stored now. */
async function reply(of: string): Promise<void> {
  replies += 1;
  await setup.sql(
    `insert into turn (answer_id, conversation_id, interview_step, channel, message_count,
       reply_message_id, started_at, replied_at, state)
     values ($1, $2, 0, 'web', 1, gen_random_uuid(), $3, $3, 'delivered')`,
    [-replies, of, setup.clock.now()],
  );
}

async function quietMs(of: Omit<PaceRow, 'quietMs'> & { odds: number }): Promise<number> {
  const { ms } = await setup.one<{ ms: number }>(
    `select quiet_time_ms($1::float8, $2::int, $3::int, $4::float8, $5::float8, $6::float8) as ms`,
    [SETTING_MS, of.messages, of.gaps, of.mean, of.variance, of.odds],
  );
  return ms;
}

const learned = fc.record({
  messages: fc.integer({ min: ENOUGH, max: 5000 }),
  gaps: fc.integer({ min: 0, max: 5000 }),
  mean: fc.double({ min: Math.log(250), max: Math.log(120_000), noNaN: true }),
  variance: fc.double({ min: 0, max: 10, noNaN: true }),
});

describe('the learned quiet time', () => {
  test('is longer the less a message looks finished', async () => {
    await fc.assert(
      fc.asyncProperty(learned, async (known) => {
        const ms = await Promise.all(ODDS_IN_ORDER.map((odds) => quietMs({ ...known, odds })));
        expect(ms).toEqual(ms.toSorted((a, b) => a - b));
        expect(Math.min(...ms)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 300 },
    );
  });

  test('is the one of how the message ends, within its bounds', async () => {
    const cases = [
      ['Yes.', [3000, 4000, 5000], 3000],
      ['words', [3000, 4000, 5000], 4000],
      ['and', [3000, 4000, 5000], 5000],
      ['Yes.', [FLOOR_MS - 1, 4000, 5000], FLOOR_MS],
      ['and', [3000, 4000, CEILING_MS + 1], CEILING_MS],
    ] as const;
    for (const [text, quiet, expected] of cases) {
      const of = await setup.conversation();
      await setup.sql(
        `update conversation set quiet_ms = $2, quiet_channel = 'web' where id = $1`,
        [of, quiet],
      );

      expect((await setup.append(of, text)).dueInMs).toBe(expected);
    }
  });

  test('is the setting until enough messages are known', async () => {
    await write(conversation, Array<number>(ENOUGH - 2).fill(500));
    await learn();
    expect((await setup.append(conversation, 'and')).dueInMs).toBe(SETTING_MS);

    await learn();

    expect((await setup.append(conversation, 'and')).dueInMs).not.toBe(SETTING_MS);
  });

  test('changes only when an answer is claimed', async () => {
    await write(conversation, [900, 1100, 1000, 800, 1000]);

    expect((await setup.append(conversation, 'and')).dueInMs).toBe(SETTING_MS);
    expect(await pace()).toMatchObject({ messages: 0, quietMs: null });
  });

  test('is shorter for a quick writer than for a slow one', async () => {
    const slow = await setup.conversation();
    await write(conversation, [900, 1100, 1000, 800, 1000]);
    await write(slow, [3500, 3000, 3900, 3600, 3100]);
    await learn();
    await learn(slow);

    const quick = await pace();
    const slowly = await pace(slow);

    expect(quick.quietMs).toHaveLength(ODDS_IN_ORDER.length);
    for (const [n, ms] of quick.quietMs?.entries() ?? []) {
      expect(ms).toBeLessThan(slowly.quietMs?.[n] ?? 0);
    }
  });

  test('P2: no later message and no typing makes an answer due earlier, or later than the longest wait', async () => {
    const action = fc.record({
      afterMs: fc.integer({ min: 0, max: 6000 }),
      text: fc.constantFrom('Yes.', 'and', 'so, (', 'words'),
      does: fc.constantFrom('writes', 'types', 'is claimed'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 2, maxLength: 12 }), async (actions) => {
        await setup.reset();
        const of = await setup.conversation();
        for (const { afterMs, text, does } of actions) {
          setup.clock.advance(afterMs);
          const [before] = await setup.jobs(of);
          const known = await pace(of);
          // Learning is as if an earlier answer were claimed: it changes no timer.
          if (does === 'is claimed') await learn(of);
          else if (does === 'types') await setup.type(of);
          else await setup.append(of, text);
          const [after] = await setup.jobs(of);
          if (after?.due_at == null) continue;
          const latestMs = after.first_at.getTime() + MAX_WAIT_MS;
          expect(after.due_at.getTime()).toBeLessThanOrEqual(latestMs);
          if (before?.due_at != null && after.count < MAX_SIZE) {
            expect(after.due_at.getTime()).toBeGreaterThanOrEqual(before.due_at.getTime());
          }
          const leastMs = known.quietMs === null ? SETTING_MS : FLOOR_MS;
          const quietAtMs = setup.clock.now().getTime() + leastMs;
          if (does === 'writes') {
            expect(after.due_at.getTime()).toBeGreaterThanOrEqual(Math.min(quietAtMs, latestMs));
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a pause', () => {
  test('is counted between messages of one answer', async () => {
    await write(conversation, [1000, 2000]);
    await learn();

    const { messages, gaps, mean, variance } = await pace();

    expect({ messages, gaps }).toEqual({ messages: 3, gaps: 2 });
    expect(Math.exp(mean)).toBeCloseTo(Math.sqrt(1000 * 2000), 3);
    expect(variance).toBeCloseTo(((Math.log(2000) - Math.log(1000)) / 2) ** 2, 6);
  });

  test('is counted once, however often and whenever an answer is claimed', async () => {
    const often = await setup.conversation();
    const gapsMs = [1000, 2000, 700, 4000, 1500, 900];
    for (const id of [conversation, often]) {
      await setup.append(id, 'words');
      for (const gapMs of gapsMs) {
        setup.clock.advance(gapMs);
        await setup.append(id, 'words');
        if (id === conversation) continue;
        await learn(id);
        await learn(id);
      }
    }
    await learn();

    const once = await pace();
    const repeatedly = await pace(often);

    expect(once).toMatchObject({ messages: 7, gaps: 6 });
    expect(repeatedly).toMatchObject({ messages: 7, gaps: 6 });
    expect(repeatedly.mean).toBeCloseTo(once.mean, 9);
    expect(repeatedly.variance).toBeCloseTo(once.variance, 9);
  });

  test('is not counted across a reply', async () => {
    await setup.append(conversation, 'words');
    setup.clock.advance(3000);
    await reply(conversation);
    setup.clock.advance(9000);
    await setup.append(conversation, 'The next answer.');
    await learn();

    expect(await pace()).toMatchObject({ messages: 2, gaps: 0 });
  });

  test('is counted across a reply that came while the message was being typed', async () => {
    await setup.append(conversation, 'words');
    setup.clock.advance(3000);
    await reply(conversation);
    setup.clock.advance(1500);
    await setup.append(conversation, 'A message that takes longer than that.');
    await learn();

    expect(await pace()).toMatchObject({ messages: 2, gaps: 1 });
  });

  test('is counted across a claim', async () => {
    await setup.append(conversation, 'words');
    await learn();
    setup.clock.advance(2500);
    await setup.append(conversation, 'words');
    await learn();

    const { messages, gaps, mean } = await pace();

    expect({ messages, gaps }).toEqual({ messages: 2, gaps: 1 });
    expect(Math.exp(mean)).toBeCloseTo(2500, 3);
  });

  test('ends at the first sign of typing, and later signs change nothing', async () => {
    await setup.append(conversation, 'words');
    setup.clock.advance(1000);
    await setup.type(conversation);
    setup.clock.advance(2000);
    await setup.type(conversation);
    setup.clock.advance(1000);
    await setup.append(conversation, 'words');
    await learn();

    const { messages, gaps, mean } = await pace();

    expect({ messages, gaps }).toEqual({ messages: 2, gaps: 1 });
    expect(Math.exp(mean)).toBeCloseTo(1000, 3);
  });

  test('is counted when typing had begun before a reply came', async () => {
    await setup.append(conversation, 'words');
    setup.clock.advance(1000);
    await setup.type(conversation);
    setup.clock.advance(1000);
    await reply(conversation);
    setup.clock.advance(60_000);
    await setup.append(conversation, 'words');
    await learn();

    const { messages, gaps, mean } = await pace();

    expect({ messages, gaps }).toEqual({ messages: 2, gaps: 1 });
    expect(Math.exp(mean)).toBeCloseTo(1000, 3);
  });

  test('is not counted for typing after which nothing was sent', async () => {
    await setup.append(conversation, 'words');
    setup.clock.advance(1000);
    await setup.type(conversation);
    await learn();

    expect(await pace()).toMatchObject({ messages: 1, gaps: 0 });
  });

  test('is not changed by a redelivery or a correction', async () => {
    await write(conversation, [1500], 'words');
    const redelivered = await setup.append(conversation, 'again', { externalId: 'same' });
    await learn();
    const before = await pace();
    setup.clock.advance(1000);

    const second = await setup.append(conversation, 'again', { externalId: 'same' });

    expect(second).toMatchObject({ isNew: false, messageId: redelivered.messageId });
    await learn();
    expect(await pace()).toEqual(before);
    setup.clock.advance(60_000);
    await setup.tick();
    expect(await setup.edit(conversation, 'same', 'corrected')).toBe('amendment');
    await learn();
    expect(await pace()).toEqual(before);
  });

  test('is not counted when learning is off', async () => {
    const { buffer } = setup.another({ INTERVIEW_BUFFER_LEARNING: 'false' });
    await setup.sql(
      `update conversation set quiet_ms = '{2500,2500,2500}', quiet_channel = 'web' where id = $1`,
      [conversation],
    );
    for (const externalId of ['1', '2', '3', '4', '5']) {
      const message = { conversationId: conversation, channel: 'web', text: 'and' } as const;
      const { dueInMs } = await setup.commit((tx) => buffer.append(tx, { ...message, externalId }));
      expect(dueInMs).toBe(SETTING_MS);
      setup.clock.advance(500);
    }
    await setup.commit((tx) =>
      buffer.learnQuietTime(tx, { conversationId: conversation, channel: 'web' }),
    );

    expect(await pace()).toMatchObject({ messages: 0, gaps: 0 });
  });

  test('is counted anew on another channel, whose first messages wait for the setting', async () => {
    await write(conversation, [1000, 1000, 1000]);
    await learn();
    expect((await pace()).quietMs).not.toBeNull();

    const { dueInMs } = await setup.append(await elsewhere(), 'now here', { channel: 'telegram' });

    expect(dueInMs).toBe(settingsForTests().buffer.debounceMs);
    await learn(conversation, 'telegram');
    expect(await pace()).toMatchObject({ messages: 1, gaps: 0, quietMs: null });
  });

  test('of another channel does not set the quiet time of the present one', async () => {
    await write(conversation, [20_000, 20_000, 20_000]);
    await elsewhere();
    await learn(conversation, 'telegram');
    expect(await pace()).toMatchObject({ messages: 4, gaps: 3 });

    const { dueInMs } = await setup.append(conversation, 'now here', { channel: 'telegram' });

    expect(dueInMs).toBe(settingsForTests().buffer.debounceMs);
  });

  test('is counted as if typed after the reply when the message was edited', async () => {
    await setup.append(conversation, 'words');
    setup.clock.advance(1000);
    await reply(conversation);
    setup.clock.advance(40_000);
    await setup.append(conversation, 'ok', { externalId: 'edited' });
    await setup.edit(conversation, 'edited', 'ok, and more '.repeat(40));
    await learn();

    expect(await pace()).toMatchObject({ messages: 2, gaps: 0 });
  });

  test('is learned from the last lines only where there are hundreds', async () => {
    await write(conversation, [1000, 1000]);
    await setup.sql('update conversation set last_seq = last_seq + 399 where id = $1', [
      conversation,
    ]);

    await learn();

    expect(await pace()).toMatchObject({ messages: 2, gaps: 1 });
  });
});
