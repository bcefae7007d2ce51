import { NoticeConnection } from '../../src/persistence';
import { UnitOfWorkFactory } from '../../src/common/uow';
import { type LiveReply, LiveReplies, ReplyMirrors, SegmentRepository } from '../../src/streams';
import { StreamMetrics } from '../../src/streams/stream.metrics';
import { type Notice, packNotices } from '../../src/streams/reply-broadcast';
import type { StreamSignal } from '../../src/streams/live-replies';
import { HALF, HalfReplies } from './half-reply';

let stage: HalfReplies;
let mirrors: ReplyMirrors;
let signals: StreamSignal[];
let leave: () => void;

beforeAll(async () => {
  stage = await HalfReplies.open();
  mirrors = stage.other.get(ReplyMirrors);
});
beforeEach(() => {
  signals = [];
});
afterEach(async () => {
  await stage.rest();
  leave();
  mirrors.tend();
});
afterAll(() => stage.fixture.close());

/** A half reply that a reader at the other process watches; its first half is in rows. */
async function watched() {
  const begun = await stage.begin();
  await stage.write();
  leave = stage.other.live.watch(begun.candidate.id, (signal) => signals.push(signal));
  return begun;
}

/** The same, and its mirror has read the rows. */
async function mirrored() {
  const { candidate, reply } = await watched();
  await mirrors.follow(candidate.id);
  expect(stage.other.visible(candidate.id)).toBe(HALF);
  return { candidate, reply };
}

async function grow(reply: LiveReply, text: string): Promise<void> {
  reply.append(text);
  await stage.write();
}

function piece({ origin }: LiveReply, changes: { epoch?: number; offset: number; text: string }) {
  const { conversationId, turnId, epoch } = origin;
  return { kind: 'text', conversationId, turnId, epoch, ...changes } as const;
}

function hear(...notices: readonly Notice[]): void {
  for (const payload of packNotices(notices)) mirrors.onNotice(payload);
}

function reads(): Promise<number> {
  return stage.other.metric('colloquy_stream_mirror_reads_total');
}

test('rows are read again when notices may have been missed', async () => {
  const { candidate, reply } = await mirrored();
  await grow(reply, ' more');

  mirrors.onConnected();
  await stage.otherHasRead();

  expect(stage.other.visible(candidate.id)).toBe('Half more');
});

test('rows are read again after two seconds of silence, and not before', async () => {
  const { candidate, reply } = await mirrored();
  await grow(reply, ' more');
  stage.fixture.clock.advance(1999);
  mirrors.tend();
  await stage.otherHasRead();
  expect(stage.other.visible(candidate.id)).toBe(HALF);

  stage.fixture.clock.advance(1);
  mirrors.tend();
  await stage.otherHasRead();

  expect(stage.other.visible(candidate.id)).toBe('Half more');
});

test('a piece after a gap waits for the rows, which are read at once', async () => {
  const { candidate, reply } = await mirrored();
  await grow(reply, ' more');
  hear(piece(reply, { offset: 9, text: ' and more' }));
  expect(stage.other.visible(candidate.id)).toBe(HALF);

  mirrors.tend();
  await stage.otherHasRead();

  expect(stage.other.visible(candidate.id)).toBe('Half more and more');
});

test('a piece of a reply that is not known yet lets its rows be read, and goes on from them', async () => {
  const { candidate, reply } = await watched();

  hear(piece(reply, { offset: 2, text: 'lf mo' }), piece(reply, { offset: 7, text: 're' }));
  await stage.otherHasRead();

  expect(stage.other.visible(candidate.id)).toBe('Half more');
});

test('a piece of an earlier epoch is not worth a look', async () => {
  const { candidate, reply } = await mirrored();
  const before = await reads();

  hear(piece(reply, { epoch: 0, offset: 4, text: ' else' }));
  await stage.fixture.aMoment();

  expect(await reads()).toBe(before);
  expect(stage.other.visible(candidate.id)).toBe(HALF);
});

test('a commit elsewhere wakes readers, and ends the mirrored reply when it was stored', async () => {
  const { candidate } = await mirrored();
  const shown = stage.other.live.current(candidate.id);
  await stage.rest();

  hear({ kind: 'rows', conversationId: candidate.id });
  expect(signals.at(-1)).toBe('rows');
  await stage.otherHasRead();

  expect(shown?.text).toMatch(/^Half and the rest\./);
  expect(shown?.end).toMatchObject({ isPartial: false });
  expect(stage.other.live.current(candidate.id)).toBeUndefined();
});

test('a reply that nobody reads here any more is let go', async () => {
  const { candidate } = await mirrored();

  leave();
  mirrors.tend();

  expect(stage.other.live.current(candidate.id)).toBeUndefined();
});

test('of a conversation without readers here nothing is read', async () => {
  const { candidate, reply } = await watched();
  leave();
  const before = await reads();

  hear(piece(reply, { offset: 4, text: ' more' }), {
    kind: 'rows',
    conversationId: candidate.id,
  });
  await stage.fixture.aMoment();

  expect(await reads()).toBe(before);
});

test('a reply that is written here is not replaced by a mirror of it', async () => {
  const { candidate, reply } = await watched();
  const { main } = stage.fixture;
  const leaveMain = main.live.watch(candidate.id, () => undefined);

  await main.get(ReplyMirrors).follow(candidate.id);

  expect(main.live.current(candidate.id)).toBe(reply);
  expect(reply.end).toBeNull();
  leaveMain();
});

describe('notices that may have been missed', () => {
  const LOOK_TURNS = 8;
  const IDLE = Array.from({ length: 16 }, (_, n) => `idle-${n.toString(16)}`);
  let own: ReplyMirrors;
  let counts: number[];

  /** Readers who wait for nothing, at mirrors of their own. */
  beforeEach(() => {
    const live = new LiveReplies();
    const at = stage.other;
    own = new ReplyMirrors(
      live,
      at.get(SegmentRepository),
      at.get(UnitOfWorkFactory),
      at.get(NoticeConnection),
      stage.fixture.clock,
      at.get(StreamMetrics),
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

  /** How often each reader was woken to read rows in so many turns. */
  async function woken(turns: number): Promise<number[]> {
    counts.fill(0);
    for (let turn = 0; turn < turns; turn += 1) await own.letLookAgain();
    return [...counts];
  }

  test('while there is no contact every idle reader looks again, once in 8 turns', async () => {
    // This process never opens its connection for notices.
    expect(await woken(3 * LOOK_TURNS)).toEqual(IDLE.map(() => 3));
  });

  test('while the whole database is away nobody looks: a look that fails cuts its reader off', async () => {
    jest.spyOn(stage.other.get(UnitOfWorkFactory), 'run').mockRejectedValue(new Error('away'));
    expect(await woken(LOOK_TURNS)).toEqual(IDLE.map(() => 0));
  });

  test('with contact again every idle reader looks once more, and then rests', async () => {
    jest.spyOn(stage.other.get(NoticeConnection), 'isConnected', 'get').mockReturnValue(true);
    expect(await woken(LOOK_TURNS)).toEqual(IDLE.map(() => 0));

    own.onConnected();
    expect(await woken(3 * LOOK_TURNS)).toEqual(IDLE.map(() => 1));

    for (const payload of packNotices([{ kind: 'lost' }])) own.onNotice(payload);
    expect(await woken(3 * LOOK_TURNS)).toEqual(IDLE.map(() => 1));
  });
});
