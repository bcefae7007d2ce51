import { addConversation } from '../support/conversations';
import { type TestDatabase, openTestDatabase } from '../support/app-database';

/** Values that the database refuses whatever the code does. */

let database: TestDatabase;
let conversation: string;

beforeAll(async () => {
  database = await openTestDatabase();
  conversation = await addConversation(database);
  await database.sql(
    `insert into job (queue, key, first_at, due_at) values ('flush', $1, now(), now())`,
    [conversation],
  );
});
afterAll(() => database.close());

test.each([
  ['conversation', 'language', 'de'],
  ['conversation', 'status', 'lost'],
  ['conversation', 'owner', 'nobody'],
  ['job', 'state', 'lost'],
])('an update of %s.%s to an unknown value is refused', async (table, column, value) => {
  const refused = database.sql(`update ${table} set ${column} = '${value}'`);

  await expect(refused).rejects.toMatchObject({
    message: `${table}.${column} has an unknown value`,
    driverError: { code: '23514', table, column },
  });
});

test('a row that is inserted with an unknown value is refused', async () => {
  await expect(
    database.sql(
      `insert into conversation (id, vacancy_id, candidate_id, language, plan, state)
       select gen_random_uuid(), vacancy_id, candidate_id, 'de', plan, state
       from conversation where id = $1`,
      [conversation],
    ),
  ).rejects.toMatchObject({ message: 'conversation.language has an unknown value' });
  await expect(
    database.sql(
      `insert into job (queue, key, state, first_at) values ('flush', 'another', 'lost', now())`,
    ),
  ).rejects.toMatchObject({ message: 'job.state has an unknown value' });
});
