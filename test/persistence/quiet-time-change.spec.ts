import { randomUUID } from 'node:crypto';
import { CHANGE_MIGRATIONS } from '../../src/persistence/migrations/changes';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { addConversation } from '../support/conversations';

/** The change after which the quiet time is learned at the claim, on rows of the version before it. */

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** A conversation with a message of the candidate, a reply, another message, and its correction. */
async function conversationOfBefore(pacedMessages: number): Promise<string> {
  const id = await addConversation(database);
  const [first, reply, second, correction] = [1, 2, 3, 4].map(() => randomUUID());
  const at = database.clock.now();
  await database.sql(
    `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at, amends)
     values ($1, $5, 1, 'user', 'web', 'a', 'one', $6, null),
       ($2, $5, 2, 'assistant', 'web', 'b', 'and then?', $6, null),
       ($3, $5, 3, 'user', 'web', 'c', 'two', $6, null),
       ($4, $5, 4, 'user', 'web', 'd', 'two, corrected', $6, $3)`,
    [first, reply, second, correction, id, at],
  );
  await database.sql('update conversation set last_seq = 4, paced_messages = $2 where id = $1', [
    id,
    pacedMessages,
  ]);
  return id;
}

async function change(): Promise<void> {
  const Change = CHANGE_MIGRATIONS.find((each) => new each().name.startsWith('QuietTimeAtClaim'));
  if (Change === undefined) throw new Error('the change has another name');
  await database.sql(
    'alter table conversation drop column paced_seq, drop column quiet_ms, drop column quiet_channel',
  );
  await database.sql('alter table message drop column typed_at');
  const queryRunner = database.dataSource.createQueryRunner();
  try {
    await new Change().up(queryRunner);
  } finally {
    await queryRunner.release();
  }
}

async function learned(id: string): Promise<{ seq: number | null; messages: number }> {
  await database.sql(`select learn_quiet_time($1, 4000, 3, '{0.2,1,9}')`, [id]);
  return database.one(
    'select paced_seq as seq, paced_messages as messages from conversation where id = $1',
    [id],
  );
}

test('what the version before has learned is not learned again, and the rest is', async () => {
  const known = await conversationOfBefore(2);
  const unknown = await conversationOfBefore(0);

  await change();

  expect(await learned(known)).toEqual({ seq: 3, messages: 2 });
  expect(await learned(unknown)).toEqual({ seq: 3, messages: 2 });
  await database.sql(
    `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at)
     values ($1, $2, 5, 'user', 'web', 'e', 'three', $3)`,
    [randomUUID(), known, database.clock.now()],
  );
  expect(await learned(known)).toEqual({ seq: 5, messages: 3 });
});
