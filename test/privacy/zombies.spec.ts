import { WebSessionRepository } from '../../src/candidates';
import { ConversationReader, InterviewStart } from '../../src/interview';
import { SegmentWriter } from '../../src/streams/segment-writer';
import { gate } from '../../tools/http-fake/gate';
import { until, turnOfLoop } from '../support/model-calls';
import type { TurnCandidate } from '../interview/turn-candidate';
import { type Person, PrivacyStage } from './privacy-stage';
import { startOther, pause, work, settled, live, visible } from '../interview/interview-fixture';
import { LiveReplies } from '../../src/streams';
import { StopRequests } from '../../src/interview/turn/stop-requests';
import type { TestApp } from '../support/app';

/** Work that still runs when a person is erased stores nothing, and nothing fails. */

let stage: PrivacyStage;
let other: TestApp;

beforeAll(async () => {
  stage = await PrivacyStage.open();
  other = await startOther(stage.app);
});
afterEach(() => {
  stage.channel.forget();
});
afterAll(() => stage.close());

/** A reply that a process writes, half of it sent. */
async function midReply(
  by: TestApp,
): Promise<{ person: Person; candidate: TurnCandidate; half: string }> {
  const person = await stage.person();
  const [candidate] = person.conversations;
  if (candidate === undefined) throw new Error('nobody there');
  const half = stage.words(person, 'half');
  const content = `{"verdict":"answered","text":"${half}`;
  stage.app.model.next({ kind: 'hold', content, rest: ' and the rest."}' });
  await candidate.start(by, stage.words(person, 'an answer'));
  await until(() => visible(by, candidate.id) === half);
  return { person, candidate, half };
}

/** The next send is in flight until the returned function lets it arrive. */
function inFlight(externalId: string): () => void {
  const landed = gate();
  stage.channel.next(async () => {
    await landed.opened;
    return { kind: 'sent', externalId };
  });
  return landed.open;
}

/** The log lines since then at a level that needs a person. */
function complaintsSince(from: number): string {
  return stage.app.log.lines.slice(from).join('\n');
}

test('a reply that this process writes ends at once, and nothing of it is stored', async () => {
  const { person, candidate } = await midReply(stage.app);
  const from = stage.app.log.lines.length;

  await stage.erase(person);
  await settled(stage.app);
  stage.app.model.release();
  await stage.work();

  expect(visible(stage.app, candidate.id)).toBe('');
  expect(await stage.leftOf(person)).toEqual([]);
  expect(complaintsSince(from)).not.toMatch(/not stored|TypeError|violates/);
});

test('a reply that another replica writes ends when that replica reads the stop requests', async () => {
  const { person, candidate } = await midReply(other);

  await stage.erase(person);
  await other.get(StopRequests).check();
  await settled(other);
  stage.app.model.release();
  await stage.work();

  expect(visible(other, candidate.id)).toBe('');
  expect(await stage.leftOf(person)).toEqual([]);
});

test('a reply that ends before the stop requests are read stores nothing either', async () => {
  const { person } = await midReply(other);

  await stage.erase(person);
  stage.app.model.release();
  await settled(other);
  await stage.work();

  expect(await stage.leftOf(person)).toEqual([]);
});

test('a heartbeat finds that the job is deleted, and ends the reply', async () => {
  const { person, candidate } = await midReply(other);

  await stage.erase(person);
  stage.app.clock.advance(2500);
  await other.worker.tick();
  await settled(other);

  expect(visible(other, candidate.id)).toBe('');
  stage.app.model.release();
  expect(await stage.leftOf(person)).toEqual([]);
});

test('text that waits to be stored as a segment is not stored', async () => {
  const { person, half } = await midReply(stage.app);
  const writer = stage.app.get(SegmentWriter);
  await writer.write();
  expect((await stage.rows()).filter((row) => row.startsWith('turn_segment'))).toHaveLength(1);
  const { app } = stage;
  // As if another replica had erased: this process gets no signal.
  jest.spyOn(app.get(LiveReplies), 'changed').mockReturnValueOnce();
  await stage.erase(person);
  app
    .get(LiveReplies)
    .current(person.conversations[0]?.id ?? '')
    ?.append(` ${half}`);

  await writer.write();

  expect(await stage.leftOf(person)).toEqual([]);
  await app.get(StopRequests).check();
  await settled(app);
  stage.app.model.release();
});

