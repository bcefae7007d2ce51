import type { SendOutcome } from '../../src/channels';
import fc from 'fast-check';
import { TestDelivery, type Said } from './test-delivery';

/** Random outcomes of sends and random crashes of processes. */

const RUNS = { numRuns: 100 };
const CHATS = ['red', 'blue'] as const;
const STEP_MS = 7000;

let setup: TestDelivery;
const conversations = new Map<string, string>();

beforeAll(async () => {
  setup = await TestDelivery.open();
  for (const chat of CHATS) conversations.set(chat, await setup.conversation(chat));
});
afterAll(() => setup.close());

type Fate = SendOutcome['kind'] | 'crash';

const fate = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Fate>('sent') },
  { weight: 4, arbitrary: fc.constantFrom<Fate>('unknown', 'server_error', 'not_sent', 'crash') },
  { weight: 2, arbitrary: fc.constantFrom<Fate>('paused', 'unavailable') },
  { weight: 1, arbitrary: fc.constantFrom<Fate>('refused', 'blocked') },
);
const message = fc.record({
  chat: fc.constantFrom(...CHATS),
  parts: fc.integer({ min: 1, max: 3 }),
  kind: fc.constantFrom('reply' as const, 'reply' as const, 'notice' as const),
  worksFirst: fc.boolean(),
});

interface Send {
  readonly plain: string;
  readonly fate: Fate;
}

/** Lets the channel return these outcomes in order, and accept everything after them. */
function play(fates: readonly Fate[]): Send[] {
  const sends: Send[] = [];
  const left = [...fates];
  const { channel } = setup;
  const outcomeFor = (plain: string): SendOutcome | Promise<SendOutcome> => {
    const next = left.shift() ?? 'sent';
    sends.push({ plain, fate: next });
    return next === 'crash' ? channel.crash(UNUSED, UNUSED_SIGNAL) : outcomeOf(next, sends.length);
  };
  for (let send = 0; send < 100; send += 1) channel.next((part) => outcomeFor(part.plain));
  return sends;
}

async function workOn(): Promise<void> {
  await setup.work();
  if (setup.channel.hanging > 0) setup.crash();
}

async function isOver(): Promise<boolean> {
  const live = await setup.sql(
    `select 1 from delivery where state in ('pending', 'sending', 'unknown') limit 1`,
  );
  return live.length === 0;
}

test('confirmed parts arrive in order and once, every part ends, every turn is delivered at most once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { minLength: 1, maxLength: 4 }),
      fc.array(fate, { maxLength: 14 }),
      async (messages, fates) => {
        await setup.reset();
        const sends = play(fates);
        const said: Said[] = [];
        for (const [index, { chat, parts, kind, worksFirst }] of messages.entries()) {
          if (worksFirst) await workOn();
          const text = [0, 1, 2].slice(0, parts).map((part) => `${chat} ${index}.${part}`);
          said.push(await setup.say(conversations.get(chat) ?? '', text.join('|'), kind));
        }
        for (let step = 0; step < 80 && !(await isOver()); step += 1) {
          await workOn();
          setup.clock.advance(STEP_MS);
        }
        await check(said, sends);
      },
    ),
    RUNS,
  );
}, 300_000);

async function check(said: readonly Said[], sends: readonly Send[]): Promise<void> {
  expect(await isOver()).toBe(true);
  for (const chat of CHATS) {
    const ofChat = sends.filter(({ plain }) => plain.startsWith(chat)).map(({ plain }) => plain);
    expect(ofChat).toEqual([...ofChat].sort());
  }
  const accepted = sends.filter(({ fate: end }) => end === 'sent').map(({ plain }) => plain);
  expect(new Set(accepted).size).toBe(accepted.length);
  for (const plain of new Set(sends.map((send) => send.plain))) {
    const ends = sends.filter((send) => send.plain === plain).map((send) => send.fate);
    expect(ends.filter((end) => end === 'unknown' || end === 'crash').length).toBeLessThan(3);
    expect(ends.filter((end) => end === 'server_error').length).toBeLessThan(6);
    expect(ends.filter((end) => end === 'not_sent').length).toBeLessThan(6);
  }
  for (const one of said) await checkMessage(one, accepted);
}

async function checkMessage(said: Said, accepted: readonly string[]): Promise<void> {
  const parts = await setup.parts(said);
  for (const part of parts) {
    expect(part.state === 'sent' && part.confirmed).toBe(accepted.includes(part.words));
  }
  const isSent = parts.every(({ state }) => state === 'sent');
  const delivered = (await setup.eventsOf(said.conversationId)).filter(
    ({ what, about }) => what === 'delivered' && about === said.turnId,
  );
  expect(delivered).toHaveLength(isSent && said.turnId !== null ? 1 : 0);
}

function outcomeOf(kind: SendOutcome['kind'], number: number): SendOutcome {
  switch (kind) {
    case 'sent':
      return { kind, externalId: `m${number}` };
    case 'unknown':
      return { kind };
    case 'paused':
      return { kind, forMs: 10_000 };
    case 'not_sent':
    case 'server_error':
    case 'blocked':
    case 'refused':
    case 'unavailable':
      return { kind, error: kind };
  }
}

const UNUSED_SIGNAL = new AbortController().signal;
const UNUSED = {
  chat: '',
  text: '',
  plain: '',
  messageId: '',
  part: 0,
  isLast: true,
  language: 'en',
  isAnswerable: true,
  kind: 'reply',
} as const;
