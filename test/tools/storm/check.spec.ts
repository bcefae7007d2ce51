import { check, checkSoFar } from '../../../tools/storm/check';
import type {
  OutsideFacts,
  SeenPage,
  StoredDelivery,
  StoredFacts,
  StoredMessage,
  StoredTurn,
  Violation,
} from '../../../tools/storm/facts';
import { frozenMsBetween } from '../../../tools/storm/frozen-time';
import type { ModelCall } from '../../../tools/storm/storm-model';
import type { SentToken } from '../../../tools/storm/tokens';

const ORIGIN_MS = 1_000_000;
const TOKEN = 'qxaaaaaa';
const CALL = 'zxaaaaaa';
const REPLY = `Noted ${TOKEN} as ${CALL}.`;

const answer: StoredMessage = {
  id: 'm1',
  conversationId: 'c1',
  seq: 1,
  role: 'user',
  text: `My answer is ${TOKEN}`,
  turnId: '1',
  isCleared: true,
};
const reply: StoredMessage = { ...answer, id: 'r1', seq: 2, role: 'assistant', text: REPLY };
const turn: StoredTurn = {
  id: '1',
  subject: 'flush:1',
  conversationId: 'c1',
  state: 'delivered',
  mergedInto: null,
  replyMessageId: 'r1',
  startedMs: ORIGIN_MS + 100,
  repliedMs: ORIGIN_MS + 200,
};
const call: ModelCall = {
  name: CALL,
  tokens: [TOKEN],
  beganMs: 110,
  endedMs: 190,
  outcome: 'completed',
};
const sent: SentToken = { token: TOKEN, channel: 'web', candidate: 1, acknowledgedMs: 2 };
const page: SeenPage = {
  candidate: 1,
  conversationId: 'c1',
  streamed: new Map([['r1', { text: REPLY, isFinished: true }]]),
  ended: new Map([['r1', new Set([REPLY])]]),
  readUpToSeq: 0,
  lines: new Set(),
  arrivals: new Map([['r1', { atMs: 210, openSinceMs: 0 }]]),
  transcript: new Map([['r1', REPLY]]),
  endedInside: 0,
};
const delivery: StoredDelivery = {
  id: '1',
  messageId: 'r1',
  chat: '5',
  state: 'sent',
  isConfirmed: true,
  attempts: ['sent'],
};

const seen: OutsideFacts = {
  tokens: [sent],
  calls: [call],
  seenByModel: new Set([TOKEN]),
  onlookers: { unconsented: [], askedForPerson: [] },
  invited: [],
  chats: new Map(),
  pages: [page],
  erased: new Set(),
  notionStartsMs: [],
  frozen: [],
  stalls: [],
  timeOriginMs: ORIGIN_MS,
};

/** One answer that is replied to as it should be, with the given differences. */
function facts(
  stored: Partial<StoredFacts> = {},
  outside: Partial<OutsideFacts> = {},
): Violation[] {
  return check(
    {
      messages: [answer, reply],
      turns: [turn],
      deliveries: [],
      requests: [{ subject: 'flush:1', attempts: 1 }],
      attention: [],
      stranded: [],
      invitations: [],
      ...stored,
    },
    { ...seen, ...outside },
  );
}

function rulesOf(violations: readonly Violation[]): string[] {
  return violations.map(({ rule }) => rule);
}

test('an answer that was replied to once breaks no promise', () => {
  expect(facts()).toEqual([]);
});