test('a delivery in flight stores nothing when it ends, and is not sent again', async () => {
  const person = await stage.person();
  const [candidate] = person.conversations;
  if (candidate === undefined) throw new Error('nobody there');
  const land = inFlight(stage.words(person, 'sent'));
  await stage.onChannel(person, candidate);
  pause(stage.app, 10_000);
  await work(stage.app);
  await stage.app.worker.tick();
  await until(() => stage.channel.began.length === 1);
  const from = stage.app.log.lines.length;

  await stage.erase(person);
  land();
  await settled(stage.app);
  await stage.work();

  expect(stage.channel.began).toHaveLength(1);
  expect(await stage.leftOf(person)).toEqual([]);
  expect(complaintsSince(from)).not.toMatch(/not stored|TypeError|violates/);
});

test("another person's delivery in flight to the same chat goes on, and is sent once", async () => {
  const [ada, bob] = [await stage.person(), await stage.person()];
  const [ofAda, ofBob] = [ada.conversations[0], bob.conversations[0]];
  if (ofAda === undefined || ofBob === undefined) throw new Error('nobody there');
  for (const { id } of [ofAda, ofBob]) stage.channel.chats.set(id, 'one chat of two');
  await stage.onChannel(ada, ofAda);
  await stage.work();
  const land = inFlight('arrived');
  await stage.onChannel(bob, ofBob);
  pause(stage.app, 10_000);
  await work(stage.app);
  await stage.app.worker.tick();
  await until(() => stage.channel.began.length === 2);

  await stage.erase(ada);
  // Long enough for a heartbeat, and for a send whose lease is lost to be given up.
  for (let heartbeats = 0; heartbeats < 3; heartbeats += 1) {
    stage.app.clock.advance(2500);
    await stage.app.worker.tick();
    await turnOfLoop();
  }
  land();
  await settled(stage.app);
  await live(stage.app, 20_000, 5000);

  expect(stage.channel.began).toHaveLength(2);
  expect(await stage.leftOf(ada)).toEqual([]);
  expect((await stage.export(bob)).conversations[0]?.deliveries.at(-1)).toMatchObject({
    state: 'sent',
    isConfirmed: true,
  });
});

test('an answer that was due is not claimed', async () => {
  const person = await stage.person();
  await person.conversations[0]?.say(stage.words(person, 'due soon'));
  const asked = stage.app.model.requests.length;

  await stage.erase(person);
  await stage.work();

  expect(stage.app.model.requests).toHaveLength(asked);
  expect(await stage.leftOf(person)).toEqual([]);
});

test('later requests get conversation_unknown', async () => {
  const person = await stage.person();
  const [candidate] = person.conversations;
  if (candidate === undefined) throw new Error('nobody there');
  const { app } = stage;
  const { sessionToken } = await app.commit((tx) =>
    app.get(WebSessionRepository).create(tx, candidate.id),
  );

  await stage.erase(person);

  await expect(candidate.say('too late')).rejects.toMatchObject({ code: 'conversation_unknown' });
  await expect(candidate.stop()).rejects.toMatchObject({ code: 'conversation_unknown' });
  await expect(app.get(ConversationReader).readShared(candidate.id, 0)).rejects.toMatchObject({
    code: 'conversation_unknown',
  });
  expect(
    await app.commit((tx) => app.get(WebSessionRepository).resolve(tx, sessionToken)),
  ).toBeNull();
  expect(await stage.leftOf(person)).toEqual([]);
});

test('a link that was read before the erasure starts no interview after it', async () => {
  const { app } = stage;
  const person = await stage.person();
  const [invite] = person.invitations;
  if (invite === undefined) throw new Error('not invited');

  await stage.erase(person);

  await expect(app.commit((tx) => app.get(InterviewStart).begin(tx, invite))).rejects.toMatchObject(
    {
      code: 'conversation_unknown',
    },
  );
  expect(await stage.leftOf(person)).toEqual([]);
});
