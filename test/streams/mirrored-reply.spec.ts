import fc from 'fast-check';
import { LiveReply } from '../../src/streams';
import { MirroredReply } from '../../src/streams/reply-mirrors';
import type { RunningTurn } from '../../src/streams/segment.repository';

const ORIGIN = { conversationId: 'c', turnId: '1', answerIds: ['1'], messageId: 'm', epoch: 3 };
const TEXT = 'Спасибо, 👩‍🚀 noted. And what did you do about the ledger then?';
const CREATED = new Date(0);

function mirrored(): MirroredReply {
  return new MirroredReply(new LiveReply(ORIGIN, () => undefined), 0);
}

function row(changes: Partial<RunningTurn>): RunningTurn {
  return {
    conversationId: 'c',
    turnId: '1',
    epoch: 3,
    messageId: 'm',
    answerIds: ['1'],
    isRunning: true,
    replyText: null,
    seq: null,
    createdAt: null,
    isPartial: null,
    question: null,
    parts: [],
    text: '',
    ...changes,
  };
}

function signal(from: number, to: number) {
  return {
    kind: 'text' as const,
    conversationId: 'c',
    turnId: '1',
    epoch: 3,
    offset: from,
    text: TEXT.slice(from, to),
  };
}

const range = fc
  .tuple(fc.nat(TEXT.length), fc.nat(TEXT.length))
  .map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)]);

test('shows only the first part of the text when pieces are lost, repeated or out of order', () => {
  const happening = fc.oneof(
    range.map(([from, to]) => ({ kind: 'signal' as const, from, to })),
    fc.nat(TEXT.length).map((to) => ({ kind: 'row' as const, from: 0, to })),
  );
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
      const mirror = mirrored();
      let known = 0;
      for (const { kind, from, to } of happenings) {
        if (kind === 'signal') mirror.receive(signal(from, to));
        else mirror.apply(row({ text: TEXT.slice(0, to) }));
        expect(TEXT.startsWith(mirror.reply.text)).toBe(true);
        expect(mirror.reply.text.length).toBeGreaterThanOrEqual(known);
        known = mirror.reply.text.length;
      }

      mirror.apply(
        row({ isRunning: false, replyText: TEXT, seq: 4, createdAt: CREATED, isPartial: false }),
      );

      expect(mirror.reply.text).toBe(TEXT);
      expect(mirror.reply.end).toEqual({
        seq: 4,
        createdAt: CREATED,
        isPartial: false,
        question: null,
      });
    }),
    { numRuns: 300 },
  );
});

test('shows the whole text after all pieces in any order', () => {
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: TEXT.length - 1 }), { maxLength: 12 });
  const order = fc.infiniteStream(fc.nat());
  fc.assert(
    fc.property(cuts, order, (places, chances) => {
      const at = [0, ...places.sort((a, b) => a - b), TEXT.length];
      const pieces = at.slice(1).map((to, index) => signal(at[index] ?? 0, to));
      const mirror = mirrored();
      for (const { piece } of pieces
        .map((piece) => ({ piece, chance: Number(chances.next().value) }))
        .sort((a, b) => a.chance - b.chance)) {
        mirror.receive(piece);
      }

      expect(mirror.reply.text).toBe(TEXT);
      expect(mirror.hasGap).toBe(false);
    }),
  );
});

test.each([
  ['another epoch began', row({ epoch: 4 })],
  ['its claim was lost', row({ isRunning: false })],
  ['the stored text is different', row({ isRunning: false, replyText: 'Other', seq: 4 })],
  ['the turn is gone', undefined],
])('a mirrored reply is broken off when %s', (_, turn) => {
  const mirror = mirrored();
  mirror.receive(signal(0, 5));

  mirror.apply(turn);

  expect(mirror.reply.end).toBe('broken');
  expect(mirror.reply.text).toBe(TEXT.slice(0, 5));
});

test('a mirrored reply ends empty when the reply was stopped before its first word', () => {
  const mirror = mirrored();

  mirror.apply(row({ isRunning: false, replyText: '' }));

  expect(mirror.reply.end).toBe('empty');
});
