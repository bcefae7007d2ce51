import { textsOf } from '../../../src/interview/texts/texts';
import { COMMANDS } from '../../../src/channels/telegram/texts/texts';
import { InterviewService } from '../../../src/interview';
import { type TestApp, startTestApp } from '../../support/app';
import { EN, type Person, BOT, WINDOW_MS, begunPerson, newPerson } from './telegram-person';

const QUESTION = 'What did you bake last?';
const TEXT = 'I have three years of Go.';
const AFTER_WITHDRAWAL = textsOf('en').afterWithdrawal({
  company: 'Crumb',
  owner: 'Ada',
  kept: { answers: null, media: null },
  isStored: true,
});

/** Text that people write after a command is not lost. */
describe('text after a command', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(BOT);
  });

  afterAll(async () => {
    expect(app.telegram.journal.violations).toEqual([]);
    await app.close();
  });

  async function arrived(): Promise<Person> {
    const person = newPerson(app);
    await person.starts(app.vacancy.openToken);
    person.forgetsTheChat();
    return person;
  }

  test('/done with a text: the text is part of the answer, which ends with it', async () => {
    const ada = await begunPerson(app);
    await ada.writes('Rye, with caraway.');

    await ada.writes(`/done ${TEXT}`);

    expect(await ada.said()).toEqual(['Rye, with caraway.', TEXT]);
    expect(await ada.buffer()).toMatchObject({ count: 2 });
    expect((await ada.buffer())?.dueInMs).toBeLessThanOrEqual(1000);
    await app.pass(1000);
    expect(ada.heard).toEqual([expect.stringContaining('Why bread?')]);
  });

  test('/done with a text can be the whole answer', async () => {
    const ada = await begunPerson(app);

    await ada.writes(`/done\n${TEXT}`);
    await app.pass(1000);

    expect(ada.heard).toEqual([expect.stringContaining('Why bread?')]);
    expect(await ada.said()).toEqual([TEXT]);
  });

  test.each(COMMANDS.filter((command) => command !== 'done' && command !== 'skip'))(
    '/%s with a text: the command is executed, and the text is a message of the interview',
    async (command) => {
      const [bare, ada] = [await begunPerson(app), await begunPerson(app)];
      await bare.writes(`/${command}`);

      await ada.writes(`/${command} ${TEXT}`);

      // Each person gets a different link to the web.
      if (command !== 'web') expect(ada.heard).toEqual(bare.heard);
      expect(ada.heard).toHaveLength(bare.heard.length);
      expect(await ada.said()).toEqual([TEXT]);
      expect(await ada.buffer()).toMatchObject({ count: 1 });
    },
  );

  test('/pause with a text begins a break, also during a break', async () => {
    const ada = await begunPerson(app);
    await ada.writes('/pause');

    await ada.writes(`/pause ${TEXT}`);
    await ada.writes('/status');

    expect(ada.lastHeard).toContain('a break');
    expect(await ada.said()).toEqual([TEXT]);
  });

  test('/human with a text: the person finds it in the interview', async () => {
    const ada = await begunPerson(app);

    await ada.asksForPerson(' Please call me after six.');
    await app.pass(WINDOW_MS);

    expect((await ada.conversation()).status).toBe('handed_over');
    expect(await ada.said()).toEqual(['Please call me after six.']);
    expect(ada.lastHeard).toBe(textsOf('en').keptForPerson);
  });

  test('/start with a text that is not a link repeats the question and keeps the text', async () => {
    const ada = await begunPerson(app);

    await ada.writes(`/start ${TEXT}`);
    await ada.writes('/start a-token-of-nobody');

    expect(ada.heard).toEqual([EN.welcomeBack, QUESTION, EN.linkUnknown]);
    expect(await ada.said()).toEqual([TEXT]);
  });

  test('a second command is not kept as a text', async () => {
    const ada = await begunPerson(app);

    await ada.writes('/status /done');

    expect(await ada.said()).toEqual([]);
    expect(ada.heard).toHaveLength(1);
  });

  test('the text is an answer even while a search for a vacancy is open', async () => {
    const ada = await begunPerson(app);
    await ada.writes('/start');
    const id = await ada.conversationId();
    await app.sql(
      `update telegram_account set dialog = '{"kind":"search"}' where conversation_id = $1`,
      [id],
    );

    await ada.writes(`/done ${TEXT}`);

    expect(await ada.said()).toEqual([TEXT]);
    expect(ada.heard).not.toContain(EN.noVacancy);
  });

  test('before consent the text is not kept, and the bot says so', async () => {
    for (const command of ['done', 'status', 'help', 'start']) {
      const ada = await arrived();

      await ada.writes(`/${command} ${TEXT}`);

      expect(ada.heard).toContain(EN.consentFirst);
      expect(ada.heard.filter((text) => text.includes('script of Crumb')).length).toBe(
        command === 'done' || command === 'start' ? 1 : 0,
      );
      expect(await ada.lines()).toEqual([]);
    }
  });

  test('before consent, while the hiring team has the conversation, the bot says that they do not see it', async () => {
    const ada = await arrived();
    await ada.asksForPerson();

    await ada.writes(`/status ${TEXT}`);

    expect(ada.heard).toContain(EN.notKeptForPerson);
    expect(await ada.said()).toEqual([]);
  });

  test('without an interview only the command gets a reply', async () => {
    const ada = newPerson(app);

    await ada.writes(`/help ${TEXT}`);

    expect(ada.heard).toEqual([EN.help({ voices: false, interviewer: 'script' })]);
  });

  test('is kept after a withdrawal, like any other message', async () => {
    const ada = await begunPerson(app);
    const id = (await ada.conversationId()) ?? '';
    const interviews = app.get(InterviewService);
    await app.commit((tx) => interviews.withdraw(tx, id));
    await app.settle();
    ada.forgetsTheChat();

    await ada.writes(`/status ${TEXT}`);

    expect(ada.heard).toEqual([AFTER_WITHDRAWAL]);
    expect(await ada.said()).toEqual([TEXT]);
    expect(await ada.buffer()).toBeUndefined();
  });

  test('a message after a withdrawal is kept for people, and its writer hears what holds now', async () => {
    const ada = await begunPerson(app);
    const id = (await ada.conversationId()) ?? '';
    await app.commit((tx) => app.get(InterviewService).withdraw(tx, id));
    await app.settle();
    ada.forgetsTheChat();

    await ada.writes('Wait, one more thing.');
    await app.pass(WINDOW_MS);

    expect(ada.heard).toEqual([AFTER_WITHDRAWAL]);
    expect(AFTER_WITHDRAWAL).toContain('it is kept for the hiring team');
    expect(await ada.said()).toEqual(['Wait, one more thing.']);
    expect(await ada.buffer()).toBeUndefined();
  });

  test('an edit changes the message; the command is not executed again', async () => {
    const ada = await begunPerson(app);
    const id = await ada.writes(`/pause ${TEXT}`);
    await ada.writes('/resume');

    await ada.does((user) => user.edits(id, '/pause I have four years of Go.'));

    expect(await ada.said()).toEqual(['I have four years of Go.']);
    await ada.writes('/status');
    expect(ada.lastHeard).not.toContain('a break');
    await ada.does((user) => user.edits(id, '/pause'));
    expect(ada.lastHeard).toBe(EN.editedToCommand);
    expect(await ada.said()).toEqual(['I have four years of Go.']);
  });

  test('a text that is added to a command by an edit is kept', async () => {
    const ada = await begunPerson(app);
    const id = await ada.writes('/help');

    await ada.does((user) => user.edits(id, `/help ${TEXT}`));

    expect(await ada.said()).toEqual([TEXT]);
  });
});
