import fc from 'fast-check';
import { type Notice, packNotices, unpackNotices } from '../../src/streams/reply-broadcast';

const anyText = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom('\u0001'.repeat(700), 'я'.repeat(900), '👩‍🚀'.repeat(500), '"\\\n'),
  ),
  { maxLength: 8 },
);

const anyNotice: fc.Arbitrary<Notice> = fc.oneof(
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

/** One entry for each notice of rows and one for each run of text, however the text was split. */
function merged(notices: readonly Notice[]): Notice[] {
  const all: Notice[] = [];
  for (const notice of notices) {
    const last = all.at(-1);
    const isNext =
      notice.kind === 'text' &&
      last?.kind === 'text' &&
      last.turnId === notice.turnId &&
      last.conversationId === notice.conversationId &&
      last.epoch === notice.epoch &&
      last.offset + last.text.length === notice.offset;
    if (isNext) all[all.length - 1] = { ...last, text: last.text + notice.text };
    else all.push(notice);
  }
  return all;
}

test('packs notices of any text in order into payloads that PostgreSQL accepts', () => {
  fc.assert(
    fc.property(fc.array(anyNotice, { maxLength: 30 }), (notices) => {
      const payloads = packNotices(notices);

      for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8000);
      expect(merged(payloads.flatMap(unpackNotices))).toEqual(merged(notices));
    }),
  );
});

test('never splits a long text inside a code point', () => {
  const text = `x${'👍'.repeat(5000)}`;
  const notice = { conversationId: 'c', turnId: '1', epoch: 1, offset: 0, text };

  const pieces = packNotices([{ kind: 'text', ...notice }]).flatMap(unpackNotices);

  expect(pieces.length).toBeGreaterThan(1);
  const isWhole = (piece: Notice): boolean =>
    piece.kind === 'text' && /^x?(👍)+$/u.test(piece.text);
  expect(pieces.every(isWhole)).toBe(true);
});

test.each([['nothing'], ['{"c":1}'], ['[1,[],["c","1",1],["c",1,1,1,"x"],["c","1",1.5,0,"x"]]']])(
  'reads no notice from %s',
  (payload) => {
    expect(unpackNotices(payload)).toEqual([]);
  },
);
