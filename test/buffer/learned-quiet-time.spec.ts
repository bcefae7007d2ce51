import fc from 'fast-check';
import { answerEnd, oddsOf } from '../../src/buffer/answer-pace';
import { TestBuffer } from './test-buffer';

const SETTING_MS = 4000;
const ENOUGH = 3;
const FLOOR_MS = 2000;
const CEILING_MS = 9000;
const MAX_WAIT_MS = 20_000;
const MAX_SIZE = 50;

let setup: TestBuffer;
let conversation: string;
beforeAll(async () => {
  setup = await TestBuffer.open({
    INTERVIEW_BUFFER_LEARNED_AFTER: String(ENOUGH),
    INTERVIEW_BUFFER_LEARNED_MIN: String(FLOOR_MS / 1000),
    INTERVIEW_BUFFER_LEARNED_MAX: String(CEILING_MS / 1000),
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
  readonly since: Date | null;
}

async function pace(of = conversation): Promise<PaceRow> {
  const [row] = await setup.sql<PaceRow>(
    `select paced_messages as messages, gaps, gap_mean as mean, gap_variance as variance,
       gap_since as since
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

/** As a closed turn does it. */
async function reply(of: string): Promise<void> {
  await setup.sql(
    `update conversation set interview_step = interview_step + 1, updated_at = $2 where id = $1`,
    [of, setup.clock.now()],
  );
}

function windowMs(of: {
  messages: number;
  gaps: number;
  mean: number;
  variance: number;
  odds: number;
  enough?: number | null;
}): Promise<number> {
  return setup
    .sql<{ ms: number }>(
      `select quiet_window_ms($1::float8, $2::int, $3::int, $4::float8, $5::float8, $6::float8,
         $7::int, $8::float8, $9::float8) as ms`,
      [
        SETTING_MS,
        of.messages,
        of.gaps,
        of.mean,
        of.variance,
        of.odds,
        of.enough === undefined ? ENOUGH : of.enough,
        FLOOR_MS,
        CEILING_MS,
      ],
    )
    .then(([row]) => row?.ms ?? Number.NaN);
}

const learned = fc.record({
  messages: fc.integer({ min: ENOUGH, max: 5000 }),
  gaps: fc.integer({ min: 0, max: 5000 }),
  mean: fc.double({ min: Math.log(250), max: Math.log(120_000), noNaN: true }),
  variance: fc.double({ min: 0, max: 10, noNaN: true }),
});

describe('the learned quiet time', () => {
  test('is within its bounds, and longer the less a message looks finished', async () => {
    await fc.assert(
      fc.asyncProperty(learned, async (known) => {
        const ms = await Promise.all(
          (['complete', 'unclear', 'unfinished'] as const).map((end) =>
            windowMs({ ...known, odds: oddsOf(end) }),
          ),
        );
        expect(ms).toEqual(ms.toSorted((a, b) => a - b));
        expect(Math.min(...ms)).toBeGreaterThanOrEqual(FLOOR_MS);
        expect(Math.max(...ms)).toBeLessThanOrEqual(CEILING_MS);
      }),
      { numRuns: 300 },
    );
  });

  test('is the setting until enough messages are known, and always when learning is off', async () => {
    await fc.assert(
      fc.asyncProperty(learned, async (known) => {
        const odds = oddsOf('unfinished');
        expect(await windowMs({ ...known, odds, messages: ENOUGH - 1 })).toBe(SETTING_MS);
        expect(await windowMs({ ...known, odds, enough: null })).toBe(SETTING_MS);
      }),
      { numRuns: 50 },
    );
  });

  test('is shorter for a quick writer than for a slow one', async () => {
    const slow = await setup.conversation();
    await write(conversation, [900, 1100, 1000, 800, 1000]);
    await write(slow, [3500, 3000, 3900, 3600, 3100]);

    const quickDue = await setup.append(conversation, 'and');
    const slowDue = await setup.append(slow, 'and');

    expect(quickDue.dueInMs).toBeLessThan(slowDue.dueInMs);
    expect(quickDue.dueInMs).toBeLessThan(SETTING_MS);
  });

  test('P2: no later message and no typing makes an answer due earlier, or later than the longest wait', async () => {
    const action = fc.record({
      afterMs: fc.integer({ min: 0, max: 6000 }),
      text: fc.constantFrom('Yes.', 'and', 'so, (', 'words'),
      isTyping: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 2, maxLength: 12 }), async (actions) => {
        await setup.reset();
        const of = await setup.conversation();
        for (const { afterMs, text, isTyping } of actions) {
          setup.clock.advance(afterMs);
          const [before] = await setup.jobs(of);
          const known = await pace(of);
          if (isTyping) await setup.type(of);
          else await setup.append(of, text);
          const [after] = await setup.jobs(of);
          if (after?.due_at == null) continue;
          const latestMs = after.first_at.getTime() + MAX_WAIT_MS;
          expect(after.due_at.getTime()).toBeLessThanOrEqual(latestMs);
          if (before?.due_at != null && after.count < MAX_SIZE) {
            expect(after.due_at.getTime()).toBeGreaterThanOrEqual(before.due_at.getTime());
          }
          const leastMs = known.messages < ENOUGH ? SETTING_MS : FLOOR_MS;
          const quietMs = setup.clock.now().getTime() + leastMs;
          if (!isTyping) {
            expect(after.due_at.getTime()).toBeGreaterThanOrEqual(Math.min(quietMs, latestMs));
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

    const { messages, gaps, mean } = await pace();

    expect({ messages, gaps }).toEqual({ messages: 3, gaps: 2 });
    expect(Math.exp(mean)).toBeCloseTo(Math.sqrt(1000 * 2000), 3);
  });

  test('is not counted across a reply', async () => {
    await setup.append(conversation, 'words');
    setup.clock.advance(3000);
    await reply(conversation);
    setup.clock.advance(9000);

    await setup.append(conversation, 'The next answer.');

    expect(await pace()).toMatchObject({ messages: 2, gaps: 0 });
  });

  test('is counted across a reply that came while the message was being typed', async () => {
    await setup.append(conversation, 'words');
    setup.clock.advance(3000);
    await reply(conversation);
    setup.clock.advance(1500);

    await setup.append(conversation, 'A message that takes longer than that.');

    expect(await pace()).toMatchObject({ messages: 2, gaps: 1 });
  });

  test('ends at the first sign of typing, and later signs count nothing', async () => {
    await setup.append(conversation, 'words');
    setup.clock.advance(1000);
    await setup.type(conversation);
    const typed = await pace();
    setup.clock.advance(2000);
    await setup.type(conversation);
    setup.clock.advance(1000);
    await setup.append(conversation, 'words');

    expect(typed).toMatchObject({ gaps: 1, since: null });
    expect(Math.exp(typed.mean)).toBeCloseTo(1000, 3);
    expect(await pace()).toMatchObject({ messages: 2, gaps: 1, mean: typed.mean });
  });

  test('is not changed by a redelivery or a correction', async () => {
    await write(conversation, [1500], 'words');
    const redelivered = await setup.append(conversation, 'again', { externalId: 'same' });
    const before = await pace();
    setup.clock.advance(1000);

    const second = await setup.append(conversation, 'again', { externalId: 'same' });

    expect(second).toMatchObject({ isNew: false, messageId: redelivered.messageId });
    expect(await pace()).toEqual(before);
    setup.clock.advance(60_000);
    await setup.tick();
    expect(await setup.edit(conversation, 'same', 'corrected')).toBe('amendment');
    expect(await pace()).toEqual(before);
  });

  test('is not counted when learning is off', async () => {
    const { buffer } = setup.another({ INTERVIEW_BUFFER_LEARNING: 'false' });
    for (const externalId of ['1', '2', '3', '4', '5']) {
      const message = { conversationId: conversation, channel: 'web', text: 'and' } as const;
      const { dueInMs } = await setup.commit((tx) => buffer.append(tx, { ...message, externalId }));
      expect(dueInMs).toBe(SETTING_MS);
      setup.clock.advance(500);
    }

    expect(await pace()).toMatchObject({ messages: 0, gaps: 0, since: null });
  });

  test('is counted anew on another channel', async () => {
    await setup.sql(
      `update conversation set consent_accepted = true, status = 'active' where id = $1`,
      [conversation],
    );
    await write(conversation, [1000, 1000, 1000]);

    await setup.commit((tx) =>
      setup.buffer.receive(tx, {
        conversationId: conversation,
        channel: 'telegram',
        externalId: 't',
        text: 'now here',
      }),
    );

    expect(await pace()).toMatchObject({ messages: 1, gaps: 0 });
  });
});

describe('the end of a message', () => {
  test.each([
    ['That is all.', 'complete'],
    ['Would that do?', 'complete'],
    ['Он сам позвонил)', 'complete'],
    ['He said «yes.» ', 'complete'],
    ['First I checked the logs,', 'unfinished'],
    ['There were two reasons —', 'unfinished'],
    ['and then...', 'unfinished'],
    ['we moved it (with a script', 'unfinished'],
    ['I fixed it and', 'unfinished'],
    ['сначала проверяю логи, потом и', 'unfinished'],
    ['I worked there for two years', 'unclear'],
    ['', 'unclear'],
    ['👍', 'unclear'],
  ])('"%s" is %s', (text, end) => {
    expect(answerEnd(text)).toBe(end);
  });

  // So the search for the last sign stays short: on blanks its time grows with the square of the length.
  test.each([16_000, 160_000])(
    'is found in the last characters alone, behind %d blanks',
    (count) => {
      const blanks = ' '.repeat(count);

      expect(answerEnd(`${blanks}x`)).toBe('unclear');
      // A bracket that is open at the start would make a text unfinished, if it was read.
      expect(answerEnd(`(${blanks}x`)).toBe('unclear');
    },
  );
});
