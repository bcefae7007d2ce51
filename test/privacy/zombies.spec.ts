import { WebSessionRepository } from '../../src/candidates';
import { ConversationReader, InterviewStart } from '../../src/interview';
import { SegmentWriter } from '../../src/streams/segment-writer';
import { gate } from '../../tools/http-fake/gate';
import { turnOfLoop, untilInProcess } from '../support/until';
import type { Interviewee } from '../interview/interviewee';
import { type Person, StoredPeople } from './stored-people';
import { startOther, pause, work, settled, live, visible } from '../interview/interviews';
import { LiveReplies } from '../../src/streams';
import { StopRequests } from '../../src/interview/turn/stopping';
import type { TestApp } from '../support/app';

/** Work that still runs when a person is erased stores nothing, and nothing fails. */

let setup: StoredPeople;
let other: TestApp;

beforeAll(async () => {
  setup = await StoredPeople.open();
  other = await startOther(setup.app);
});
afterEach(() => {
  setup.channel.forget();
});
afterAll(() => setup.close());

/** A reply that a process writes, half of it sent. */
async function midReply(
  by: TestApp,
): Promise<{ person: Person; candidate: Interviewee; half: string }> {
  const person = await setup.person();
  const [candidate] = person.conversations;
  if (candidate === undefined) throw new Error('nobody there');
  const half = `${setup.words(person, 'half')}.`;
  const content = `{"verdict":"answered","text":"${half} A`;
  setup.app.model.next({ kind: 'hold', content, rest: 'nd the rest."}' });
  await candidate.start(by, setup.words(person, 'an answer'));
  await untilInProcess(
    'the beginning of the reply is visible',
    () => visible(by, candidate.id) === half,
  );
  return { person, candidate, half };
}

/** The next send is in flight until the returned function lets it arrive. */
function inFlight(externalId: string): () => void {
  const landed = gate();
  setup.channel.next(async () => {
    await landed.opened;
    return { kind: 'sent', externalId };
  });
  return landed.open;
}

/** The log lines since then at a level that needs a person. */
function complaintsSince(from: number): string {
  return setup.app.log.lines.slice(from).join('\n');
}

test('a reply that this process writes ends at once, and nothing of it is stored', async () => {
  const { person, candidate } = await midReply(setup.app);
  const from = setup.app.log.lines.length;

  await setup.erase(person);
  await settled(setup.app);
  setup.app.model.release();
  await setup.work();

  expect(visible(setup.app, candidate.id)).toBe('');
  expect(await setup.leftOf(person)).toEqual([]);
  expect(complaintsSince(from)).not.toMatch(/not stored|TypeError|violates/);
});

test('a reply that another replica writes ends when that replica reads the stop requests', async () => {
  const { person, candidate } = await midReply(other);

  await setup.erase(person);
  await other.get(StopRequests).check();
  await settled(other);
  setup.app.model.release();
  await setup.work();

  expect(visible(other, candidate.id)).toBe('');
  expect(await setup.leftOf(person)).toEqual([]);
});

test('a reply that ends before the stop requests are read stores nothing either', async () => {
  const { person } = await midReply(other);

  await setup.erase(person);
  setup.app.model.release();
  await settled(other);
  await setup.work();

  expect(await setup.leftOf(person)).toEqual([]);
});

test('a heartbeat finds that the job is deleted, and ends the reply', async () => {
  const { person, candidate } = await midReply(other);

  await setup.erase(person);
  setup.app.clock.advance(2500);
  await other.worker.tick();
  await settled(other);

  expect(visible(other, candidate.id)).toBe('');
  setup.app.model.release();
  expect(await setup.leftOf(person)).toEqual([]);
});

test('text that waits to be stored as a segment is not stored', async () => {
  const { person, half } = await midReply(setup.app);
  const writer = setup.app.get(SegmentWriter);
  await writer.write();
  expect((await setup.app.allRows()).filter((row) => row.startsWith('turn_segment'))).toHaveLength(
    1,
  );
  const { app } = setup;
  // As if another replica had erased: this process gets no signal.
  jest.spyOn(app.get(LiveReplies), 'changed').mockReturnValueOnce();
  await setup.erase(person);
  app
    .get(LiveReplies)
    .current(person.conversations[0]?.id ?? '')
    ?.append(` ${half}`);

  await writer.write();

  expect(await setup.leftOf(person)).toEqual([]);
  await app.get(StopRequests).check();
  await settled(app);
  setup.app.model.release();
});

