import { type TestApp, startTestApp } from '../../support/app';

interface Begun {
  readonly status: number;
  readonly conversationId: string;
  readonly sessionToken: string;
  /** What the browser sends from now on. */
  readonly cookie: string;
}

async function begin(app: TestApp, invite: string, headers: object = {}): Promise<Begun> {
  const response = await fetch(`${app.url}/api/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ invite }),
  });
  const cookies = response.headers.getSetCookie().map((one) => one.split(';')[0]);
  const body = (await response.json()) as Omit<Begun, 'status' | 'cookie'>;
  return { ...body, status: response.status, cookie: cookies.join('; ') };
}

describe('a cookie', () => {
  const publicUrl = 'https://jobs.example.org';
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ isWorking: false, env: { PUBLIC_URL: publicUrl } });
  });

  afterAll(() => app.close());

  test('has names that no other host of the domain can set, when PUBLIC_URL is https', async () => {
    const { cookie } = await begin(app, app.vacancy.openToken);

    const viewed = await fetch(`${app.url}/api/v1/conversation`, { headers: { cookie } });
    const plain = await fetch(`${app.url}/api/v1/conversation`, {
      headers: { cookie: cookie.replaceAll('__Host-', '').replaceAll('__Secure-', '') },
    });

    expect(cookie).toMatch(
      /^__Host-colloquy_session=[\w-]{32}; __Secure-colloquy_link_[0-9a-f]{16}=[\w-]{32}$/,
    );
    expect([viewed.status, plain.status]).toEqual([200, 401]);
  });

  const here = (): string => app.url;
  test.each<[string, () => Record<string, string>, number]>([
    ['the page itself', () => ({ origin: here() }), 202],
    ['the public address, behind a proxy that rewrites Host', () => ({ origin: publicUrl }), 202],
    [
      'no origin, but the browser says it is the page',
      () => ({ 'sec-fetch-site': 'same-origin' }),
      202,
    ],
    [
      'an in-app browser that hides the origin',
      () => ({ origin: 'null', 'sec-fetch-site': 'same-origin' }),
      202,
    ],
    ['another site', () => ({ origin: 'https://evil.example' }), 403],
    [
      'another host of the same domain',
      () => ({ origin: 'https://www.example.org', 'sec-fetch-site': 'same-site' }),
      403,
    ],
    ['a page without an address', () => ({ origin: 'null' }), 403],
    ['a broken origin', () => ({ origin: 'nonsense' }), 403],
    ['nobody says who', () => ({}), 403],
  ])('writes for: %s', async (_title, headers, status) => {
    const { cookie } = await begin(app, app.vacancy.openToken);

    const done = await fetch(`${app.url}/api/v1/conversation/done`, {
      method: 'POST',
      headers: { cookie, ...headers() },
    });

    expect(done.status).toBe(status);
  });

  test('of another site opens no session either, and reads need no origin', async () => {
    const { cookie } = await begin(app, app.vacancy.openToken);

    const foreign = await begin(app, app.vacancy.openToken, {
      cookie,
      origin: 'https://evil.example',
    });
    const read = await fetch(`${app.url}/api/v1/conversation`, { headers: { cookie } });

    expect([foreign.status, read.status]).toEqual([403, 200]);
  });

  test('is not needed with a bearer, whatever the origin', async () => {
    const { cookie, sessionToken } = await begin(app, app.vacancy.openToken);

    const done = await fetch(`${app.url}/api/v1/conversation/done`, {
      method: 'POST',
      headers: { cookie, authorization: `Bearer ${sessionToken}`, origin: 'https://evil.example' },
    });

    expect(done.status).toBe(202);
  });
});
