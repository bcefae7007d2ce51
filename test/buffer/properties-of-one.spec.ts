import fc from 'fast-check';
import { TestBuffer } from './test-buffer';

/** P8 and P10 of the buffer: one message and one buffer. */

const TTL_MS = 3_600_000;

let setup: TestBuffer;
beforeAll(async () => {
  setup = await TestBuffer.open();
});
afterAll(() => setup.close());

function check<T>(arbitrary: fc.Arbitrary<T>, claim: (value: T) => Promise<void>): Promise<void> {
  const property = fc.asyncProperty(arbitrary, async (value) => {
    await setup.reset();
    await claim(value);
  });
  return fc.assert(property, { numRuns: 100 });
}

const INVISIBLE = [' ', '\n', '\t', '\u00a0', '\u200b', '\u200d', '\ufeff', '\u2060', '\u3164'];

test('P8: a blank text is refused and stores nothing; one visible character is accepted', () =>
  check(
    fc.record({
      blank: fc.array(fc.constantFrom(...INVISIBLE), { maxLength: 8 }),
      visible: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
    }),
    async ({ blank, visible }) => {
      const conversation = await setup.conversation();
      const refused = setup.append(conversation, blank.join(''));
      await expect(refused).rejects.toMatchObject({ code: 'blank_message' });
      expect(await setup.jobs(conversation)).toEqual([]);
      fc.pre(/[\p{L}\p{N}\p{P}\p{S}]/u.test(visible.replace(/[\u2800\u3164]/g, '')));

      await setup.append(conversation, `${blank.join('')}${visible}`);

      expect(await setup.texts(conversation)).toEqual([`${blank.join('')}${visible}`]);
    },
  ));

test('P10: an answer expires only if it was tried, is older than the TTL and has no reply', () =>
  check(
    fc.record({
      ageMs: fc.integer({ min: 1, max: 3 * TTL_MS }),
      state: fc.constantFrom('open', 'running', 'retry', 'dead', 'done'),
      failures: fc.integer({ min: 0, max: 2 }),
      turn: fc.constantFrom('none', 'opened', 'replied', 'delivered', 'failed'),
    }),
    async ({ ageMs, state, failures, turn }) => {
      const conversation = await setup.conversation();
      const { answerId } = await setup.append(conversation, 'rye');
      await setup.sql(`update job set state = $2, failures = $3 where id = $1`, [
        answerId,
        state,
        failures,
      ]);
      if (turn !== 'none') {
        await setup.sql(
          `insert into turn (answer_id, conversation_id, interview_step, channel, state,
             message_count, reply_message_id, started_at)
           values ($1, $2, 0, 'web', $3, 1, gen_random_uuid(), now())`,
          [answerId, conversation, turn],
        );
      }
      setup.clock.advance(ageMs);

      const count = await setup.main.sweep.run();

      const wasTried = state === 'dead' || (state === 'retry' && failures > 0);
      const hasReply = turn === 'replied' || turn === 'delivered';
      expect(count).toBe(wasTried && !hasReply && ageMs > TTL_MS ? 1 : 0);
      expect(await setup.waiting(conversation)).toHaveLength(1 - count);
    },
  ));
