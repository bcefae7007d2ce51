import type { ChannelName } from '../../src/channels';
import fc from 'fast-check';
import { TestBuffer } from './test-buffer';
import type { Fate } from './scripted-turns';

/** P1 to P7 and P9 of the buffer against PostgreSQL, on fake time. */

const RUNS = { numRuns: 100 };
const MAX_SIZE = 6;
const MAX_CHARS = 120;
const MAX_WAIT_MS = 30_000;

let setup: TestBuffer;
beforeAll(async () => {
  setup = await TestBuffer.open({
    INTERVIEW_BUFFER_MAX_SIZE: String(MAX_SIZE),
    INTERVIEW_BUFFER_MAX_CHARS: String(MAX_CHARS),
    INTERVIEW_BUFFER_MAX_WAIT: '30',
  });
  setup.clock.advance(60_000);
});
afterAll(() => setup.close());

type Action =
  | { readonly do: 'append'; readonly channel: ChannelName; readonly length: number }
  | { readonly do: 'type' | 'done' | 'tick' | 'deliver' }
  | { readonly do: 'wait'; readonly ms: number };

const append = fc.record({
  do: fc.constant('append' as const),
  channel: fc.constantFrom<ChannelName>('web', 'telegram'),
  length: fc.integer({ min: 8, max: 70 }),
});
const wait = fc.record({
  do: fc.constant('wait' as const),
  ms: fc.integer({ max: 12_000, min: 1 }),
});
const type = fc.constant({ do: 'type' } as const);
const done = fc.constant({ do: 'done' } as const);
const tick = fc.constant({ do: 'tick' } as const);
const deliver = fc.constant({ do: 'deliver' } as const);

let said = 0;

async function act(conversation: string, action: Action): Promise<void> {
  switch (action.do) {
    case 'append':
      said += 1;
      await setup.append(conversation, `#${said}`.padEnd(action.length, '.'), action);
      return;
    case 'type':
      await setup.type(conversation);
      return;
    case 'done':
      await setup.done(conversation);
      return;
    case 'tick':
      await setup.tick();
      return;
    case 'deliver':
      await setup.commit((tx) => setup.main.turns.deliver(tx, conversation));
      return;
    case 'wait':
      setup.clock.advance(action.ms);
  }
}

function actions(...of: fc.Arbitrary<Action>[]): fc.Arbitrary<Action[]> {
  return fc.array(fc.oneof(append, ...of), { minLength: 2, maxLength: 12 });
}

function check<T>(arbitrary: fc.Arbitrary<T>, claim: (value: T) => Promise<void>): Promise<void> {
  const property = fc.asyncProperty(arbitrary, async (value) => {
    await setup.reset();
    await claim(value);
  });
  return fc.assert(property, RUNS);
}

async function answerAll(): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    setup.clock.advance(MAX_WAIT_MS);
    await setup.tickAll();
  }
}

/** The texts of the model requests, in their order. */
function asked(): string[] {
  return setup.main.turns.requests.flatMap((request) => request.text.split('\n\n'));
}

async function textsInOrder(conversation: string): Promise<string[]> {
  const rows = await setup.sql<{ text: string }>(
    `select text from message where conversation_id = $1 and role = 'user' order by seq`,
    [conversation],
  );
  return rows.map((row) => row.text);
}

test('P1: messages keep the order of arrival, within a turn and across turns', () =>
  check(actions(wait, tick, done, type), async (schedule) => {
    const conversation = await setup.conversation();
    const first = said;
    for (const action of schedule) await act(conversation, action);
    await answerAll();

    const arrived = await textsInOrder(conversation);
    const count = schedule.filter((action) => action.do === 'append').length;
    const numbers = arrived.map((text) => Number(/\d+/.exec(text)?.[0]));
    expect(numbers).toEqual(Array.from({ length: count }, (_, index) => first + 1 + index));
    expect(asked()).toEqual(arrived);
  }));

test('P2: only a full buffer, Done or the longest wait makes a buffer due earlier', () =>
  check(actions(wait, type, done), async (schedule) => {
    const conversation = await setup.conversation();
    for (const action of schedule) {
      const [before] = await setup.jobs(conversation);
      await act(conversation, action);
      const [after] = await setup.jobs(conversation);
      if (action.do === 'done' || before?.due_at == null || after?.due_at == null) continue;
      const isFull = after.count >= MAX_SIZE || after.chars >= MAX_CHARS;
      if (!isFull) expect(after.due_at.getTime()).toBeGreaterThanOrEqual(before.due_at.getTime());
      const latest = after.first_at.getTime() + MAX_WAIT_MS;
      expect(after.due_at.getTime()).toBeLessThanOrEqual(latest);
    }
  }));

test('P3: activity opens no buffer and makes no buffer due earlier', () =>
  check(actions(wait, type, type, done, tick), async (schedule) => {
    const conversation = await setup.conversation();
    for (const action of schedule) {
      const before = await setup.jobs(conversation);
      const dueBeforeMs = await setup.dueInMs(conversation);
      await act(conversation, action);
      if (action.do !== 'type') continue;
      const after = await setup.jobs(conversation);
      const dueAfterMs = await setup.dueInMs(conversation);
      expect(after.map((job) => [job.id, job.state])).toEqual(
        before.map((job) => [job.id, job.state]),
      );
      expect(dueAfterMs ?? Infinity).toBeGreaterThanOrEqual(dueBeforeMs ?? Infinity);
    }
  }));

