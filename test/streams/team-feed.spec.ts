import type { TeamChange } from '../../src/common/events';
import { DomainEvents } from '../../src/common/events';
import { RunMode } from '../../src/common/run-mode';
import type { UnitOfWorkFactory } from '../../src/common/uow';
import { SignalConnection } from '../../src/persistence';
import { LiveReplies, type TeamNews, TeamPresence } from '../../src/streams';
import { ReplyBroadcast, packSignals } from '../../src/streams/reply-broadcast';
import { TeamFeed } from '../../src/streams/team-feed';
import { TeamFeedRepository } from '../../src/streams/team-feed.repository';
import { FakeClock } from '../../tools/support/fake-clock';
import { turnOfLoop } from '../support/until';

const CHANGE: TeamChange = { kind: 'vacancy', id: 'baker', interviewId: null, vacancyId: 'v' };

let clock: FakeClock;
let feed: TeamFeed;
let presence: TeamPresence;
let told: TeamNews[];
let resyncs: number;

beforeEach(() => {
  clock = new FakeClock();
  const signals = new SignalConnection('postgres://nowhere', clock);
  const broadcast = new ReplyBroadcast(new LiveReplies(), signals, clock);
  // Nobody who listens here is limited to vacancies, so nothing is read.
  const units = {} as UnitOfWorkFactory;
  feed = new TeamFeed(
    ...([new DomainEvents(), broadcast, new TeamFeedRepository(), units, signals, clock] as const),
    RunMode.server,
  );
  presence = new TeamPresence(feed, broadcast, signals, clock);
  told = [];
  resyncs = 0;
});

afterEach(() => {
  feed.onModuleDestroy();
});

function listen(): () => void {
  return feed.listen({
    isLimited: false,
    onNews: (news) => told.push(...news),
    onResync: () => {
      resyncs += 1;
    },
  });
}

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    clock.advance(100);
    await turnOfLoop();
  }
}

test('tells a change at once, and the same one at most once a second', async () => {
  listen();
  feed.changed(CHANGE);
  await turnOfLoop();
  expect(told).toHaveLength(1);

  for (let n = 0; n < 20; n += 1) feed.changed(CHANGE);
  feed.changed({ ...CHANGE, id: 'butcher' });
  await pass(900);
  expect(told.map(({ id }) => id)).toEqual(['baker', 'butcher']);

  await pass(300);
  expect(told.map(({ id }) => id)).toEqual(['baker', 'butcher', 'baker']);
  await pass(3000);
  expect(told).toHaveLength(3);
});

test('tells what other replicas say, and resync when they have lost something', async () => {
  listen();
  const id = '6a1b1f0e-8a43-4a5e-9f6d-2d7b6f1f0a01';
  const rows = { kind: 'rows', conversationId: id } as const;
  for (const payload of packSignals([rows, { kind: 'team', change: CHANGE }])) {
    feed.onSignal(payload);
  }
  await turnOfLoop();
  expect(told.map(({ kind, id: of }) => [kind, of])).toEqual([
    ['interview', id],
    ['vacancy', 'baker'],
  ]);

  for (const payload of packSignals([{ kind: 'lost' }])) feed.onSignal(payload);
  feed.onSignal('[["user","6a1b1f0e-8a43-4a5e-9f6d-2d7b6f1f0a01"]]');
  feed.onSignal('no json');

  expect(resyncs).toBe(1);
  await pass(2000);
  expect(told).toHaveLength(2);
});

test('tells nobody who has left, and keeps nothing for those who come', async () => {
  const leave = listen();
  leave();
  feed.changed(CHANGE);
  listen();
  await pass(2000);
  expect(told).toEqual([]);
});

describe('who reads', () => {
  const SIGN = { tab: 't1', userId: 'u1', name: 'Nora', interviewId: 'i1', vacancyId: 'v' };
  const NORA = { id: 'u1', name: 'Nora' };

  test('is told when it changes, and not at each sign', async () => {
    listen();
    presence.note(SIGN);
    presence.note(SIGN);
    await turnOfLoop();
    expect(told).toEqual([{ kind: 'readers', id: 'i1', interviewId: 'i1', vacancyId: 'v' }]);
    expect(presence.readersOf('i1')).toEqual([NORA]);

    presence.note({ ...SIGN, interviewId: 'i2' });
    await pass(2000);
    expect(told.slice(1).map(({ id }) => id)).toEqual(['i2', 'i1']);
    expect([presence.readersOf('i1'), presence.readersOf('i2')]).toEqual([[], [NORA]]);
  });

  test('ends a minute after the last sign, wherever it came from', () => {
    for (const payload of packSignals([{ kind: 'reading', sign: SIGN }]))
      presence.onSignal(payload);
    clock.advance(59_000);
    presence.tend();
    expect(presence.readersOf('i1')).toEqual([NORA]);

    clock.advance(2000);
    presence.tend();
    expect(presence.read()).toEqual([]);
  });

  test('is bounded: of a person with many tabs the last ones count', () => {
    for (let n = 0; n < 25; n += 1) {
      presence.note({ ...SIGN, tab: String(n), interviewId: `i${String(n)}` });
    }
    expect(presence.read()).toHaveLength(20);
    expect(presence.readersOf('i0')).toEqual([]);
  });
});
