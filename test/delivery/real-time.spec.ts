import { randomUUID } from 'node:crypto';
import { SystemClock } from '../../src/common/clock';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { inCommit } from '../support/jobs';
import { FakeChannel } from './fake-channel';
import { type DeliveryProcess, EVENT_TABLE, deliveryProcess } from './process';
import { untilInProcess } from '../support/until';

/** The statements on PostgreSQL's own clock, as in production, instead of the tests' fake one. */

let db: TestDatabase<SystemClock>;
let main: DeliveryProcess;
const channel = new FakeChannel();

beforeAll(async () => {
  db = await openTestDatabase(new SystemClock());
  main = deliveryProcess(db, channel);
});
afterAll(() => db.close());

test('all parts arrive after a pause, a failure and a send with an unknown outcome', async () => {
  const [conversationId, messageId] = [randomUUID(), randomUUID()];
  channel.chats.set(conversationId, 'chat');
  channel.next({ kind: 'paused', forMs: 200 }, { kind: 'not_sent', error: 'bad_gateway' });
  channel.nextOf('b', { kind: 'unknown' });
  for (const statement of [
    EVENT_TABLE,
    `insert into vacancy (id, slug, language, title, company, owner, plan, open_token)
       values ('${conversationId}', 's', 'en', 't', 'c', '{}', '{}', 'o')`,
    `insert into candidate (id) values ('${conversationId}')`,
    `insert into conversation (id, vacancy_id, candidate_id, language, plan, state)
       values ('${conversationId}', '${conversationId}', '${conversationId}', 'en', '{}', '{}')`,
    `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at)
       values ('${messageId}', '${conversationId}', 1, 'assistant', 'code', 'x', 'a|b', now())`,
  ]) {
    await db.dataSource.query(statement);
  }
  const message = { conversationId, messageId, turnId: null, text: 'a|b' } as const;
  await inCommit(db.units, (tx) =>
    main.deliveries.add(tx, { ...message, kind: 'reply', channel: 'telegram' }),
  );

  main.rig.worker.start();
  await untilInProcess('five sends have begun', () => channel.began.length >= 5);
  await main.rig.worker.stopClaims();
  await main.rig.worker.waitUntilSettled(5000);
  await main.rig.worker.stop();

  expect(channel.texts).toEqual(['a', 'a', 'a', 'b', 'b']);
  const rows = await db.dataSource.query<unknown[]>(
    'select state, failures, unknowns from delivery order by part',
  );
  expect(rows).toEqual([
    { state: 'sent', failures: 1, unknowns: 0 },
    { state: 'sent', failures: 0, unknowns: 1 },
  ]);
});
