import { InterviewService } from '../../../src/interview';
import { COMMANDS, telegramTextsOf } from '../../../src/channels/telegram/texts/texts';
import { textsOf } from '../../../src/interview/texts/texts';
import { type TestApp, startTestApp } from '../../support/app';
import { EN, RU, type Person, BOT, WINDOW_MS, begunPerson, newPerson } from './telegram-person';

const QUESTION = 'What did you bake last?';
const STATES = [
  'none',
  'before consent',
  'declined',
  'active',
  'completed',
  'handed over',
  'withdrawn',
  'expired',
] as const;
type State = (typeof STATES)[number];

describe('commands', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(BOT);
  });

  afterAll(async () => {
    expect(app.telegram.journal.violations).toEqual([]);
    await app.close();
  });

  async function personIn(state: State, language: 'ru' | 'en'): Promise<Person> {
    const person = newPerson(app, { language_code: language });
    if (state === 'none') {
      await person.starts();
    } else {
      await person.starts(app.vacancy.openToken);
      await person.writes('/language');
      await person.presses(language === 'ru' ? 'Русский' : 'English');
      if (state === 'declined') await person.declines();
      else if (state !== 'before consent') await person.agrees();
      if (state === 'handed over') await person.asksForPerson();
      if (state === 'withdrawn') await withdraw(person);
      if (state === 'expired') await expire(person);
      if (state === 'completed') await complete(person, language);
    }
    person.forgetsTheChat();
    return person;
  }

  async function withdraw(person: Person): Promise<void> {
    const id = (await person.conversationId()) ?? '';
    const interviews = app.get(InterviewService);
    await app.commit((tx) => interviews.withdraw(tx, id));
    await app.settle();
  }

  async function expire(person: Person): Promise<void> {
    const id = await person.conversationId();
    await app.sql(`update conversation set status = 'expired' where id = $1`, [id]);
  }

  /** Replies follow the language of the answers. */
  const answers = {
    en: ['A rye loaf with caraway.', 'It feeds people every day.', 'Yes, I can.'],
    ru: ['Ржаной хлеб с тмином.', 'Он кормит людей каждый день.', 'Да, могу.'],
  };

  async function complete(person: Person, language: 'ru' | 'en'): Promise<void> {
    for (const answer of answers[language]) {
      await person.writes(answer);
      await app.pass(WINDOW_MS);
    }
    expect((await person.conversation()).status).toBe('completed');
  }

  describe.each(STATES)('in the state “%s”', (state) => {
    test.each(['ru', 'en'] as const)(
      'each command gets a reply (%s), and none becomes part of an answer',
      async (language) => {
        const person = await personIn(state, language);
        const before = state === 'none' ? [] : await person.said();
        // In a running interview /skip is an answer: talk-skip.spec.ts.
        const silent = COMMANDS.filter((name) => name !== 'skip' || state !== 'active');
        for (const command of silent) {
          person.forgetsTheChat();
          await person.writes(`/${command}`);
          expect([command, person.heard.length > 0]).toEqual([command, true]);
          expect(person.heard.join('\n')).not.toMatch(language === 'ru' ? /\bthe\b/ : /[а-я]{5}/);
        }
        if (state === 'none') return;
        expect(await person.said()).toEqual(before);
        expect(await person.buffer()).toBeUndefined();
      },
    );
  });

  test('/help lists the commands, and mentions voice messages only if they are transcribed', async () => {
    const ada = await begunPerson(app);

    await ada.writes('/help');

    expect(ada.lastHeard).toBe(EN.help({ voices: false, interviewer: 'script' }));
    for (const command of COMMANDS.filter((name) => name !== 'help')) {
      expect(ada.lastHeard).toContain(`/${command}`);
    }
  });

  test('/status shows the state of the interview', async () => {
    const ada = await begunPerson(app);
    const now = { question: 1, of: 3, isCollecting: false, isReplying: false, isPaused: false };
    await ada.writes('/status');
    expect(ada.lastHeard).toBe(EN.status(now));
    await ada.writes('Rye, with a long story to it.');
    await ada.writes('/status');
    expect(ada.lastHeard).toBe(EN.status({ ...now, isCollecting: true }));
    await app.pass(WINDOW_MS);
    await ada.writes('/status');
    expect(ada.lastHeard).toBe(EN.status({ ...now, question: 2 }));
  });

  test.each(['en', 'ru'] as const)(
    'a command that needs an interview says in one line that there is none (%s)',
    async (language) => {
      const { noInterview } = telegramTextsOf(language);
      const person = await personIn('none', language);
      const commands = ['/status', '/web', '/pause', '/resume', '/done', '/skip', '/mydata'];

      for (const command of commands) await person.writes(command);

      expect(person.heard).toEqual(commands.map(() => noInterview));
      expect(noInterview).not.toContain('\n');
      expect(person.chat.messages.at(-1)?.buttons).toEqual([]);
    },
  );

  test('/pause keeps everything, /status shows it, and /resume asks the question again', async () => {
    const ada = await begunPerson(app);
    await ada.writes('/pause');
    expect(ada.lastHeard).toBe(EN.paused);
    await app.pass(24 * 3_600_000);
    await ada.writes('/status');
    expect(ada.lastHeard).toContain('a break');

    await ada.writes('/resume');

    expect(ada.heard.slice(-2)).toEqual([EN.resumed, QUESTION]);
    await ada.writes('/status');
    expect(ada.lastHeard).not.toContain('a break');
  });

  test('a question longer than a message is asked again in several messages, complete and in order', async () => {
    const ada = await begunPerson(app);
    const words = Array.from({ length: 1500 }, (_, n) => `word${String(n)}`).join(' ');
    expect(words.length).toBeGreaterThan(2 * 4096);
    await app.sql(
      `update message set text = $2 where conversation_id = $1 and role = 'assistant'
         and seq = (select max(seq) from message where conversation_id = $1)`,
      [await ada.conversationId(), words],
    );

    await ada.writes('/resume');

    const [before, ...parts] = ada.heard;
    expect(before).toBe(EN.resumed);
    expect(parts.join(' ')).toBe(words);
    expect(parts).toHaveLength(4);
    expect(app.telegram.journal.refused(400)).toEqual([]);
  });

  test('an answer ends a pause, too', async () => {
    const ada = await begunPerson(app);
    await ada.writes('/pause');

    await ada.writes('Rye, as I said, and then some more of it.');
    await app.pass(WINDOW_MS);

    expect(ada.lastHeard).toContain('Why bread?');
    await ada.writes('/status');
    expect(ada.lastHeard).not.toContain('a break');
  });

  test.each([EN.doneButton, RU.doneButton, '/done'])(
    '“%s” shortens the wait to a second and is not a message itself',
    async (done) => {
      const ada = await begunPerson(app);
      await ada.writes('Rye, with caraway and a dark crust.');
      expect((await ada.buffer())?.dueInMs).toBeGreaterThan(8000);

      await ada.writes(done);

      expect((await ada.buffer())?.dueInMs).toBeLessThanOrEqual(1000);
      expect(await ada.said()).toEqual(['Rye, with caraway and a dark crust.']);
      await app.pass(1000);
      expect(ada.lastHeard).toContain('Why bread?');
    },
  );

  test('/done without an answer says so', async () => {
    const ada = await begunPerson(app);

    await ada.presses(EN.doneButton);

    expect(ada.heard).toEqual([EN.nothingToFinish]);
  });

  test('/done also finishes an addition after the last question', async () => {
    const ada = await personIn('completed', 'en');
    await ada.writes('One more thing: I also make croissants.');

    await ada.writes('/done');
    await app.pass(1000);

    expect(textsOf('en').thanksForAddition).toContain(ada.lastHeard);
  });

  test('/human asks for confirmation, and later messages are kept for the person', async () => {
    const ada = await begunPerson(app);

    await ada.writes('/human');
    expect(ada.heard).toEqual([EN.humanQuestion]);
    expect((await ada.conversation()).status).toBe('active');
    await ada.presses(EN.humanYes);
    await ada.writes('Please call me.');
    await app.pass(WINDOW_MS);

    expect(ada.heard[1]).toBe(textsOf('en').handedOver);
    expect(ada.lastHeard).toBe(textsOf('en').keptForPerson);
    expect(await ada.said()).toEqual(['Please call me.']);
  });

  test('/human can be taken back with its button, and the question is asked again', async () => {
    const ada = await begunPerson(app);
    await ada.asksForPerson();

    await ada.presses(EN.humanTakeBack);

    expect((await ada.conversation()).status).toBe('active');
    expect(ada.lastHeard).toBe(`${textsOf('en').goingOn}\n\n${QUESTION}`);
  });

  test('/human does not change the interview if it is not confirmed', async () => {
    const ada = await begunPerson(app);
    await ada.writes('/human');

    await ada.presses(EN.humanNo);

    expect(ada.lastHeard).toBe(EN.humanNotAsked);
    expect((await ada.conversation()).status).toBe('active');
  });

  test('/language changes the texts of the bot and its Done button, but not the vacancy’s questions', async () => {
    const ada = await begunPerson(app);
    await ada.writes('/language');
    await ada.presses('Русский');
    expect(ada.lastHeard).toBe(RU.languageChosen);
    expect(ada.chat.keyboard).toEqual([[RU.doneButton]]);

    await ada.writes('/resume');

    expect(ada.heard.slice(-2)).toEqual([RU.resumed, QUESTION]);
  });

  test('/start after the end of an interview says that it is over and how to begin another one', async () => {
    const ada = await personIn('completed', 'en');

    await ada.starts();

    expect(ada.heard).toEqual([EN.completed, EN.waysToAnother]);
  });

  test('an unknown command is not an answer, and the bot says so', async () => {
    const ada = await begunPerson(app);
    for (const text of ['/foo', '/HELP', '/status@another_bot', '/готово']) await ada.writes(text);

    expect(ada.heard.filter((text) => text === EN.unknownCommand)).toHaveLength(3);
    expect(await ada.said()).toEqual(['/готово']);
  });

  test('a text that begins with a path is an answer', async () => {
    const ada = await begunPerson(app);

    await ada.writes('/etc/nginx is where I would look first');

    expect(await ada.said()).toEqual(['/etc/nginx is where I would look first']);
  });

  test('a command edited into a text becomes a message; a message edited into a command stays', async () => {
    const ada = await begunPerson(app);
    const help = await ada.writes('/help');
    const answer = await ada.writes('Rye, mostly.');

    await ada.does((user) => user.edits(help, 'And wheat.'));
    await ada.does((user) => user.edits(answer, '/done'));

    expect(await ada.said()).toEqual(['Rye, mostly.', 'And wheat.']);
    expect(ada.lastHeard).toBe(EN.editedToCommand);
    expect((await ada.buffer())?.dueInMs).toBeGreaterThan(2000);
  });
});
