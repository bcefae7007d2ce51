import { type TestApp, startTestApp } from '../../support/app';
import { type Person, BOT, WINDOW_MS, begunPerson } from './telegram-person';

/** A person blocks the bot for a while. */
describe('block and unblock', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(BOT);
  });

  afterAll(() => app.close());

  async function attention(person: Person): Promise<{ kind: string; isOpen: boolean }[]> {
    return app.sql(
      `select kind, closed_at is null as "isOpen" from attention
       where conversation_id = $1 order by id`,
      [await person.conversationId()],
    );
  }

  function sends(person: Person): number {
    const calls = app.telegram.journal.calls('sendMessage');
    return calls.filter(({ params }) => params.chat_id === person.id).length;
  }

  test('a block adds an attention item, and nothing more is sent', async () => {
    const ada = await begunPerson(app);
    await ada.writes('Rye, with caraway and a dark crust.');
    await ada.does((user) => {
      user.blocks();
    });
    expect(await attention(ada)).toEqual([{ kind: 'blocked', isOpen: true }]);

    await app.pass(WINDOW_MS);
    const before = sends(ada);
    await app.pass(3_600_000);

    expect(sends(ada)).toBe(before);
    expect(await attention(ada)).toEqual([{ kind: 'blocked', isOpen: true }]);
  });

  test('an unblock sends the undelivered reply, once', async () => {
    const ada = await begunPerson(app);
    await ada.writes('Rye, with caraway and a dark crust.');
    await ada.does((user) => {
      user.blocks();
    });
    await app.pass(WINDOW_MS);
    expect(ada.heard).toEqual([]);

    await ada.does((user) => {
      user.unblocks();
    });

    expect(ada.heard).toEqual([expect.stringContaining('Why bread?')]);
    expect(await attention(ada)).toEqual([{ kind: 'blocked', isOpen: false }]);
    await ada.writes('Because it feeds people, every single day.');
    await app.pass(WINDOW_MS);
    expect(ada.lastHeard).toContain('Can you start at four?');
  });

  test('a 403 without an update about the block has the same effect after one try', async () => {
    const ada = await begunPerson(app);
    await ada.writes('Rye, with caraway and a dark crust.');
    app.telegram.faults.on(
      'sendMessage',
      { kind: 'status', code: 403, description: 'Forbidden: bot was blocked by the user' },
      { times: 100, matching: ({ chat_id }) => chat_id === ada.id },
    );
    const before = sends(ada);
    await app.pass(WINDOW_MS);
    await app.pass(3_600_000);
    expect(sends(ada)).toBe(before + 1);
    expect(await attention(ada)).toEqual([{ kind: 'blocked', isOpen: true }]);

    app.telegram.faults.clear();
    await ada.does((user) => {
      user.unblocks();
    });

    expect(ada.heard).toEqual([expect.stringContaining('Why bread?')]);
  });

  test('a reply to a command is given up at a 403', async () => {
    const ada = await begunPerson(app);
    app.telegram.faults.on('sendMessage', {
      kind: 'status',
      code: 403,
      description: 'Forbidden: user is deactivated',
    });
    const before = sends(ada);

    await ada.writes('/help');
    await app.pass(60_000);

    expect(sends(ada)).toBe(before + 1);
    expect(await app.sql('select 1 from telegram_bot_reply')).toEqual([]);
  });
});
