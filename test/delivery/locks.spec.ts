import type { QueryRunner } from 'typeorm';
import type { SendOutcome } from '../../src/channels';
import { gate } from '../../tools/http-fake/gate';
import { TestDelivery } from './test-delivery';

/** Every commit locks in one order: the conversation, then the chat's job, then its parts. */

let setup: TestDelivery;
let holder: QueryRunner;

beforeAll(async () => {
  setup = await TestDelivery.open();
});
beforeEach(() => {
  holder = setup.dataSource.createQueryRunner();
});
afterEach(async () => {
  if (holder.isTransactionActive) await holder.rollbackTransaction();
  await holder.release();
  await setup.reset();
});
afterAll(() => setup.close());

const SENT: SendOutcome = { kind: 'sent', externalId: '1' };
const BLOCKED: SendOutcome = { kind: 'blocked', error: 'forbidden' };

/** Whether no job is locked while `work` waits for the conversation's lock, which the test holds. */
async function areJobsFreeDuring(id: string, work: () => Promise<unknown>): Promise<boolean> {
  await holder.startTransaction();
  await holder.query('select 1 from conversation where id = $1 for no key update', [id]);
  const done = work();
  await setup.untilLockWait();
  const all = await setup.sql('select 1 from job');
  const free = await setup.sql('select 1 from job for update skip locked');
  await holder.rollbackTransaction();
  await done;
  return all.length === free.length;
}

/** Starts a send; the returned function ends it with `outcome` and waits for the flow's end. */
async function sending(outcome: SendOutcome): Promise<() => Promise<void>> {
  const gated = gate<SendOutcome>();
  setup.channel.next(() => gated.opened);
  await setup.main.rig.worker.tick();
  await setup.untilBegan(1);
  return () => {
    gated.open(outcome);
    return setup.settled();
  };
}

test('deliver.take locks the conversation before the job', async () => {
  const said = await setup.say(await setup.conversation(), 'a');

  expect(await areJobsFreeDuring(said.conversationId, () => setup.work())).toBe(true);

  expect(await setup.states(said)).toEqual(['sent']);
});

test('deliver.settle locks the conversation before the job', async () => {
  const said = await setup.say(await setup.conversation(), 'a');
  const end = await sending(SENT);

  expect(await areJobsFreeDuring(said.conversationId, end)).toBe(true);

  expect(await setup.states(said)).toEqual(['sent']);
});

test('a block locks all conversations of the chat before the job', async () => {
  const [one, two] = [await setup.conversation('chat'), await setup.conversation('chat')];
  await setup.say(one, 'a');
  const other = await setup.say(two, 'b');
  const end = await sending(BLOCKED);

  expect(await areJobsFreeDuring(two, end)).toBe(true);

  expect(await setup.states(other)).toEqual(['dead']);
});

test('an unblock locks all conversations before any job', async () => {
  const ids = [await setup.conversation('chat'), await setup.conversation('chat')].sort();
  const said = [await setup.say(ids[0] ?? '', 'a'), await setup.say(ids[1] ?? '', 'b')];
  setup.channel.next(BLOCKED);
  await setup.workAll();
  const chat = { channel: 'telegram', chat: 'chat' };
  // Enqueueing for the first conversation would lock a job that is open already.
  await setup.commit((tx) =>
    setup.main.rig.jobs.enqueue(tx, { queue: 'deliver', key: 'telegram:chat', dueInMs: 0 }),
  );
  const unblock = (): Promise<number> =>
    setup.commit((tx) => setup.main.deliveries.unblock(tx, chat));

  expect(await areJobsFreeDuring(ids[1] ?? '', unblock)).toBe(true);

  for (const one of said) expect(await setup.states(one)).toEqual(['pending']);
});

test('the death of a job locks the conversation before the job', async () => {
  const said = await setup.say(await setup.conversation(), 'a');
  await setup.sql('update job set claims_without_progress = 10');

  expect(await areJobsFreeDuring(said.conversationId, () => setup.work())).toBe(true);

  expect(await setup.states(said)).toEqual(['dead']);
});