const fates = fc.array(
  fc.constantFrom<Fate>(
    'fails',
    'crashes_before_open',
    'crashes_after_open',
    'crashes_after_model',
    'crashes_after_close',
  ),
  { maxLength: 4 },
);

/** Lets each flush end as the fate says, with a new process after each. Returns the requests. */
async function play(schedule: readonly Fate[]): Promise<number> {
  let requests = 0;
  for (const fate of [...schedule, 'replied' as const]) {
    setup.main.turns.fates.push(fate);
    setup.clock.advance(600_000);
    await setup.tick();
    requests += setup.main.turns.requests.length;
    setup.crash();
  }
  return requests;
}

test('P4: an answer has one logical request and one reply, whatever fails or crashes', () =>
  check(fates, async (schedule) => {
    const conversation = await setup.conversation();
    const { answerId } = await setup.append(conversation, 'rye');

    const attempts = await play(schedule);

    const requests = await setup.sql(`select subject, n from llm_request`);
    expect(requests).toEqual([{ subject: `flush:${answerId}`, n: 1 }]);
    const replies = await setup.sql(`select text from message where role = 'assistant'`);
    expect(replies).toEqual([{ text: 're: rye' }]);
    expect(attempts).toBeLessThanOrEqual(schedule.length + 1);
    expect(await setup.job(answerId)).toMatchObject({ state: 'done' });
  }));

test('P5: a message is cleared exactly when its reply is delivered', () =>
  check(actions(wait, tick, tick, deliver, done), async (schedule) => {
    const conversation = await setup.conversation();
    setup.main.turns.deliversAtOnce = false;
    for (const action of schedule) {
      await act(conversation, action);
      const rows = await setup.sql(
        `select m.text from message m left join turn u on u.answer_id = m.answer_id
         where m.conversation_id = $1 and m.role = 'user'
           and (m.cleared_at is not null) <> (coalesce(u.state, '') = 'delivered')`,
        [conversation],
      );
      expect(rows).toEqual([]);
    }
  }));

test('P6: repeating a flush returns the same reply and makes no request', () =>
  check(fc.record({ again: fc.integer({ min: 1, max: 3 }), fates }), async ({ again, fates }) => {
    const conversation = await setup.conversation();
    const { answerId } = await setup.append(conversation, 'rye');
    await play(fates);
    const [answered] = await setup.turnsOf(conversation);

    for (let round = 0; round < again; round += 1) {
      await setup.sql(`update job set state = 'retry', due_at = $2, failures = 0 where id = $1`, [
        answerId,
        setup.clock.now(),
      ]);
      await setup.tick();
    }

    expect(setup.main.turns.requests).toEqual([]);
    expect(await setup.turnsOf(conversation)).toEqual([answered]);
    expect(answered).toMatchObject({ reply_text: 're: rye' });
  }));

test('P7: conversations and steps do not affect each other', () =>
  check(
    fc.array(fc.tuple(fc.boolean(), fc.oneof(append, wait, tick, done, type)), { maxLength: 14 }),
    async (schedule) => {
      const [one, two] = [await setup.conversation(), await setup.conversation()];
      for (const [isOne, action] of schedule) {
        const [mine, other] = isOne ? [one, two] : [two, one];
        const before = await setup.jobs(other);
        await act(mine, action);
        if (action.do !== 'tick') expect(await setup.jobs(other)).toEqual(before);
      }
      await answerAll();

      const mixed = await setup.sql(
        `select 1 from message m join job t on t.id = m.answer_id
         where t.key <> m.conversation_id::text`,
      );
      expect(mixed).toEqual([]);
      for (const conversation of [one, two]) {
        const turns = await setup.turnsOf(conversation);
        const replies = turns.map((turn) => turn.reply_text?.replace('re: ', '')).join('\n\n');
        expect(replies).toBe((await textsInOrder(conversation)).join('\n\n'));
        expect(turns.map((turn) => turn.interview_step)).toEqual(turns.map((_, step) => step));
      }
    },
  ));

test("P9: a message during a flush goes to the next step's buffer", () =>
  check(fc.integer({ min: 1, max: 4 }), async (count) => {
    const conversation = await setup.conversation();
    const first = await setup.append(conversation, 'rye');
    const during: string[] = [];
    setup.main.turns.whileAsked = async () => {
      setup.main.turns.whileAsked = () => Promise.resolve();
      for (let index = 0; index < count; index += 1) {
        during.push((await setup.append(conversation, `during ${index}`)).answerId);
      }
    };
    await answerAll();

    expect(new Set(during).size).toBe(1);
    expect(during).not.toContain(first.answerId);
    const turns = await setup.turnsOf(conversation);
    expect(turns.map((turn) => [turn.answer_id, turn.interview_step])).toEqual([
      [first.answerId, 0],
      [during[0], 1],
    ]);
    expect(turns[0]?.reply_text).toBe('re: rye');
  }));
