import type { QueryRunner } from 'typeorm';
import type { SendOutcome } from '../../src/channels';
import { gate } from '../../tools/http-fake/gate';
import { DeliveryFixture } from './fixture';

/** Every commit locks in one order: the conversation, then the chat's job, then its parts. */

let fixture: DeliveryFixture;
let holder: QueryRunner;

beforeAll(async () => {
  fixture = await DeliveryFixture.open();
});
beforeEach(() => {
  holder = fixture.db.dataSource.createQueryRunner();
});
afterEach(async () => {
  if (holder.isTransactionActive) await holder.rollbackTransaction();
  await holder.release();
  await fixture.reset();
});
afterAll(() => fixture.close());

const SENT: SendOutcome = { kind: 'sent', externalId: '1' };
const BLOCKED: SendOutcome = { kind: 'blocked', error: 'forbidden' };

async function untilLockWait(): Promise<void> {
  for (let look = 0; look < 500; look += 1) {
    const waiting = await fixture.sql(
      `select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (waiting.length > 0) return;
  }
  throw new Error('no statement waits for a lock');
}

/** Whether no job is locked while `work` waits for the conversation's lock, which the test holds. */
async function areJobsFreeDuring(id: string, work: () => Promise<unknown>): Promise<boolean> {
  await holder.startTransaction();
  await holder.query('select 1 from conversation where id = $1 for no key update', [id]);
  const done = work();
  await untilLockWait();
  const all = await fixture.sql('select 1 from job');
  const free = await fixture.sql('select 1 from job for update skip locked');
  await holder.rollbackTransaction();
  await done;
  return all.length === free.length;
}

/** Starts a send; the returned function ends it with `outcome` and waits for the flow's end. */
async function sending(outcome: SendOutcome): Promise<() => Promise<void>> {
  const gated = gate<SendOutcome>();
  fixture.channel.next(() => gated.opened);
  await fixture.main.rig.worker.tick();
  await fixture.untilBegan(1);
  return () => {
    gated.open(outcome);
    return fixture.settled();
  };
}

test('deliver.take locks the conversation before the job', async () => {
  const said = await fixture.say(await fixture.conversation(), 'a');

  expect(await areJobsFreeDuring(said.conversationId, () => fixture.work())).toBe(true);

  expect(await fixture.states(said)).toEqual(['sent']);
});

test('deliver.settle locks the conversation before the job', async () => {
  const said = await fixture.say(await fixture.conversation(), 'a');
  const end = await sending(SENT);

  expect(await areJobsFreeDuring(said.conversationId, end)).toBe(true);

  expect(await fixture.states(said)).toEqual(['sent']);
});

test('a block locks all conversations of the chat before the job', async () => {
  const [one, two] = [await fixture.conversation('chat'), await fixture.conversation('chat')];
  await fixture.say(one, 'a');
  const other = await fixture.say(two, 'b');
  const end = await sending(BLOCKED);

  expect(await areJobsFreeDuring(two, end)).toBe(true);

  expect(await fixture.states(other)).toEqual(['dead']);
});

test('an unblock locks all conversations before any job', async () => {
  const ids = [await fixture.conversation('chat'), await fixture.conversation('chat')].sort();
  const said = [await fixture.say(ids[0] ?? '', 'a'), await fixture.say(ids[1] ?? '', 'b')];
  fixture.channel.next(BLOCKED);
  await fixture.workAll();
  const chat = { channel: 'telegram', chat: 'chat' };
  // Enqueueing for the first conversation would lock a job that is open already.
  await fixture.commit((tx) =>
    fixture.main.rig.jobs.enqueue(tx, { queue: 'deliver', key: 'telegram:chat', dueInMs: 0 }),
  );
  const unblock = (): Promise<number> =>
    fixture.commit((tx) => fixture.main.deliveries.unblock(tx, chat));

  expect(await areJobsFreeDuring(ids[1] ?? '', unblock)).toBe(true);

  for (const one of said) expect(await fixture.states(one)).toEqual(['pending']);
});

test('the death of a job locks the conversation before the job', async () => {
  const said = await fixture.say(await fixture.conversation(), 'a');
  await fixture.sql('update job set claims_without_progress = 10');

  expect(await areJobsFreeDuring(said.conversationId, () => fixture.work())).toBe(true);

  expect(await fixture.states(said)).toEqual(['dead']);
});