test.each<[string, string, Violation[]]>([
  ['a lost message', 'I1', facts({ messages: [reply] })],
  [
    'a message that is stored twice',
    'I1',
    facts({ messages: [answer, { ...answer, id: 'm2' }, reply] }),
  ],
  [
    'a message without a turn',
    'I1',
    facts({ messages: [{ ...answer, turnId: null, isCleared: false }] }),
  ],
  ['a message that waits without a job', 'I1', facts({ stranded: ['c1'] })],
  ['a turn that was never delivered', 'I1', facts({ turns: [{ ...turn, state: 'replied' }] })],
  [
    'a reply of a request that did not complete',
    'I2',
    facts({}, { calls: [{ ...call, outcome: 'failed' }] }),
  ],
  [
    'a second logical request',
    'I2',
    facts({
      requests: [
        { subject: 'flush:1', attempts: 1 },
        { subject: 'flush:1', attempts: 1 },
      ],
    }),
  ],
  ['a request that is not in the ledger', 'I2', facts({ requests: [] })],
  [
    'a reply that leaves a message out',
    'I2',
    facts({ messages: [answer, { ...answer, id: 'm2', text: 'And qxbbbbbb' }, reply] }),
  ],
  [
    'a request after the reply was stored',
    'I7',
    facts(
      { requests: [{ subject: 'flush:1', attempts: 2 }] },
      { calls: [call, { ...call, name: 'zxbbbbbb', beganMs: 5000 }] },
    ),
  ],
  [
    'a message that is cleared before its reply is delivered',
    'I5',
    facts({ turns: [{ ...turn, state: 'replied' }] }),
  ],
  [
    'a text on the page that differs from the stored one',
    'page',
    facts(
      {},
      { pages: [{ ...page, streamed: new Map([['r1', { text: 'Noted', isFinished: true }]]) }] },
    ),
  ],
  [
    'a reply that never ended on the page',
    'page',
    facts(
      {},
      { pages: [{ ...page, streamed: new Map([['r1', { text: REPLY, isFinished: false }]]) }] },
    ),
  ],
  [
    'a reply that never reached the page',
    'page',
    facts({}, { pages: [{ ...page, streamed: new Map() }] }),
  ],
  [
    'a stream that ended cleanly inside a reply',
    'page',
    facts({}, { pages: [{ ...page, endedInside: 1 }] }),
  ],
  [
    'a reply that reached an open page very late',
    'page',
    facts(
      {},
      { pages: [{ ...page, arrivals: new Map([['r1', { atMs: 60_000, openSinceMs: 0 }]]) }] },
    ),
  ],
  [
    'a fourth call of Notion in a second, and more',
    'I8',
    facts({}, { notionStartsMs: [1, 2, 3, 4, 5, 6] }),
  ],
])('finds %s', (_, rule, violations) => {
  expect(rulesOf(violations)).toContain(rule);
});

test('a page reads itself what was stored before its stream was opened without an id', () => {
  const missing = { ...page, streamed: new Map() };
  expect(facts({}, { pages: [{ ...missing, readUpToSeq: reply.seq }] })).toEqual([]);
  expect(facts({}, { pages: [{ ...missing, readUpToSeq: null }] })).toEqual([]);
});

test('a reply is not late because of the time for which a replica was frozen', () => {
  const late = [{ ...page, arrivals: new Map([['r1', { atMs: 17_000, openSinceMs: 0 }]]) }];
  expect(rulesOf(facts({}, { pages: late }))).toContain('page');
  expect(facts({}, { pages: late, frozen: [{ fromMs: 1000, toMs: 9000 }] })).toEqual([]);
});

test('a frozen replica may send one call of Notion more when it goes on', () => {
  const frozen = [{ fromMs: -5000, toMs: 1 }];
  expect(facts({}, { notionStartsMs: [1, 2, 3, 4] })).toEqual([]);
  expect(rulesOf(facts({}, { notionStartsMs: [1, 2, 3, 4, 5] }))).toEqual(['I8']);
  expect(facts({}, { notionStartsMs: [1, 2, 3, 4, 5], frozen })).toEqual([]);
  expect(rulesOf(facts({}, { notionStartsMs: [1, 2, 3, 4, 5, 6], frozen }))).toEqual(['I8']);
});

