import { BufferRepository } from '../../src/buffer/buffer.repository';
import { TestBuffer } from './test-buffer';

let setup: TestBuffer;
beforeAll(async () => {
  setup = await TestBuffer.open();
});
afterAll(() => setup.close());

const TIMES = 12;
/** PostgreSQL plans the first five calls anew, whatever the statement is. */
const FIRST = 5;

test('what waits is planned for the first calls of a connection only, not for each one', async () => {
  const conversation = await setup.conversation();
  await setup.append(conversation, 'one');
  const buffers = new BufferRepository(setup.clock);

  const plans = await setup.commit(async (tx) => {
    for (let n = 0; n < TIMES; n += 1) await buffers.pending(tx, [conversation]);
    return tx.query<{ each: number; kept: number }>(
      `select custom_plans::int as each, generic_plans::int as kept
       from pg_prepared_statements where statement like '%"filesArriving"%'`,
    );
  });

  expect(plans.map(({ each }) => each)).toEqual([FIRST]);
  expect(plans[0]?.kept).toBeGreaterThanOrEqual(TIMES - FIRST);
});
