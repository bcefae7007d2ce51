import { TestCandidate } from '../../support/candidate';
import { type TestApp, startTestApp } from '../../support/app';
import { EN, type Person, BOT, invite, newPerson } from './telegram-person';

/** The account opened the invitation and did not consent; then somebody consented in a browser. */
describe('an account in an interview to which somebody else has consented', () => {
  const WORDS = 'words-of-the-one-in-the-browser';
  let app: TestApp;
  let ada: Person;
  let candidate: TestCandidate;
  let heard: readonly string[];

  beforeAll(async () => {
    app = await startTestApp(BOT);
  });

  beforeEach(async () => {
    const { token } = await invite(app);
    ada = newPerson(app);
    await ada.starts(token);
    ada.forgetsTheChat();
    candidate = await TestCandidate.claim(app, token);
    const { disclosure } = await candidate.view();
    await candidate.post('consent', { version: disclosure.version, accepted: true });
    await candidate.post('profile', { name: 'Invited', contact: 'invited@example.org' });
    expect((await candidate.send('1', WORDS)).ok).toBe(true);
    await app.settle();
    heard = ada.heard;
    ada.forgetsTheChat();
  });

  afterAll(async () => {
    await app.close();
  });

  function buffers(): Promise<{ finished: boolean }[]> {
    return app.sql(`select finished from job where queue = 'flush' and key = $1`, [
      candidate.conversationId,
    ]);
  }

  test('gets no messages of the interview', () => {
    expect(heard).toEqual([]);
  });

  test('gets no file from /mydata', async () => {
    await ada.writes('/mydata');
    await ada.presses(EN.myDataButton);

    expect(app.telegram.journal.calls('sendDocument')).toEqual([]);
  });

  test('cannot erase the interview with /forget', async () => {
    await ada.writes('/forget');
    await ada.presses(EN.forgetButton);

    expect(ada.lastHeard).toBe(EN.forgotten);
    expect(await (await candidate.get('/api/v1/conversation')).text()).toContain(WORDS);
    expect(await ada.conversationId()).toBeNull();
  });

  test.each(['/web', '/done', '/skip', '/resume', '/pause', '/status'])(
    'is asked after %s whether the interview is theirs',
    async (command) => {
      await ada.writes(command);

      expect(ada.lastHeard).toContain(EN.openElsewhere);
      expect(await buffers()).toEqual([{ finished: false }]);
    },
  );
});