test('a call of Notion that was noted after a stall may have arrived at its beginning', () => {
  const notionStartsMs = [1500, 1501, 1502, 2200, 2300];
  const stalls = [{ fromMs: 1290, toMs: 1495 }];
  expect(rulesOf(facts({}, { notionStartsMs }))).toEqual(['I8']);
  expect(facts({}, { notionStartsMs, stalls })).toEqual([]);
  const atOnce = { notionStartsMs: [...notionStartsMs.slice(0, 4), 2280], stalls };
  expect(rulesOf(facts({}, atOnce))).toEqual(['I8']);
  expect(rulesOf(facts({}, { notionStartsMs, stalls: [{ fromMs: 1000, toMs: 1400 }] }))).toEqual([
    'I8',
  ]);
});

test('the time for which several replicas were frozen at once counts once', () => {
  const frozen = [
    { fromMs: 500, toMs: 700 },
    { fromMs: 0, toMs: 100 },
    { fromMs: 50, toMs: 200 },
    { fromMs: 60, toMs: 90 },
  ];
  expect(frozenMsBetween(frozen, 20, 600)).toBe(280);
  expect(frozenMsBetween(frozen, 200, 500)).toBe(0);
  expect(frozenMsBetween([], 0, 1000)).toBe(0);
});

test('a message that the server never acknowledged is not missed', () => {
  const nothing = { messages: [], turns: [], requests: [] };
  const unacknowledged = { tokens: [{ ...sent, acknowledgedMs: null }], calls: [], pages: [] };
  expect(facts(nothing, unacknowledged)).toEqual([]);
});

test('what is in the attention list, or erased, is not missed', () => {
  const unanswered = { messages: [{ ...answer, turnId: null, isCleared: false }], turns: [] };
  expect(facts({ ...unanswered, attention: ['c1'] }, { calls: [], pages: [] })).toEqual([]);
  const erased = { erased: new Set([1]), calls: [], pages: [] };
  expect(facts({ messages: [], turns: [], requests: [] }, erased)).toEqual([]);
});

test('turns of a conversation that overlap, or change the order of arrival, are found', () => {
  const later: StoredMessage = { ...answer, id: 'm2', seq: 3, text: 'And qxbbbbbb', turnId: '2' };
  const second = { ...turn, id: '2', subject: 'flush:2', replyMessageId: 'r2' };
  const messages = [answer, reply, later];
  const overlapping = { ...second, startedMs: ORIGIN_MS + 150, repliedMs: ORIGIN_MS + 400 };
  const following = { ...second, startedMs: ORIGIN_MS + 300, repliedMs: ORIGIN_MS + 400 };

  expect(rulesOf(facts({ messages, turns: [turn, overlapping] }))).toEqual(['I4']);
  expect(facts({ messages, turns: [turn, following] })).toEqual([]);
  expect(
    rulesOf(facts({ messages, turns: [following, { ...turn, startedMs: ORIGIN_MS + 500 }] })),
  ).toEqual(['I3']);
});

test('a reply is in the chat once, and once more for each send without a response', () => {
  const chats = (count: number) => ({ chats: new Map([['5', Array<string>(count).fill(REPLY)]]) });
  const sentWith = (attempts: readonly string[], isConfirmed = true) => ({
    deliveries: [{ ...delivery, attempts, isConfirmed }],
  });

  expect(facts(sentWith(['sent']), chats(1))).toEqual([]);
  expect(facts(sentWith(['unknown', 'sent']), chats(2))).toEqual([]);
  expect(facts(sentWith(['sent', 'sent_again']), chats(2))).toEqual([]);
  expect(rulesOf(facts(sentWith(['sent', 'sent']), chats(2)))).toEqual(['delivery']);
  expect(rulesOf(facts(sentWith(['sent', 'sent_again']), chats(3)))).toEqual(['delivery']);
  expect(facts(sentWith(['unknown', 'unknown'], false), chats(0))).toEqual([]);
  expect(rulesOf(facts(sentWith(['unknown', 'started', 'sent']), chats(1)))).toEqual(['delivery']);
  expect(rulesOf(facts(sentWith(['sent']), chats(2)))).toEqual(['delivery']);
  expect(rulesOf(facts(sentWith(['sent']), chats(0)))).toEqual(['delivery']);
  expect(rulesOf(facts(sentWith(['unknown', 'unknown', 'unknown'], false), chats(1)))).toEqual([
    'delivery',
  ]);
});

