import { SignalConnection } from '../../src/persistence';
import { LiveReplies, type LiveReply } from '../../src/streams';
import {
  type ReplicaSignal,
  unpackSignals,
  ReplyBroadcast,
} from '../../src/streams/reply-broadcast';
import { FakeClock } from '../../tools/support/fake-clock';
import { turnOfLoop } from '../support/until';

const CLAIM = { jobId: '1', claimNo: 1, flow: { holdsLease: true } };
const ORIGIN = { conversationId: 'c', turnId: '1', answerIds: ['1'], messageId: 'm', epoch: 1 };
const ROWS = { kind: 'rows', conversationId: 'c' };
const TICK_MS = 50;

let clock: FakeClock;
let live: LiveReplies;
let sent: ReplicaSignal[][];
let broadcast: ReplyBroadcast;
let isConnected: boolean;
let hasPeers: boolean;

beforeEach(() => {
  clock = new FakeClock();
  live = new LiveReplies();
  sent = [];
  isConnected = true;
  hasPeers = true;
  const signals = new SignalConnection('postgres://nowhere', clock);
  jest.spyOn(signals, 'isConnected', 'get').mockImplementation(() => isConnected);
  jest.spyOn(signals, 'hasPeers', 'get').mockImplementation(() => hasPeers);
  jest.spyOn(signals, 'send').mockImplementation((payloads) => {
    sent.push(payloads.flatMap(unpackSignals));
    return Promise.resolve(true);
  });
  broadcast = new ReplyBroadcast(live, signals, clock);
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

test('sends growth at once, then at most every 50 ms, each unit once', async () => {
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

test('sends no text while there is no other replica, and what follows once there is one', async () => {
  hasPeers = false;
  const reply = begin();
  reply.append('One');
  live.changed('c');
  await turnOfLoop();
  expect(sent).toEqual([[ROWS]]);

  hasPeers = true;
  reply.append(' two');
  clock.advance(TICK_MS);
  await turnOfLoop();

  expect(sent).toEqual([[ROWS], [piece(3, ' two')]]);
});

test('sends one signal without content for several commits', async () => {
  live.changed('c');
  live.changed('c');
  await turnOfLoop();

  expect(sent).toEqual([[ROWS]]);
});

test('sends no signal for a commit of another replica', async () => {
  live.changedElsewhere('c');
  await turnOfLoop();

  expect(sent).toEqual([]);
});

test('lets readers on other replicas read rows after a reply was broken off', async () => {
  const reply = begin();
  reply.append('One');
  reply.breakOff();
  await turnOfLoop();

  expect(sent).toEqual([[piece(0, 'One'), ROWS]]);
});

test('does not send replies that are mirrored here', async () => {
  live.mirror(ORIGIN).append('One');
  await turnOfLoop();

  expect(sent).toEqual([]);
});

test('reports lost signals once after a reconnect', async () => {
  isConnected = false;
  live.changed('c');
  await turnOfLoop();
  clock.advance(TICK_MS);
  await turnOfLoop();
  expect(sent).toEqual([]);

  isConnected = true;
  broadcast.onConnected();
  await turnOfLoop();
  clock.advance(TICK_MS);
  live.changed('c');
  await turnOfLoop();

  expect(sent).toEqual([[{ kind: 'lost' }], [ROWS]]);
});

test('reports no lost signals at the first connect', async () => {
  broadcast.onConnected();
  await turnOfLoop();

  expect(sent).toEqual([]);
});
