import { SignalConnection } from '../../src/persistence';
import { UnitOfWorkFactory } from '../../src/common/uow';
import { type LiveReply, LiveReplies, ReplyMirrors, SegmentRepository } from '../../src/streams';
import { type ReplicaSignal, packSignals } from '../../src/streams/reply-broadcast';
import type { StreamSignal } from '../../src/streams/live-replies';
import { HALF, HalfReplies } from './half-reply';
import { closeInterviews, visible } from '../interview/interviews';
import { turnOfLoop } from '../support/until';

let setup: HalfReplies;
let mirrors: ReplyMirrors;
let signals: StreamSignal[];
let leave: () => void;

beforeAll(async () => {
  setup = await HalfReplies.open();
  mirrors = setup.other.get(ReplyMirrors);
});
beforeEach(() => {
  signals = [];
});
afterEach(async () => {
  await setup.rest();
  leave();
  mirrors.tend();
});
afterAll(() => closeInterviews(setup.app));

/** A reply that a reader at the other process watches; its first half is stored. */
async function watched() {
  const begun = await setup.begin();
  await setup.write();
  leave = setup.other.get(LiveReplies).watch(begun.candidate.id, (signal) => signals.push(signal));
  return begun;
}

/** As `watched`, and the mirror has read the rows. */
async function mirrored() {
  const { candidate, reply } = await watched();
  await mirrors.follow(candidate.id);
  expect(visible(setup.other, candidate.id)).toBe(HALF);
  return { candidate, reply };
}

async function grow(reply: LiveReply, text: string): Promise<void> {
  reply.append(text);
  await setup.write();
}

function piece({ origin }: LiveReply, changes: { epoch?: number; offset: number; text: string }) {
  const { conversationId, turnId, epoch } = origin;
  return { kind: 'text', conversationId, turnId, epoch, ...changes } as const;
}

function hear(...signals: readonly ReplicaSignal[]): void {
  for (const payload of packSignals(signals)) mirrors.onSignal(payload);
}

function reads(): Promise<number> {
  return setup.other.metrics('uow_commits_total', { label: 'stream.follow' });
}

test('reads rows again when signals may have been missed', async () => {
  const { candidate, reply } = await mirrored();
  await grow(reply, ' more');

  mirrors.onConnected();
  await setup.otherHasRead();

  expect(visible(setup.other, candidate.id)).toBe('Yes. more');
});

test('reads rows again after two seconds of silence, and not before', async () => {
  const { candidate, reply } = await mirrored();
  await grow(reply, ' more');
  setup.app.clock.advance(1999);
  mirrors.tend();
  await setup.otherHasRead();
  expect(visible(setup.other, candidate.id)).toBe(HALF);

  setup.app.clock.advance(1);
  mirrors.tend();
  await setup.otherHasRead();

  expect(visible(setup.other, candidate.id)).toBe('Yes. more');
});

test('reads rows at once when a piece comes after a gap', async () => {
  const { candidate, reply } = await mirrored();
  await grow(reply, ' more');
  hear(piece(reply, { offset: 9, text: ' and more' }));
  expect(visible(setup.other, candidate.id)).toBe(HALF);

  mirrors.tend();
  await setup.otherHasRead();

  expect(visible(setup.other, candidate.id)).toBe('Yes. more and more');
});

test('reads the rows of an unknown reply at its first piece', async () => {
  const { candidate, reply } = await watched();

  hear(piece(reply, { offset: 2, text: 's. mo' }), piece(reply, { offset: 7, text: 're' }));
  await setup.otherHasRead();

  expect(visible(setup.other, candidate.id)).toBe('Yes. more');
});

test('ignores a piece of an earlier epoch', async () => {
  const { candidate, reply } = await mirrored();
  const before = await reads();

  hear(piece(reply, { epoch: 0, offset: 4, text: ' else' }));
  await turnOfLoop();

  expect(await reads()).toBe(before);
  expect(visible(setup.other, candidate.id)).toBe(HALF);
});

