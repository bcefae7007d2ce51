import { ContinuationRepository } from '../../../src/candidates';
import { TestCandidate } from '../../support/candidate';
import { type TestApp, startTestApp } from '../../support/app';
import { BOT, EN, type Person, begunPerson, invite, newPerson } from './telegram-person';

const QUESTION = 'What did you bake last?';

/** Links of one person, opened by another one. */
describe('a link that somebody else has made', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(BOT);
  });

  afterAll(async () => {
    expect(app.telegram.journal.violations).toEqual([]);
    await app.close();
  });

  let count = 0;
  function victim(): Person {
    count += 1;
    return newPerson(app, {
      first_name: `Victoria-${String(count)}`,
      username: `victoria_${String(count)}`,
    });
  }

  function traces({ id, user: { user } }: Person): string[] {
    return [String(id), user.first_name, user.username ?? ''];
  }

  /** A stranger who came by the open link and consented, but has given no name. */
  async function nameless(): Promise<TestCandidate> {
    const stranger = await TestCandidate.arrive(app);
    const { disclosure } = await stranger.view();
    await stranger.post('consent', { version: disclosure.version, accepted: true });
    return stranger;
  }

  async function linkToTelegram(candidate: TestCandidate): Promise<string> {
    const response = await candidate.post('continuation');
    expect(response.status).toBe(201);
    return /start=([\w-]+)/.exec(JSON.stringify(await response.json()))?.[1] ?? '';
  }

  /** All that the API tells a web session about its person. */
  async function seenBy(candidate: TestCandidate): Promise<string> {
    const paths = ['/api/v1/conversation', '/api/v1/conversation/mydata'];
    const seen = await Promise.all(paths.map(async (path) => (await candidate.get(path)).text()));
    return seen.join('\n');
  }

  async function expectUntold(candidate: TestCandidate, ...texts: string[]): Promise<void> {
    const seen = await seenBy(candidate);
    for (const text of texts) expect(seen).not.toContain(text);
  }

  function expectUnseen(person: Person, candidate: TestCandidate): Promise<void> {
    return expectUntold(candidate, ...traces(person));
  }

  async function ownerOf(conversationId: string): Promise<string> {
    const found = 'select candidate_id as id from conversation where id = $1';
    return (await app.one<{ id: string }>(found, [conversationId])).id;
  }

  function consentOf({ conversationId }: { conversationId: string }) {
    return app.one<{ at: Date; version: string }>(
      'select consent_at as at, consent_version as version from conversation where id = $1',
      [conversationId],
    );
  }

  /** Two accounts in one interview: one has begun it, the other has opened the link that it got. */
  async function shared(): Promise<{ mallory: Person; ada: Person }> {
    const mallory = await begunPerson(app);
    await mallory.writes('/web');
    const web = /[\w-]{32}(?=\s|$)/.exec(mallory.lastHeard)?.[0] ?? '';
    const ada = victim();
    await ada.starts(await linkToTelegram(await TestCandidate.claim(app, web)));
    await ada.presses(EN.mineButton);
    return { mallory, ada };
  }

  test('shows its maker nothing about the person who opens it, until that person confirms it', async () => {
    const stranger = await nameless();
    const ada = victim();

    await ada.starts(await linkToTelegram(stranger));

    await expectUnseen(ada, stranger);
    expect(ada.heard).toEqual([expect.stringContaining('Baker, Crumb')]);
    expect(ada.lastHeard).toContain('script of Crumb');
    expect(await ada.conversationId()).toBeNull();
    await ada.writes('Hello?');
    await expectUnseen(ada, stranger);
  });

  test('opens no interview if the person says that it is not theirs', async () => {
    const stranger = await nameless();
    const ada = victim();
    await ada.starts(await linkToTelegram(stranger));

    await ada.presses(EN.notMineButton);

    expect(ada.lastHeard).toBe(EN.notMine);
    await expectUnseen(ada, stranger);
    expect(await ada.conversationId()).toBeNull();
  });

  test('records a new consent when the person says that it is theirs', async () => {
    const candidate = await TestCandidate.begin(app);
    const before = await consentOf(candidate);
    app.clock.advance(60_000);
    const ada = victim();
    await ada.starts(await linkToTelegram(candidate));

    await ada.presses(EN.mineButton);

    expect(ada.heard.slice(1)).toEqual([EN.welcomeBack, QUESTION]);
    expect((await consentOf(candidate)).at.getTime()).toBeGreaterThan(before.at.getTime());
    expect(await ada.conversationId()).toBe(candidate.conversationId);
  });

  test('does not move the interview when the person opens their own invitation and says no', async () => {
    const stranger = await nameless();
    const ada = victim();
    await ada.starts(await linkToTelegram(stranger));
    await ada.presses(EN.mineButton);
    const owner = await ownerOf(stranger.conversationId);
    const { token, candidateId } = await invite(app, { name: 'Victoria Invited' });

    await ada.starts(token);
    await ada.presses(EN.notJoinButton);
    await ada.agrees();
    await ada.writes('My own words, for my own interview.');

    expect(await ownerOf(stranger.conversationId)).toBe(owner);
    expect(await ada.conversationId()).not.toBe(stranger.conversationId);
    await expectUntold(stranger, 'Victoria Invited', 'My own words');
    await stranger.post('forget', { confirm: 'erase' });
    const left = await app.sql('select 1 from candidate where id = $1', [candidateId]);
    expect(left).toHaveLength(1);
    expect(await ada.said()).toEqual(['My own words, for my own interview.']);
  });

  test('ends the session and links of its maker when the person joins the interview', async () => {
    const stranger = await nameless();
    const ada = victim();
    await ada.starts(await linkToTelegram(stranger));
    await ada.presses(EN.mineButton);
    const open = await linkToTelegram(stranger);
    const events = await stranger.get('/api/v1/conversation/events');
    const { token, candidateId } = await invite(app, { name: 'Victoria Invited' });

    await ada.starts(token);
    expect(ada.lastHeard).toContain('Baker, Crumb');
    await ada.presses(EN.joinButton);

    expect(await ownerOf(stranger.conversationId)).toBe(candidateId);
    expect(await ada.conversationId()).toBe(stranger.conversationId);
    expect((await stranger.get('/api/v1/conversation')).status).toBe(401);
    expect((await stranger.get('/api/v1/conversation/mydata')).status).toBe(401);
    expect((await stranger.post('forget', { confirm: 'erase' })).status).toBe(401);
    // The stream has ended; otherwise this would wait forever.
    expect(await events.text()).toContain('event: hello');
    const bob = victim();
    await bob.starts(open);
    expect(bob.heard[0]).toBe(EN.linkUnknown);
  });

  test('ends the access of its maker’s account, too, when the person joins the interview', async () => {
    const { mallory, ada } = await shared();
    const { token } = await invite(app);
    await ada.starts(token);
    await ada.presses(EN.joinButton);
    await ada.writes('Words that are told to nobody else.');
    const conversationId = await ada.conversationId();
    const other = await app.addVacancy({ slug: 'cook', title: 'Cook', company: 'Pan' });
    await mallory.starts(other.openToken);
    await mallory.agrees();

    await mallory.writes('/mydata');
    await mallory.presses(EN.myDataButton);
    const sent = mallory.chat.messages.flatMap(({ message }) => message.document?.file_id ?? []);
    expect(sent).toHaveLength(1);
    const file = app.telegram.file(sent[0] ?? '')?.bytes.toString();
    expect(file).not.toContain('told to nobody else');
    for (const trace of traces(ada)) expect(file).not.toContain(trace);
    await mallory.writes('/forget');
    await mallory.presses(EN.forgetButton);

    expect(await ada.conversationId()).toBe(conversationId);
    expect(await ada.said()).toEqual(['Words that are told to nobody else.']);
  });

  test('removes its maker from the interview that the person joins', async () => {
    const { mallory, ada } = await shared();
    await mallory.starts(app.vacancy.openToken);
    const { id: vacancyId } = await app.addVacancy({
      slug: 'smith',
      title: 'Smith',
      company: 'Iron',
    });
    const { token } = await invite(app, { vacancyId });
    expect(await mallory.conversationId()).not.toBeNull();

    await ada.starts(token);
    await ada.presses(EN.joinButton);

    expect(await mallory.conversationId()).toBeNull();
  });

  test('gives its maker no access to the next interview that the person begins by an open link', async () => {
    const stranger = await nameless();
    const ada = victim();
    await ada.starts(await linkToTelegram(stranger));
    await ada.presses(EN.mineButton);
    const other = await app.addVacancy({
      slug: 'miller',
      title: 'Miller',
      company: 'Mill & Sons',
    });

    await ada.starts(other.openToken);
    await ada.agrees();
    await ada.writes('My own words for the mill.');

    await expectUntold(stranger, 'My own words');
    expect(await ownerOf((await ada.conversationId()) ?? '')).not.toBe(
      await ownerOf(stranger.conversationId),
    );
  });

  test('asks for confirmation if its invitation is open in a browser', async () => {
    const { token } = await invite(app);
    const stranger = await TestCandidate.arrive(app, token);
    const { disclosure } = await stranger.view();
    await stranger.post('consent', { version: disclosure.version, accepted: true });
    const ada = victim();

    await ada.starts(token);
    await expectUnseen(ada, stranger);
    expect(await ada.conversationId()).toBeNull();
    await ada.presses(EN.notMineButton);
    await expectUnseen(ada, stranger);
    const bob = victim();
    await bob.starts(token);
    await bob.presses(EN.mineButton);

    expect(await bob.conversationId()).toBe(stranger.conversationId);
  });

  test('asks for confirmation if its invitation is opened by its PIN', async () => {
    const { token, pin } = await invite(app);
    const stranger = await TestCandidate.arrive(app, token);
    const ada = victim();

    await ada.writes(pin);

    await expectUnseen(ada, stranger);
    expect(await ada.conversationId()).toBeNull();
    await ada.presses(EN.mineButton);
    expect(await ada.conversationId()).toBe(stranger.conversationId);
  });

  test('shows its maker nothing if the maker consents later and the person does not', async () => {
    const { token } = await invite(app);
    const ada = victim();
    await ada.starts(token);
    const stranger = await TestCandidate.claim(app, token);
    await expectUnseen(ada, stranger);
    const { disclosure } = await stranger.view();
    await stranger.post('consent', { version: disclosure.version, accepted: true });

    await ada.starts(token);
    await ada.writes('Words before any consent.');

    await expectUnseen(ada, stranger);
    await expectUntold(stranger, 'Words before any consent.');
  });

  test('has buttons that work only for the account that was asked', async () => {
    const stranger = await nameless();
    const [ada, mallory] = [victim(), victim()];
    await ada.starts(await linkToTelegram(stranger));
    await ada.presses(EN.mineButton);
    await mallory.starts();
    const { disclosure } = await stranger.view();
    const madeUp = [
      `mine:${disclosure.version}:${stranger.conversationId}`,
      `mine:${disclosure.version}:nobody`,
      'mine:',
      `join:yes:l:${stranger.conversationId}`,
      'join:yes:l:nobody',
      'notmine:whatever',
    ];

    for (const data of madeUp) {
      await mallory.does((user) => user.pressesWithData(data, mallory.idOf(EN.waysIn.script)));
    }

    expect(await mallory.conversationId()).toBeNull();
    expect(await ada.conversationId()).toBe(stranger.conversationId);
    await expectUnseen(mallory, stranger);
  });

  test('is used by only one of two accounts that confirm it at once', async () => {
    const stranger = await nameless();
    const token = await linkToTelegram(stranger);
    const ada = victim();
    await ada.starts(token);
    const continuations = app.get(ContinuationRepository);
    const gate = new AbortController();

    const other = app.commit(async (tx) => {
      await continuations.redeem(tx, token, 'telegram');
      await new Promise((resolve) => {
        gate.signal.addEventListener('abort', resolve);
      });
    });
    ada.user.presses(EN.mineButton);
    await app.untilLockWait();
    gate.abort();
    await other;
    await app.settle();

    expect(await ada.conversationId()).toBeNull();
    await expectUnseen(ada, stranger);
  });

  test('that was issued again no longer works for an account that has not consented', async () => {
    const { token, candidateId } = await invite(app);
    const [mallory, ada] = [victim(), victim()];
    await mallory.starts(token);
    const again = await invite(app, { candidateId });

    await mallory.agrees();
    expect(mallory.lastHeard).toBe(EN.linkExpired);
    mallory.forgetsTheChat();
    await mallory.writes('/web');
    expect(mallory.heard).toEqual([EN.linkExpired]);
    await ada.starts(again.token);
    await ada.presses(EN.mineButton);
    const conversationId = (await ada.conversationId()) ?? '';
    const version = (await consentOf({ conversationId })).version;
    await mallory.starts();
    await mallory.does((user) =>
      user.pressesWithData(`mine:${version}:${conversationId}`, mallory.idOf(EN.waysIn.script)),
    );

    expect(await mallory.conversationId()).toBeNull();
    expect(await ada.conversationId()).toBe(conversationId);
  });
});
