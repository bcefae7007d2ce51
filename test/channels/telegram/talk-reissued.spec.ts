import { TestCandidate } from '../../support/candidate';
import { type TestApp, startTestApp } from '../../support/app';
import { EN, type Person, BOT, invite, newPerson } from './telegram-person';

/** A stranger consented in Telegram by a forwarded link; then the invitation was issued again. */
describe('an account that consented under an invitation that was issued again', () => {
  const WORDS = 'words-of-the-one-who-was-invited-again';
  let app: TestApp;
  let mallory: Person;
  let edited: number;
  let oldWebLink: string;
  let candidate: TestCandidate;
  let newToken: string;

  beforeAll(async () => {
    app = await startTestApp(BOT);
  });

  beforeEach(async () => {
    const { token, candidateId } = await invite(app);
    mallory = newPerson(app);
    await mallory.starts(token);
    await mallory.agrees();
    edited = await mallory.writes('Rye.');
    await mallory.writes('/web');
    oldWebLink = /[\w-]{32}(?=\s|$)/.exec(mallory.lastHeard)?.[0] ?? '';
    await app.pass(60_000);
    newToken = (await invite(app, { candidateId })).token;
    candidate = await TestCandidate.claim(app, newToken);
    mallory.forgetsTheChat();
    expect((await candidate.send('1', WORDS)).ok).toBe(true);
    await app.settle();
  });

  afterAll(() => app.close());

  async function said(): Promise<string[]> {
    const rows = await app.sql<{ text: string }>(
      `select text from message where conversation_id = $1 and role = 'user' order by seq`,
      [candidate.conversationId],
    );
    return rows.map(({ text }) => text);
  }

  test('gets no file from /mydata', async () => {
    await mallory.writes('/mydata');
    await mallory.presses(EN.myDataButton);

    expect(app.telegram.journal.calls('sendDocument')).toEqual([]);
  });

  test('cannot erase the interview with /forget, and the bot says so', async () => {
    await mallory.writes('/forget');
    await mallory.presses(EN.forgetButton);

    expect(mallory.lastHeard).toBe(EN.forgottenHere);
    expect(await said()).toEqual(['Rye.', WORDS]);
    expect(await mallory.conversationId()).toBeNull();
  });

  test.each(['/web', '/done', '/skip', '/resume', '/pause', '/status', '/human', 'More of it.'])(
    'is told after "%s" that the invitation has expired',
    async (text) => {
      await mallory.writes(text);

      expect(mallory.lastHeard).toBe(EN.linkExpired);
      expect(await said()).toEqual(['Rye.', WORDS]);
      expect((await candidate.view()).owner).toBe('model');
    },
  );

  test('cannot edit its messages', async () => {
    await mallory.does((user) => user.edits(edited, 'Wheat.'));

    expect(await said()).toEqual(['Rye.', WORDS]);
  });

  test('gets no reply of the interview, even before anybody has opened the new invitation', async () => {
    const { token, candidateId } = await invite(app);
    const eve = newPerson(app);
    await eve.starts(token);
    await eve.agrees();
    eve.forgetsTheChat();
    await eve.writes('Wheat.');
    await invite(app, { candidateId });

    await app.pass(60_000);

    expect(eve.heard).toEqual([]);
  });

  test('cannot use a link to the web that it got before', async () => {
    const { disclosure } = await candidate.view();
    const late = TestCandidate.arrive(app, oldWebLink, disclosure);

    await expect(late).rejects.toThrow(/^no session: 410 .*continuation_expired/);
  });

  test('continues and can erase the interview once it has opened and confirmed the new invitation', async () => {
    await mallory.starts(newToken);
    await mallory.presses(EN.mineButton);
    await mallory.writes('Mine after all.');
    expect(await said()).toEqual(['Rye.', WORDS, 'Mine after all.']);

    await mallory.writes('/forget');
    await mallory.presses(EN.forgetButton);

    expect(await said()).toEqual([]);
  });
});
