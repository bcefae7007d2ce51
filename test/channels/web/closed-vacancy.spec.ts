import { CandidateRepository } from '../../../src/candidates';
import {
  InvitationRepository,
  PinHasher,
  VacancyRepository,
  withInvitationSecrets,
} from '../../../src/vacancies';
import type { Tx } from '../../../src/common/uow';
import { FakeClock } from '../../../tools/support/fake-clock';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { vacancyDraft } from '../../support/vacancies';

/** `colloquy vacancy close`, as candidates in a browser meet it. */

describe('a closed vacancy', () => {
  let app: TestApp;
  let slug: string;
  let vacancyId: string;
  let openToken: string;
  let count = 0;

  beforeAll(async () => {
    app = await startTestApp({ clock: new FakeClock(), isWorking: false });
  });

  beforeEach(async () => {
    slug = `closing-${String((count += 1))}`;
    const { vacancy } = await app.commit((tx) => vacancies().upsert(tx, vacancyDraft({ slug })));
    ({ id: vacancyId, openToken } = vacancy);
  });

  afterAll(() => app.close());

  function vacancies(): VacancyRepository {
    return app.get(VacancyRepository);
  }

  function setClosed(isClosed: boolean): Promise<unknown> {
    return app.commit((tx) => vacancies().setClosed(tx, slug, isClosed));
  }

  async function issue(): Promise<string> {
    return withInvitationSecrets(app.get(PinHasher), (secrets) =>
      app.commit(async (tx) => {
        const { id } = await app.get(CandidateRepository).create(tx);
        const invitation = { vacancyId, candidateId: id, secrets };
        await app.get(InvitationRepository).issue(tx, invitation);
        return secrets.token;
      }),
    );
  }

  async function shown(token: string): Promise<Record<string, unknown>> {
    return (await (await fetch(`${app.url}/api/v1/invites/${token}`)).json()) as never;
  }

  /** Status and problem code of opening a link, as a browser with this session if one is given. */
  async function open(token: string, session?: string): Promise<unknown[]> {
    const response = await fetch(`${app.url}/api/v1/sessions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: app.url,
        ...(session === undefined ? {} : { authorization: `Bearer ${session}` }),
      },
      body: JSON.stringify({ invite: token }),
    });
    return [response.status, ((await response.json()) as { code?: string }).code];
  }

  async function agree(candidate: TestCandidate, accepted = true): Promise<unknown[]> {
    const { version } = (await candidate.view()).disclosure;
    const response = await candidate.post('consent', { version, accepted });
    return [response.status, ((await response.json()) as { code?: string }).code];
  }

  function conversations(): Promise<{ count: number }[]> {
    return app.sql('select count(*)::int as count from conversation where vacancy_id = $1', [
      vacancyId,
    ]);
  }

  const REFUSED = [410, 'vacancy_closed'];

  test('says so at its open link and at an invitation, and begins nothing', async () => {
    const invitation = await issue();
    await setClosed(true);

    for (const token of [openToken, invitation]) {
      expect(await shown(token)).toMatchObject({ state: 'closed', disclosure: null });
      expect(await open(token)).toEqual(REFUSED);
    }
    expect(await conversations()).toEqual([{ count: 0 }]);
  });

  test('that is opened again begins interviews again', async () => {
    await setClosed(true);
    await setClosed(false);

    expect(await shown(openToken)).toMatchObject({ state: 'open' });
    expect(await open(openToken)).toEqual([201, undefined]);
  });

  test('lets who has agreed go on: messages, a continuation, the link on another browser', async () => {
    const invitation = await issue();
    const ada = await TestCandidate.arrive(app, invitation);
    await agree(ada);
    await ada.post('profile', { name: 'Ada', contact: 'ada@example.org' });
    await setClosed(true);

    const sent = await ada.post('messages', { id: 'm1', text: 'Rye bread.' });

    expect(sent.status).toBe(202);
    expect(await shown(invitation)).toMatchObject({ state: 'open' });
    const elsewhere = await TestCandidate.claim(app, invitation);
    expect(await elsewhere.view()).toMatchObject({ id: ada.conversationId, status: 'active' });
  });

  test('lets who has agreed, and has not yet said who they are, begin', async () => {
    const ada = await TestCandidate.arrive(app, openToken);
    await agree(ada);
    await setClosed(true);

    expect((await open(openToken, ada.token))[1]).toBeUndefined();
    await ada.post('profile', { name: 'Ada', contact: 'ada@example.org' });

    expect(await ada.view()).toMatchObject({ status: 'active' });
  });

  test('refuses who has opened the link before and presses "I agree" afterwards; they may decline', async () => {
    const ada = await TestCandidate.arrive(app, openToken);
    await setClosed(true);

    expect(await agree(ada)).toEqual(REFUSED);
    expect(await ada.view()).toMatchObject({ status: 'new', consent: null });
    expect(await agree(ada, false)).toEqual([200, undefined]);
    expect(await agree(ada)).toEqual(REFUSED);
  });

  test('says so to who has opened the invitation before, and not begun, when they come back', async () => {
    const invitation = await issue();
    await TestCandidate.arrive(app, invitation);
    await setClosed(true);

    expect(await shown(invitation)).toMatchObject({ state: 'closed' });
    expect(await open(invitation)).toEqual(REFUSED);
  });

  test('stays closed when it is imported again', async () => {
    await setClosed(true);

    const { vacancy, outcome } = await app.commit((tx) =>
      vacancies().upsert(tx, vacancyDraft({ slug, title: 'Head baker' })),
    );

    expect([outcome, vacancy.closedAt]).toEqual(['changed', expect.any(Date)]);
    expect(await open(openToken)).toEqual(REFUSED);
  });

  test('keeps the time at which it was closed when it is closed again', async () => {
    const [first, again] = await app.commit(async (tx) => [
      await vacancies().setClosed(tx, slug, true),
      await vacancies().setClosed(tx, slug, true),
    ]);

    expect([first.hasChanged, again.hasChanged]).toEqual([true, false]);
    expect(again.vacancy.closedAt).toEqual(first.vacancy.closedAt);
  });

  /** Does `work` in a commit that stays open until `end`. */
  async function held(work: (tx: Tx) => Promise<unknown>): Promise<{ end: () => Promise<void> }> {
    let [begun, release] = [(): void => undefined, (): void => undefined];
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    const commit = app.commit(async (tx) => {
      await work(tx);
      begun();
      await released;
    });
    await Promise.race([hasBegun, commit]);
    const end = (): Promise<void> => {
      release();
      return commit;
    };
    return { end };
  }

  function someoneWaits(): Promise<void> {
    return app.until('a session waits for a lock', async () => {
      const rows = await app.sql(
        `select 1 from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });
  }

  test('refuses who opens the link while it is being closed', async () => {
    const closing = await held((tx) => vacancies().setClosed(tx, slug, true));
    const opening = open(openToken);
    await someoneWaits();

    await closing.end();

    expect(await opening).toEqual(REFUSED);
    expect(await conversations()).toEqual([{ count: 0 }]);
  });

  test('is closed only after an interview that is just beginning; an import waits for neither', async () => {
    const beginning = await held(async (tx) => {
      expect(await vacancies().isClosed(tx, vacancyId)).toBe(false);
    });
    await app.commit((tx) => vacancies().upsert(tx, vacancyDraft({ slug, title: 'Head baker' })));
    const closing = setClosed(true);
    await someoneWaits();

    await beginning.end();

    expect(await closing).toMatchObject({ hasChanged: true, vacancy: { title: 'Head baker' } });
    expect(await open(openToken)).toEqual(REFUSED);
  });
});
