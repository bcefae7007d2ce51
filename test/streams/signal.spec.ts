import fc from 'fast-check';
import { type ReplicaSignal, packSignals, unpackSignals } from '../../src/streams/reply-broadcast';

const anyText = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom('\u0001'.repeat(700), 'я'.repeat(900), '👩‍🚀'.repeat(500), '"\\\n'),
  ),
  { maxLength: 8 },
);

const anyPlace = { interviewId: fc.option(fc.uuid()), vacancyId: fc.option(fc.uuid()) };

const anySignal: fc.Arbitrary<ReplicaSignal> = fc.oneof(
  fc.record({
    kind: fc.constant('team' as const),
    change: fc.record({
      kind: fc.constantFrom('interview' as const, 'attention' as const, 'vacancy' as const),
      id: fc.string({ maxLength: 100 }),
      ...anyPlace,
    }),
  }),
  fc.record({
    kind: fc.constant('reading' as const),
    sign: fc.record({
      tab: fc.uuid(),
      userId: fc.uuid(),
      name: fc.string({ unit: 'grapheme', maxLength: 60 }),
      ...anyPlace,
    }),
  }),
  fc.record({ kind: fc.constant('rows' as const), conversationId: fc.uuid() }),
  fc.record({
    kind: fc.constant('text' as const),
    conversationId: fc.uuid(),
    turnId: fc.nat().map(String),
    epoch: fc.nat(1000),
    offset: fc.nat(100_000),
    text: anyText.map((parts) => parts.join('')).filter((text) => text !== ''),
  }),
);

/** One entry for each signal of rows and one for each run of text, however the text was split. */
function merged(signals: readonly ReplicaSignal[]): ReplicaSignal[] {
  const all: ReplicaSignal[] = [];
  for (const signal of signals) {
    const last = all.at(-1);
    const isNext =
      signal.kind === 'text' &&
      last?.kind === 'text' &&
      last.turnId === signal.turnId &&
      last.conversationId === signal.conversationId &&
      last.epoch === signal.epoch &&
      last.offset + last.text.length === signal.offset;
    if (isNext) all[all.length - 1] = { ...last, text: last.text + signal.text };
    else all.push(signal);
  }
  return all;
}

test('packs signals of any text in order into payloads that PostgreSQL accepts', () => {
  fc.assert(
    fc.property(fc.array(anySignal, { maxLength: 30 }), (signals) => {
      const payloads = packSignals(signals);

      for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8000);
      expect(merged(payloads.flatMap(unpackSignals))).toEqual(merged(signals));
    }),
  );
});

test('never splits a long text inside a code point', () => {
  const text = `x${'👍'.repeat(5000)}`;
  const signal = { conversationId: 'c', turnId: '1', epoch: 1, offset: 0, text };

  const pieces = packSignals([{ kind: 'text', ...signal }]).flatMap(unpackSignals);

  expect(pieces.length).toBeGreaterThan(1);
  const isWhole = (piece: ReplicaSignal): boolean =>
    piece.kind === 'text' && /^x?(👍)+$/u.test(piece.text);
  expect(pieces.every(isWhole)).toBe(true);
});

test.each([['nothing'], ['{"c":1}'], ['[1,[],["c","1",1],["c",1,1,1,"x"],["c","1",1.5,0,"x"]]']])(
  'reads no signal from %s',
  (payload) => {
    expect(unpackSignals(payload)).toEqual([]);
  },
);
