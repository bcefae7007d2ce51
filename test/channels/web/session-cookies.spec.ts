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
  test.each<[string, number, () => Record<string, string>]>([
    ['the page itself', 202, () => ({ origin: here() })],
    ['the public address, behind a proxy that rewrites Host', 202, () => ({ origin: publicUrl })],
    [
      'a browser that sends no origin and says it is the page',
      202,
      () => ({ 'sec-fetch-site': 'same-origin' }),
    ],
    [
      'an in-app browser that hides the origin',
      202,
      () => ({ origin: 'null', 'sec-fetch-site': 'same-origin' }),
    ],
    ['another site', 403, () => ({ origin: 'https://evil.example' })],
    [
      'another host of the same domain',
      403,
      () => ({ origin: 'https://www.example.org', 'sec-fetch-site': 'same-site' }),
    ],
    ['a page without an address', 403, () => ({ origin: 'null' })],
    ['a broken origin', 403, () => ({ origin: 'nonsense' })],
    ['a client that says nothing', 403, () => ({})],
  ])('a write from %s: %i', async (_title, status, headers) => {
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
