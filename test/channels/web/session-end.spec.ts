import { CandidateRepository } from '../../../src/candidates';
import { InvitationRepository, PinHasher, withInvitationSecrets } from '../../../src/vacancies';
import { SCRIPT_VERSION } from '../../../src/interview/texts/disclosure';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { FakeClock } from '../../../tools/support/fake-clock';
import { runCli } from '../../support/run-cli';
import { ADMIN_TOKEN } from '../../support/secrets';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

interface Begun {
  readonly status: number;
  readonly conversationId: string;
  readonly sessionToken: string;
  /** What the browser sends from now on. */
  readonly cookie: string;
}

async function begin(
  app: TestApp,
  invite: string,
  headers: object = {},
  mine?: { version: string },
): Promise<Begun> {
  const response = await fetch(`${app.url}/api/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ invite, mine }),
  });
  const cookies = response.headers.getSetCookie().map((one) => one.split(';')[0]);
  const body = (await response.json()) as Omit<Begun, 'status' | 'cookie'>;
  return { ...body, status: response.status, cookie: cookies.join('; ') };
}

/** In another browser, whose person confirms that the interview is theirs. */
function claim(app: TestApp, invite: string): Promise<Begun> {
  return begin(app, invite, {}, { version: SCRIPT_VERSION });
}

describe('a session ends', () => {
  const clock = new FakeClock();
  let app: TestApp;

  beforeAll(async () => {
    const env = { SESSION_IDLE_TIMEOUT: String(7 * 86_400), SESSION_LIFETIME: String(20 * 86_400) };
    app = await startTestApp({ clock, isWorking: false, env: { ...env, ADMIN_TOKEN } });
  });

  afterAll(() => app.close());

  async function seenAt(conversationId: string): Promise<number> {
    const [row] = await app.commit((tx) =>
      tx.query<{ seen_at: Date }>('select seen_at from web_session where conversation_id = $1', [
        conversationId,
      ]),
    );
    return row?.seen_at.getTime() ?? 0;
  }

  /** A personal link of a new candidate. */
  async function issue(): Promise<{ token: string; candidateId: string }> {
    const pinKeys = app.get(PinHasher);
    return withInvitationSecrets(pinKeys, (secrets) =>
      app.commit(async (tx) => {
        const { id } = await app.get(CandidateRepository).create(tx);
        const invitations = app.get(InvitationRepository);
        await invitations.issue(tx, { vacancyId: app.vacancy.id, candidateId: id, secrets });
        return { token: secrets.token, candidateId: id };
      }),
    );
  }

  test('when it was not used for the idle time, by header and by cookie', async () => {
    const { token } = await TestCandidate.arrive(app);
    const cookie = `colloquy_session=${token}`;
    clock.advance(7 * DAY_MS + 1);

    const [byHeader, byCookie] = [
      await fetch(`${app.url}/api/v1/conversation`, {
        headers: { authorization: `Bearer ${token}` },
      }),
      await fetch(`${app.url}/api/v1/conversation`, { headers: { cookie } }),
    ];

    expect([byHeader.status, byCookie.status]).toEqual([401, 401]);
  });

  test('at the end of its lifetime, however often it is used', async () => {
    const candidate = await TestCandidate.arrive(app);
    const statuses: number[] = [];

    for (let day = 0; day <= 20; day += 5) {
      statuses.push((await candidate.get('/api/v1/conversation')).status);
      clock.advance(5 * DAY_MS);
    }

    expect(statuses).toEqual([200, 200, 200, 200, 401]);
  });

  test('and its own link does not open it again when that has expired too', async () => {
    const { token } = await issue();
    const begun = await begin(app, token);
    clock.advance(21 * DAY_MS);

    const again = await begin(app, token, { cookie: begun.cookie, origin: app.url });

    expect([begun.status, again.status]).toEqual([201, 410]);
  });

  test('later when it is used; its use is stored at most once in five minutes', async () => {
    const candidate = await TestCandidate.arrive(app);
    const at = async (advanceMs: number): Promise<number> => {
      clock.advance(advanceMs);
      await candidate.view();
      return seenAt(candidate.conversationId);
    };
    const begunAt = await seenAt(candidate.conversationId);

    const [soon, later, laterStill] = [
      await at(4 * MINUTE_MS),
      await at(2 * MINUTE_MS),
      await at(4 * MINUTE_MS),
    ];

    expect([soon - begunAt, later - begunAt]).toEqual([0, 6 * MINUTE_MS]);
    expect(laterStill).toBe(later);
  });

  test('when its invitation is issued again, for every browser that had it', async () => {
    const { token, candidateId } = await issue();
    const [one, other] = [await begin(app, token), await claim(app, token)];
    const stranger = await TestCandidate.arrive(app);

    const run = await runCli(['invite', app.vacancy.slug, '--candidate', candidateId], {
      DATABASE_URL: app.databaseUrl,
    });

    expect(run).toMatchObject({ code: 0, err: '' });
    const seen = [one, other].map(({ sessionToken }) =>
      fetch(`${app.url}/api/v1/conversation`, {
        headers: { authorization: `Bearer ${sessionToken}` },
      }),
    );
    expect((await Promise.all(seen)).map(({ status }) => status)).toEqual([401, 401]);
    expect((await stranger.get('/api/v1/conversation')).status).toBe(200);
  });

  test('when its browser signs out, which deletes its cookies; other sessions of the interview stay', async () => {
    const { token } = await issue();
    const [leaving, staying] = [await begin(app, token), await claim(app, token)];

    const left = await fetch(`${app.url}/api/v1/sessions/current`, {
      method: 'DELETE',
      headers: { cookie: leaving.cookie, origin: app.url },
    });

    expect(left.status).toBe(204);
    const cleared = left.headers.getSetCookie().map((one) => one.split('; ').slice(0, 3));
    expect(cleared).toEqual([
      ['colloquy_session=', 'Max-Age=0', 'Path=/'],
      [
        expect.stringMatching(/^colloquy_link_[0-9a-f]{16}=$/),
        'Max-Age=0',
        'Path=/api/v1/sessions',
      ],
    ]);
    const statuses = [leaving, staying].map(async ({ sessionToken }) => {
      const headers = { authorization: `Bearer ${sessionToken}` };
      return (await fetch(`${app.url}/api/v1/conversation`, { headers })).status;
    });
    expect(await Promise.all(statuses)).toEqual([401, 200]);
  });

  test('and the cookie of another interview stays', async () => {
    const [first, second] = [
      await begin(app, (await issue()).token),
      await TestCandidate.arrive(app),
    ];

    const left = await fetch(`${app.url}/api/v1/sessions/current`, {
      method: 'DELETE',
      headers: {
        authorization: `Bearer ${first.sessionToken}`,
        cookie: `${first.cookie.split('; ')[1] ?? ''}; colloquy_session=${second.token}`,
      },
    });

    expect(left.headers.getSetCookie().join('\n')).not.toContain('colloquy_session=');
    expect(left.headers.getSetCookie()).toHaveLength(1);
  });
});

describe('a response of the API', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ isWorking: false, env: { ADMIN_TOKEN } });
  });

  afterAll(() => app.close());

  test('is never stored by a proxy', async () => {
    const { paths } = (await (await fetch(`${app.url}/docs/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const kept: string[] = [];
    const asked = Object.entries(paths).filter(([path]) => path.startsWith('/api/'));

    for (const [path, methods] of asked) {
      for (const method of Object.keys(methods)) {
        const url = app.url + path.replaceAll(/\{\w+\}/g, '0');
        const { headers } = await fetch(url, { method: method.toUpperCase() });
        if (!(headers.get('cache-control') ?? '').includes('no-store')) kept.push(path);
      }
    }

    expect(asked.length).toBeGreaterThan(20);
    expect(kept).toEqual([]);
  });

  test('to a session or to the admin token is not stored either', async () => {
    const candidate = await TestCandidate.begin(app);
    const admin = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const of = `/api/v1/admin/conversations/${candidate.conversationId}`;
    const stop = new AbortController();

    const responses = [
      await candidate.get('/api/v1/conversation'),
      await candidate.get('/api/v1/conversation/mydata'),
      await candidate.get('/api/v1/conversation/events', {}, stop.signal),
      await fetch(`${app.url}${of}/transcript`, { headers: admin }),
      await fetch(`${app.url}${of}/voices`, { headers: admin }),
      await fetch(`${app.url}/api/v1/admin/attention`, { headers: admin }),
    ];

    stop.abort();
    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(200));
    for (const { headers } of responses) expect(headers.get('cache-control')).toMatch(/no-store/);
  });
});
