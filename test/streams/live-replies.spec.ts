import fc from 'fast-check';
import { LiveReplies, LiveReply, type LiveReplyOrigin } from '../../src/streams';

const CLAIM = { jobId: '1', claimNo: 1, flow: { holdsLease: true } };
const STORED = { seq: 3, createdAt: new Date(0), isPartial: false, question: null };

function origin(changes: Partial<LiveReplyOrigin> = {}): LiveReplyOrigin {
  const first = { conversationId: 'c', turnId: '1', answerIds: ['1'], messageId: 'm' };
  return { ...first, epoch: 1, ...changes };
}

let live: LiveReplies;
let signals: string[];

beforeEach(() => {
  live = new LiveReplies();
  signals = [];
  live.watch('c', (signal) => signals.push(signal));
});

test('wakes readers at each piece, and they read the whole text', () => {
  const reply = live.begin(origin(), CLAIM);
  reply.append('Hello');
  reply.append('');
  reply.append(' there');

  expect(signals).toEqual(['text', 'text', 'text']);
  expect(live.current('c')).toBe(reply);
  expect(reply.text).toBe('Hello there');
  expect(reply.end).toBeNull();
});

test.each([
  ['is stored', STORED, STORED],
  ['has nothing to store', null, 'empty'],
] as const)('a reply that %s ends once and is no longer the current one', (_, close, end) => {
  const reply = live.begin(origin(), CLAIM);
  reply.close(close);
  reply.append('late');
  reply.breakOff();

  expect(reply.end).toEqual(end);
  expect(reply.text).toBe('');
  expect(live.current('c')).toBeUndefined();
});

test('breaks off the earlier epoch when a new one begins; the new one stays current', () => {
  const first = live.begin(origin(), CLAIM);
  first.append('Old');
  const second = live.begin(origin({ epoch: 2 }), CLAIM);

  first.append('er');
  first.close(STORED);

  expect(first).toMatchObject({ end: 'broken', text: 'Old' });
  expect(live.current('c')).toBe(second);
});

test('wakes a reader only for its own conversation, and not after it has left', () => {
  const other: string[] = [];
  const leave = live.watch('d', (signal) => other.push(signal));
  live.changed('c');
  expect(other).toEqual([]);

  live.changed('d');
  leave();
  live.changed('d');

  expect(other).toEqual(['rows']);
  expect(signals).toEqual(['rows']);
});

test('returns the text from any offset, recent or not', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 5 }), { maxLength: 80 }),
      fc.nat(500),
      (deltas, offset) => {
        const reply = new LiveReply(origin(), () => undefined);
        for (const delta of deltas) reply.append(delta);
        const text = deltas.join('');
        expect(reply.text).toBe(text);
        expect(reply).toHaveLength(text.length);
        expect(reply.textFrom(offset)).toBe(text.slice(offset));
      },
    ),
    { numRuns: 500 },
  );
});