test('a reply in a chat is the stored one', () => {
  const other = REPLY.replace(/zx[a-z]{6}/, 'zxzzzzzz');
  expect(other).not.toBe(REPLY);
  expect(rulesOf(facts({}, { chats: new Map([['5', [REPLY, other]]]) }))).toContain('delivery');
  const erased = { chats: new Map([['5', [other]]]), erased: new Set([1]), pages: [], calls: [] };
  expect(facts({ messages: [], turns: [], deliveries: [], requests: [] }, erased)).toEqual([]);
});

describe('onlookers', () => {
  const unconsented = ['qxzzzzzz'];

  test('words before consent reach no model and are not stored', () => {
    const onlookers = { unconsented, askedForPerson: [] };
    expect(facts({}, { onlookers })).toEqual([]);
    expect(facts({}, { onlookers, seenByModel: new Set(unconsented) })).toMatchObject([
      { rule: 'I10', what: 'qxzzzzzz was written before consent and reached the model' },
    ]);
    const kept = { ...answer, id: 'm9', conversationId: 'c9', text: 'qxzzzzzz', isCleared: false };
    const violations = facts({ messages: [answer, reply, kept] }, { onlookers });
    expect(violations).toContainEqual({
      rule: 'I10',
      what: 'qxzzzzzz was written before consent and is stored',
    });
  });

  test('a request for a person is in the attention list', () => {
    const onlookers = { unconsented: [], askedForPerson: ['c7'] };
    expect(facts({ attention: ['c7'] }, { onlookers })).toEqual([]);
    expect(facts({}, { onlookers })).toMatchObject([{ rule: 'I10' }]);
  });
});

describe('while the storm goes on', () => {
  test('an answer without a reply is no violation yet, and a lost one is', () => {
    const waiting = { ...answer, turnId: null, isCleared: false };
    const nothing = {
      turns: [],
      deliveries: [],
      requests: [],
      attention: [],
      stranded: [],
      invitations: [],
    };
    const none = { ...seen, calls: [], pages: [] };
    expect(checkSoFar({ ...nothing, messages: [waiting] }, none)).toEqual([]);
    expect(checkSoFar({ ...nothing, messages: [] }, none)).toMatchObject([{ rule: 'I1' }]);
    const stranded = { ...nothing, messages: [waiting], stranded: ['c1'] };
    expect(checkSoFar(stranded, none)).toMatchObject([{ rule: 'I1' }]);
  });

  test('a reply that goes on is no violation yet, and one that was replaced after its end is', () => {
    const stored = {
      turns: [turn],
      deliveries: [],
      requests: [],
      attention: [],
      stranded: [],
      invitations: [],
    };
    const shown = (text: string, isFinished: boolean) => ({
      ...seen,
      pages: [{ ...page, streamed: new Map([['r1', { text, isFinished }]]) }],
    });
    const messages = [answer, reply];
    expect(checkSoFar({ ...stored, messages }, shown('Noted', false))).toEqual([]);
    expect(checkSoFar({ ...stored, messages }, shown(REPLY, true))).toEqual([]);
    expect(checkSoFar({ ...stored, messages }, shown('Noted', true))).toMatchObject([
      { rule: 'page' },
    ]);
    // The page was opened again, and shows what is stored.
    const ended = new Map([['r1', new Set(['Noted', REPLY])]]);
    const healed = { ...seen, pages: [{ ...page, ended }] };
    expect(checkSoFar({ ...stored, messages }, healed)).toMatchObject([{ rule: 'page' }]);
  });
});
