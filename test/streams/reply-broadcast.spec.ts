import { Metrics } from '../../src/common/metrics';
import { NoticeConnection } from '../../src/persistence';
import { LiveReplies, type LiveReply } from '../../src/streams';
import { type Notice, unpackNotices, ReplyBroadcast } from '../../src/streams/reply-broadcast';
import { StreamMetrics } from '../../src/streams/stream.metrics';
import { FakeClock } from '../support/clock';
import { turnOfLoop } from '../support/model-calls';

const CLAIM = { jobId: '1', claimNo: 1, flow: { holdsLease: true } };
const ORIGIN = { conversationId: 'c', turnId: '1', bufferIds: ['1'], messageId: 'm', epoch: 1 };
const ROWS = { kind: 'rows', conversationId: 'c' };
const TICK_MS = 50;

let clock: FakeClock;
let live: LiveReplies;
let sent: Notice[][];
let broadcast: ReplyBroadcast;
let isConnected: boolean;

beforeEach(() => {
  clock = new FakeClock();
  live = new LiveReplies();
  sent = [];
  isConnected = true;
  const notices = new NoticeConnection('postgres://nowhere', clock);
  jest.spyOn(notices, 'isConnected', 'get').mockImplementation(() => isConnected);
  jest.spyOn(notices, 'send').mockImplementation((payloads) => {
    sent.push(payloads.flatMap(unpackNotices));
    return Promise.resolve(true);
  });
  broadcast = new ReplyBroadcast(live, notices, clock, new StreamMetrics(new Metrics()));
  broadcast.onModuleInit();
});
afterEach(() => {
  jest.restoreAllMocks();
});

function begin(): LiveReply {
  return live.begin(ORIGIN, CLAIM);
}

function piece(offset: number, text: string) {
  return { kind: 'text', conversationId: 'c', turnId: '1', epoch: 1, offset, text };
}

test('what grows is told at once, then at most every 50 ms, each unit once', async () => {
  const reply = begin();
  reply.append('One');
  await turnOfLoop();
  reply.append(' two');
  reply.append(' three');
  clock.advance(TICK_MS - 1);
  await turnOfLoop();
  expect(sent).toEqual([[piece(0, 'One')]]);

  clock.advance(1);
  await turnOfLoop();

  expect(sent).toEqual([[piece(0, 'One')], [piece(3, ' two three')]]);
});

test('a commit is told without what it changed, many of them once', async () => {
  live.committed('c');
  live.committed('c');
  await turnOfLoop();

  expect(sent).toEqual([[ROWS]]);
});

test('a commit of another replica is not told again', async () => {
  live.committedElsewhere('c');
  await turnOfLoop();

  expect(sent).toEqual([]);
});

test('a reply that was broken off lets its readers elsewhere look for what follows', async () => {
  const reply = begin();
  reply.append('One');
  reply.breakOff();
  await turnOfLoop();

  expect(sent).toEqual([[piece(0, 'One'), ROWS]]);
});

test('a reply that is mirrored here is told by its writer only', async () => {
  live.mirror(ORIGIN).append('One');
  await turnOfLoop();

  expect(sent).toEqual([]);
});

test('after contact was lost the others are told that notices were, once', async () => {
  isConnected = false;
  live.committed('c');
  await turnOfLoop();
  clock.advance(TICK_MS);
  await turnOfLoop();
  expect(sent).toEqual([]);

  isConnected = true;
  broadcast.onConnected();
  await turnOfLoop();
  clock.advance(TICK_MS);
  live.committed('c');
  await turnOfLoop();

  expect(sent).toEqual([[{ kind: 'lost' }], [ROWS]]);
});

test('a first contact says nothing of losses', async () => {
  broadcast.onConnected();
  await turnOfLoop();

  expect(sent).toEqual([]);
});
