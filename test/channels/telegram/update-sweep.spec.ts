import { BotReplyRepository } from '../../../src/channels/telegram/intake/bot-reply.repository';
import { PinLimits } from '../../../src/channels/telegram/intake/pin-limits.repository';
import { UpdateRepository } from '../../../src/channels/telegram/intake/update.repository';
import { UpdateSweep } from '../../../src/channels/telegram/telegram-setup';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';

const HOUR_MS = 3_600_000;
/** More than two batches of the sweep. */
const OLD = 10_001;

describe('the sweep of handled updates', () => {
  let database: TestDatabase;
  let sweep: UpdateSweep;

  beforeEach(async () => {
    database = await openTestDatabase();
    const { clock, units } = database;
    const limits = new PinLimits(clock);
    const replies = new BotReplyRepository(clock);
    sweep = new UpdateSweep(units, new UpdateRepository(clock), replies, limits);
  });

  afterEach(() => database.close());

  async function add(count: number, firstId: number): Promise<void> {
    await database.sql(
      `insert into telegram_update (bot_id, update_id, chat_id, state, received_at)
       select 1, id, 1, 'handled', $3 from generate_series($1::int, $1::int + $2::int - 1) id`,
      [firstId, count, database.clock.now()],
    );
  }

  test('deletes all old ones in one run, and keeps those of the last 48 hours', async () => {
    await add(OLD, 1);
    database.clock.advance(48 * HOUR_MS);
    await add(3, OLD + 1);
    database.clock.advance(1000);

    await sweep.sweep();

    expect(await database.one(`select count(*)::int as kept from telegram_update`)).toEqual({
      kept: 3,
    });
    expect(database.log.lines).toEqual([]);
  });

  test('says in the log why it failed', async () => {
    await database.sql('alter table telegram_update rename to elsewhere');

    await sweep.sweep();

    expect(database.log.lines.join('\n')).toMatch(
      /old updates could not be deleted; the next sweep tries again: error: relation/,
    );
  });
});
