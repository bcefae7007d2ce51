import { CandidateRepository } from '../../../src/candidates';
import {
  InvitationRepository,
  PinHasher,
  VacancyRepository,
  withInvitationSecrets,
} from '../../../src/vacancies';
import { SCRIPT_VERSION } from '../../../src/interview/texts/disclosure';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { FakeClock } from '../../../tools/support/fake-clock';
import { vacancyDraft } from '../../support/vacancies';

const DAY_MS = 24 * 3_600_000;
/** The person's word about an interview that is open elsewhere. */
const MINE = { version: SCRIPT_VERSION };

interface Begun {
  readonly status: number;
  readonly cookies: readonly string[];
  readonly conversationId: string;
  readonly sessionToken: string;
  readonly code?: string;
}

describe('the session of a candidate', () => {
  const clock = new FakeClock();
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ clock, isWorking: false });
  });

  afterAll(() => app.close());

  async function begin(
    invite: string,
    headers: Record<string, string> = {},
    mine?: { version: string },
  ): Promise<Begun> {
    const response = await fetch(`${app.url}/api/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: app.url, ...headers },
      body: JSON.stringify({ invite, mine }),
    });
    const body = (await response.json()) as Begun;
    return { ...body, status: response.status, cookies: response.headers.getSetCookie() };
  }

  /** A personal link of a new candidate, or a new one of the same. */
  async function issue(candidateId?: string): Promise<{ token: string; candidateId: string }> {
    const pinKeys = app.get(PinHasher);
    return withInvitationSecrets(pinKeys, (secrets) =>
      app.commit(async (tx) => {
        const id = candidateId ?? (await app.get(CandidateRepository).create(tx)).id;
        const invitations = app.get(InvitationRepository);
        await invitations.issue(tx, { vacancyId: app.vacancy.id, candidateId: id, secrets });
        return { token: secrets.token, candidateId: id };
      }),
    );
  }

  function cookieHeader(...begun: readonly Begun[]): string {
    const jar = new Map<string, string>();
    for (const cookie of begun.flatMap(({ cookies }) => cookies)) {
      const [pair = ''] = cookie.split(';');
      const [name = '', value = ''] = pair.split('=');
      jar.set(name, value);
    }
    return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  test('begins with a cookie that scripts cannot read and other sites cannot send', async () => {
    const { status, cookies, sessionToken } = await begin(app.vacancy.openToken);

    expect(status).toBe(201);
    const cookie = cookies.find((one) => one.startsWith('colloquy_session='));
    expect(cookie).toBe(
      `colloquy_session=${sessionToken}; Max-Age=15552000; Path=/; HttpOnly; SameSite=Lax`,
    );
  });

  test('returns the same browser to its conversation', async () => {
    const first = await begin(app.vacancy.openToken);

    const again = await begin(app.vacancy.openToken, { cookie: cookieHeader(first) });

    expect([again.status, again.conversationId]).toEqual([200, first.conversationId]);
  });

  test('gives another browser a conversation of its own', async () => {
    const first = await begin(app.vacancy.openToken);

    const other = await begin(app.vacancy.openToken);

    expect([other.status, other.conversationId === first.conversationId]).toEqual([201, false]);
  });

  test('keeps the interviews of several links in one browser apart', async () => {
    const vacancies = app.get(VacancyRepository);
    const { vacancy } = await app.commit((tx) =>
      vacancies.upsert(tx, vacancyDraft({ slug: 'miller', title: 'Miller' })),
    );
    const baker = await begin(app.vacancy.openToken);
    const miller = await begin(vacancy.openToken, { cookie: cookieHeader(baker) });

    const back = await begin(app.vacancy.openToken, { cookie: cookieHeader(baker, miller) });

    expect(miller.conversationId).not.toBe(baker.conversationId);
    expect([back.status, back.conversationId]).toEqual([200, baker.conversationId]);
  });

  test('opens one conversation when a personal link is opened several times at once', async () => {
    const { token } = await issue();

    const begun = await Promise.all(Array.from({ length: 6 }, () => begin(token)));
    const claimed = await Promise.all(Array.from({ length: 5 }, () => begin(token, {}, MINE)));

    expect(begun.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(claimed.map(({ status }) => status)).toEqual(Array(5).fill(201));
    const opened = [...begun, ...claimed].filter(({ status }) => status === 201);
    expect(new Set(opened.map(({ conversationId }) => conversationId)).size).toBe(1);
    expect(new Set(opened.map(({ sessionToken }) => sessionToken)).size).toBe(6);
  });

  test('continues by a link that was issued again; the replaced link has expired', async () => {
    const first = await issue();
    const begun = await begin(first.token);
    const second = await issue(first.candidateId);

    const again = await begin(second.token, {}, MINE);
    const replaced = await begin(first.token);

    expect(again.conversationId).toBe(begun.conversationId);
    expect([replaced.status, replaced.code]).toEqual([410, 'invite_expired']);
  });

  test('stays valid after its link has expired, only in the browser that has it', async () => {
    const { token } = await issue();
    const begun = await begin(token);
    clock.advance(15 * DAY_MS);

    const own = await begin(token, { cookie: cookieHeader(begun) });
    const foreign = await begin(token);
    const invite = await (await fetch(`${app.url}/api/v1/invites/${token}`)).json();

    expect([own.status, own.conversationId]).toEqual([200, begun.conversationId]);
    expect([foreign.status, foreign.code]).toEqual([410, 'invite_expired']);
    expect(invite).toEqual({
      interviewer: 'script',
      kind: 'personal',
      isPreview: false,
      language: 'en',
      company: 'Crumb',
      vacancyTitle: 'Baker',
      brand: { logo: null, accent: null },
      questions: 3,
      minutes: 5,
      state: 'expired',
      disclosure: null,
    });
  });

  test('is taken from the header and not from a cookie, also when the header is wrong', async () => {
    const [one, other] = [await begin(app.vacancy.openToken), await begin(app.vacancy.openToken)];
    const view = (authorization: string) =>
      fetch(`${app.url}/api/v1/conversation`, {
        headers: { authorization, cookie: cookieHeader(one) },
      });

    const right = (await (await view(`bearer ${other.sessionToken}`)).json()) as { id: string };
    const wrong = await view('Bearer nobody');

    expect(right.id).toBe(other.conversationId);
    expect(wrong.status).toBe(401);
  });

  test.each(['', 'x', 'a'.repeat(32), '../../etc/passwd', '%00'])(
    'does not begin by the unknown link %j, and reading that link stores nothing',
    async (token) => {
      const before = await app.commit((tx) => tx.query('select count(*) from conversation'));

      const refused = await begin(token === '' ? ' ' : token);
      const looked = await fetch(`${app.url}/api/v1/invites/${encodeURIComponent(token)}`);

      expect([404, 422]).toContain(refused.status);
      expect(looked.status).toBe(404);
      const after = await app.commit((tx) => tx.query('select count(*) from conversation'));
      expect(after).toEqual(before);
    },
  );

  test('shows the conversation of its cookie', async () => {
    const begun = await begin(app.vacancy.openToken);

    const response = await fetch(`${app.url}/api/v1/conversation`, {
      headers: { cookie: cookieHeader(begun) },
    });

    expect(await response.json()).toMatchObject({ id: begun.conversationId, status: 'new' });
  });

  test('has a secure cookie when PUBLIC_URL is https', async () => {
    const secure = await startTestApp({ env: { PUBLIC_URL: 'https://jobs.example.org' } });
    try {
      const response = await fetch(`${secure.url}/api/v1/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ invite: secure.vacancy.openToken }),
      });
      for (const cookie of response.headers.getSetCookie()) expect(cookie).toContain('; Secure');
      expect(response.headers.get('strict-transport-security')).toContain('max-age=31536000');
    } finally {
      await secure.close();
    }
  });

  test('is required for everything in a conversation', async () => {
    const candidate = await TestCandidate.arrive(app);
    const nobody = { 'content-type': 'application/json' };
    const posts = ['consent', 'profile', 'messages', 'activity', 'done', 'stop', 'human'];

    for (const action of [...posts, 'withdraw']) {
      const response = await fetch(`${app.url}/api/v1/conversation/${action}`, {
        method: 'POST',
        headers: nobody,
        body: '{}',
      });
      expect([action, response.status]).toEqual([action, 401]);
    }
    expect((await candidate.view()).status).toBe('new');
  });
});