test('a delivery in flight stores nothing when it ends, and is not sent again', async () => {
  const person = await setup.person();
  const [candidate] = person.conversations;
  if (candidate === undefined) throw new Error('nobody there');
  const land = inFlight(setup.words(person, 'sent'));
  await setup.onChannel(person, candidate);
  pause(setup.app, 10_000);
  await work(setup.app);
  await setup.app.worker.tick();
  await untilInProcess('one send has begun', () => setup.channel.began.length === 1);
  const from = setup.app.log.lines.length;

  await setup.erase(person);
  land();
  await settled(setup.app);
  await setup.work();

  expect(setup.channel.began).toHaveLength(1);
  expect(await setup.leftOf(person)).toEqual([]);
  expect(complaintsSince(from)).not.toMatch(/not stored|TypeError|violates/);
});

test("another person's delivery in flight to the same chat goes on, and is sent once", async () => {
  const [ada, bob] = [await setup.person(), await setup.person()];
  const [ofAda, ofBob] = [ada.conversations[0], bob.conversations[0]];
  if (ofAda === undefined || ofBob === undefined) throw new Error('nobody there');
  for (const { id } of [ofAda, ofBob]) setup.channel.chats.set(id, 'one chat of two');
  await setup.onChannel(ada, ofAda);
  await setup.work();
  const land = inFlight('arrived');
  await setup.onChannel(bob, ofBob);
  pause(setup.app, 10_000);
  await work(setup.app);
  await setup.app.worker.tick();
  await untilInProcess('two sends have begun', () => setup.channel.began.length === 2);

  await setup.erase(ada);
  // Long enough for a heartbeat, and for a send whose lease is lost to be given up.
  for (let heartbeats = 0; heartbeats < 3; heartbeats += 1) {
    setup.app.clock.advance(2500);
    await setup.app.worker.tick();
    await turnOfLoop();
  }
  land();
  await settled(setup.app);
  await live(setup.app, 20_000, 5000);

  expect(setup.channel.began).toHaveLength(2);
  expect(await setup.leftOf(ada)).toEqual([]);
  expect((await setup.export(bob)).conversations[0]?.deliveries.at(-1)).toMatchObject({
    state: 'sent',
    isConfirmed: true,
  });
});

test('an answer that was due is not claimed', async () => {
  const person = await setup.person();
  await person.conversations[0]?.say(setup.words(person, 'due soon'));
  const asked = setup.app.model.requests.length;

  await setup.erase(person);
  await setup.work();

  expect(setup.app.model.requests).toHaveLength(asked);
  expect(await setup.leftOf(person)).toEqual([]);
});

test('later requests get conversation_unknown', async () => {
  const person = await setup.person();
  const [candidate] = person.conversations;
  if (candidate === undefined) throw new Error('nobody there');
  const { app } = setup;
  const { sessionToken } = await app.commit((tx) =>
    app.get(WebSessionRepository).create(tx, candidate.id),
  );

  await setup.erase(person);

  await expect(candidate.say('too late')).rejects.toMatchObject({ code: 'conversation_unknown' });
  await expect(candidate.stop()).rejects.toMatchObject({ code: 'conversation_unknown' });
  await expect(app.get(ConversationReader).readShared(candidate.id, 0)).rejects.toMatchObject({
    code: 'conversation_unknown',
  });
  expect(
    await app.commit((tx) => app.get(WebSessionRepository).resolve(tx, sessionToken)),
  ).toBeNull();
  expect(await setup.leftOf(person)).toEqual([]);
});

test('a link that was read before the erasure starts no interview after it', async () => {
  const { app } = setup;
  const person = await setup.person();
  const [invite] = person.invitations;
  if (invite === undefined) throw new Error('not invited');

  await setup.erase(person);

  await expect(app.commit((tx) => app.get(InterviewStart).begin(tx, invite))).rejects.toMatchObject(
    {
      code: 'conversation_unknown',
    },
  );
  expect(await setup.leftOf(person)).toEqual([]);
});
