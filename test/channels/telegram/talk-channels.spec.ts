import { type View, TestCandidate } from '../../support/candidate';
import { type TestApp, startTestApp } from '../../support/app';
import { EN, type Person, WINDOW_MS, begunPerson, newPerson, BOT } from './telegram-person';

const WEB_WINDOW_MS = 4100;
const QUESTION = 'What did you bake last?';

/** One interview on the web page and in Telegram, with links in both directions. */
describe('an interview on two channels', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ ...BOT, env: { INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '4' } });
  });

  afterAll(() => app.close());

  /** The secret at the end of a link that the person was sent. */
  function tokenOf(url: string): string {
    return (
      /[\w-]{16,}$/.exec(url.split('\n').find((line) => line.includes('/i/')) ?? url)?.[0] ?? ''
    );
  }

  async function toTelegram(candidate: TestCandidate): Promise<string> {
    const response = await candidate.post('continuation');
    const body: unknown = await response.json();
    return /start=([\w-]+)/.exec(JSON.stringify(body))?.[1] ?? '';
  }

  async function onTheWeb(): Promise<TestCandidate> {
    return TestCandidate.begin(app);
  }

  function texts(view: View): string[] {
    return view.messages.filter(({ role }) => role !== 'system').map(({ text }) => text);
  }

  async function toWeb(person: Person): Promise<TestCandidate> {
    await person.writes('/web');
    return TestCandidate.claim(app, tokenOf(person.lastHeard));
  }

  test('begun on the web continues in Telegram; each reply goes to the channel of its answer', async () => {
    const candidate = await onTheWeb();
    const ada = newPerson(app, { username: 'ada_t' });

    await ada.starts(await toTelegram(candidate));
    await ada.presses(EN.mineButton);
    expect(ada.heard.slice(1)).toEqual([EN.welcomeBack, QUESTION]);
    expect((await ada.conversation()).metadata).toMatchObject({ identifiedBy: 'continuation' });
    await ada.writes('Rye, with caraway and a dark crust.');
    await app.pass(WINDOW_MS);
    expect(ada.lastHeard).toContain('Why bread?');

    const heard = ada.heard.length;
    await candidate.send('w1', 'Because it feeds people, every single day.');
    await app.pass(WEB_WINDOW_MS);
    expect(ada.heard).toHaveLength(heard);
    const view = await candidate.view();
    expect(texts(view).slice(2)).toEqual([
      'Rye, with caraway and a dark crust.',
      expect.stringContaining('Why bread?'),
      'Because it feeds people, every single day.',
      expect.stringContaining('Can you start at four?'),
    ]);
  });

  test('begun in Telegram continues on the web after /web, and again in Telegram after a message', async () => {
    const ada = await begunPerson(app);
    const candidate = await toWeb(ada);
    expect(texts(await candidate.view())).toEqual(['Hello and welcome.', QUESTION]);
    ada.forgetsTheChat();

    await candidate.send('w1', 'Rye, with caraway and a dark crust.');
    await app.pass(WEB_WINDOW_MS);
    expect(ada.heard).toEqual([]);
    await ada.writes('Back here: because it feeds people.');
    await app.pass(WINDOW_MS);

    expect(ada.lastHeard).toContain('Can you start at four?');
    expect(texts(await candidate.view())).toHaveLength(6);
  });

  test('an answer begun on the web and ended in Telegram is one answer, with its reply in Telegram', async () => {
    const ada = await begunPerson(app);
    const candidate = await toWeb(ada);
    ada.forgetsTheChat();

    await candidate.send('w1', 'Rye, with caraway,');
    await ada.writes('and a dark crust.');
    await app.pass(WINDOW_MS);

    expect(ada.heard).toEqual([expect.stringContaining('Why bread?')]);
    expect((await ada.conversation()).interviewStep).toBe(1);
  });

  test('a link works once; its person may press Start again', async () => {
    const link = await toTelegram(await onTheWeb());
    const [ada, mallory] = [newPerson(app), newPerson(app)];
    await ada.starts(link);
    await ada.presses(EN.mineButton);
    ada.forgetsTheChat();

    await mallory.starts(link);
    await ada.starts(link);

    expect(mallory.heard).toEqual([EN.linkOver]);
    expect(await mallory.conversationId()).toBeNull();
    expect(ada.heard).toEqual([EN.welcomeBack, QUESTION]);
  });

  test('a link expires after a day', async () => {
    const link = await toTelegram(await onTheWeb());
    app.clock.advance(24 * 3_600_000 + 1000);
    const ada = newPerson(app);

    await ada.starts(link);

    expect(ada.heard).toEqual([EN.linkOver]);
  });

  test('consent is given in Telegram if it was not given on the web', async () => {
    const candidate = await TestCandidate.arrive(app);
    const ada = newPerson(app);

    await ada.starts(await toTelegram(candidate));
    await ada.presses(EN.mineButton);

    expect(ada.lastHeard).toBe(QUESTION);
    expect((await candidate.view()).status).toBe('active');
  });

  test('a person who has consented on the web but has no profile begins in Telegram', async () => {
    const candidate = await TestCandidate.arrive(app);
    const { disclosure } = await candidate.view();
    await candidate.post('consent', { version: disclosure.version, accepted: true });
    const ada = newPerson(app);

    await ada.starts(await toTelegram(candidate));
    await ada.presses(EN.mineButton);

    expect(ada.heard.slice(1)).toEqual(['Hello and welcome.', QUESTION]);
  });
});