test('wakes readers at the commit of another replica, and ends a mirrored reply that was stored', async () => {
  const { candidate } = await mirrored();
  const shown = setup.other.get(LiveReplies).current(candidate.id);
  await setup.rest();

  hear({ kind: 'rows', conversationId: candidate.id });
  expect(signals.at(-1)).toBe('rows');
  await setup.otherHasRead();

  expect(shown?.text).toMatch(/^Yes\. And the rest\./);
  expect(shown?.end).toMatchObject({ isPartial: false });
  expect(setup.other.get(LiveReplies).current(candidate.id)).toBeUndefined();
});

test('drops a reply without readers', async () => {
  const { candidate } = await mirrored();

  leave();
  mirrors.tend();

  expect(setup.other.get(LiveReplies).current(candidate.id)).toBeUndefined();
});

test('reads no rows of a conversation without readers', async () => {
  const { candidate, reply } = await watched();
  leave();
  const before = await reads();

  hear(piece(reply, { offset: 4, text: ' more' }), {
    kind: 'rows',
    conversationId: candidate.id,
  });
  await turnOfLoop();

  expect(await reads()).toBe(before);
});

test('does not replace a reply that is written here by a mirror', async () => {
  const { candidate, reply } = await watched();
  const { app } = setup;
  const leaveMain = app.get(LiveReplies).watch(candidate.id, () => undefined);

  await app.get(ReplyMirrors).follow(candidate.id);

  expect(app.get(LiveReplies).current(candidate.id)).toBe(reply);
  expect(reply.end).toBeNull();
  leaveMain();
});

describe('signals that may have been missed', () => {
  const WAKE_SLOTS = 8;
  const IDLE = Array.from({ length: 16 }, (_, n) => `idle-${n.toString(16)}`);
  let own: ReplyMirrors;
  let counts: number[];

  /** Idle readers, at mirrors of their own. */
  beforeEach(() => {
    const live = new LiveReplies();
    const at = setup.other;
    own = new ReplyMirrors(
      live,
      at.get(SegmentRepository),
      at.get(UnitOfWorkFactory),
      at.get(SignalConnection),
      setup.app.clock,
    );
    counts = IDLE.map(() => 0);
    const leaveAll = IDLE.map((id, n) =>
      live.watch(id, (signal) => {
        if (signal === 'rows') counts[n] = (counts[n] ?? 0) + 1;
      }),
    );
    leave = () => {
      for (const one of leaveAll) one();
    };
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** How often each reader was woken to read rows within so many ticks. */
  async function woken(turns: number): Promise<number[]> {
    counts.fill(0);
    for (let turn = 0; turn < turns; turn += 1) await own.wakeIdleReaders();
    return [...counts];
  }

  test('wake every idle reader once in 8 ticks while there is no connection', async () => {
    // This process never opens its connection for signals.
    expect(await woken(3 * WAKE_SLOTS)).toEqual(IDLE.map(() => 3));
  });

  test('wake nobody while the database is down, because a failed read ends a stream', async () => {
    jest.spyOn(setup.other.get(UnitOfWorkFactory), 'run').mockRejectedValue(new Error('away'));
    expect(await woken(WAKE_SLOTS)).toEqual(IDLE.map(() => 0));
  });

  test('wake every idle reader once more after a reconnect', async () => {
    jest.spyOn(setup.other.get(SignalConnection), 'isConnected', 'get').mockReturnValue(true);
    expect(await woken(WAKE_SLOTS)).toEqual(IDLE.map(() => 0));

    own.onConnected();
    expect(await woken(3 * WAKE_SLOTS)).toEqual(IDLE.map(() => 1));

    for (const payload of packSignals([{ kind: 'lost' }])) own.onSignal(payload);
    expect(await woken(3 * WAKE_SLOTS)).toEqual(IDLE.map(() => 1));
  });
});
