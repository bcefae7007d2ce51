import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ExampleVacancies } from '../../../src/vacancies';
import { UnitOfWorkFactory } from '../../../src/common/uow';
import { type TestApp, startTestApp } from '../../support/app';

const EXAMPLES = path.join(__dirname, '../../../examples');
const TOKEN = 'a'.repeat(32);
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const TEMPLATE = `<!doctype html>
<html lang="en"><head><title>Page</title></head><body><div id="root"></div></body></html>
`;
/** Shows what the server gives the page. */
const RENDERER = `
exports.renderFrontPage = (page, language) => ({
  title: '<title>' + page.kind + '</title>',
  body: JSON.stringify(page),
});
`;

/** A build of the page in a folder of its own; `close` of the application leaves it. */
function builtPage(): { folder: string; root: string } {
  const root = mkdtempSync(path.join(tmpdir(), 'colloquy-front-'));
  const folder = path.join(root, 'web');
  mkdirSync(path.join(root, 'web-renderer'));
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'index.html'), TEMPLATE);
  writeFileSync(path.join(folder, 'front.html'), TEMPLATE);
  writeFileSync(path.join(folder, 'team.html'), '<title>Console</title>');
  writeFileSync(path.join(root, 'web-renderer', 'server.cjs'), RENDERER);
  mkdirSync(path.join(root, 'handbook', 'adr'), { recursive: true });
  writeFileSync(path.join(root, 'handbook', 'index.html'), '<h1>Handbook</h1>');
  writeFileSync(path.join(root, 'handbook', 'adr', '1.html'), '<h1>Decision</h1>');
  writeFileSync(path.join(root, 'handbook', 'api-examples.html'), '<h1>Examples</h1>');
  return { folder, root };
}

/** What the page was made from. */
async function shown(response: Response): Promise<Record<string, unknown>> {
  const json = /<div id="root">(.*)<\/div>/.exec(await response.text())?.[1];
  return JSON.parse(json ?? 'null') as Record<string, unknown>;
}

describe('the pages in front of the interviews', () => {
  const { folder, root } = builtPage();
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ pageDirectory: folder, isWorking: false });
    await app.get(UnitOfWorkFactory).run('test', (uow) =>
      app.get(ExampleVacancies).loadIfEmpty(uow, EXAMPLES, () => {
        return Promise.resolve(() => Promise.resolve());
      }),
    );
  });

  afterAll(async () => {
    await app.close();
    rmSync(root, { recursive: true });
  });

  function open(place: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${app.url}${place}`, {
      redirect: 'manual',
      headers: { accept: BROWSER, ...headers },
    });
  }

  test.each([
    ['de, ru;q=0.7, en;q=0.3', 'ru'],
    ['ru;q=0.2, en-GB;q=0.9', 'en'],
    ['RU-ru', 'ru'],
    ['ru;q=0', 'en'],
    ['de', 'en'],
    ['', 'en'],
  ])('speak the language that the browser prefers ("%s": %s)', async (preferred, language) => {
    const response = await open('/', { 'accept-language': preferred });

    expect(response.status).toBe(200);
    expect(await response.text()).toContain(`<html lang="${language}">`);
    expect(response.headers.get('vary')).toContain('accept-language');
  });

  test('speak the language that was chosen on them', async () => {
    const response = await open('/?language=en', { 'accept-language': 'ru' });

    expect(await response.text()).toContain('<html lang="en">');
  });

  test.each(['/', '/console/transcripts', '/nowhere'])(
    'have the security headers of the other pages (%s)',
    async (place) => {
      const { headers } = await open(place);

      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('permissions-policy')).toContain('camera=()');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    },
  );

  test('offer no interview of a database that had its own vacancies before the examples', async () => {
    const front = await shown(await open('/'));

    expect(front).toEqual({
      kind: 'front',
      examples: [],
      hasRecruiters: true,
      hasApi: true,
      hasHandbook: true,
    });
  });

  test('lead to the handbook that was built beside them', async () => {
    const redirect = await open('/handbook');
    const [index, decision] = [await open('/handbook/'), await open('/handbook/adr/1.html')];

    expect(redirect.headers.get('location')).toBe('/handbook/');
    expect(await index.text()).toBe('<h1>Handbook</h1>');
    expect(await decision.text()).toBe('<h1>Decision</h1>');
    expect(decision.headers.get('cache-control')).toBe('no-cache');
    expect(decision.headers.get('content-security-policy')).toContain("script-src 'self'");
    // Its name looks as if it had a hash.
    const examples = await open('/handbook/api-examples.html');
    expect(examples.headers.get('cache-control')).toBe('no-cache');
    expect((await open('/handbook/gone.html')).status).toBe(404);
    expect((await open('/handbook/adr/')).status).toBe(404);
  });

  test('have a form that leads to the interview whose id or link is entered', async () => {
    const id = '0199C5A0-1111-7222-8333-444455556666';
    const entered = [id, ` ${id} `, `https://jobs.example/console/transcripts/${id}?x`];

    const responses = await Promise.all(
      entered.map((text) => open(`/console/transcripts?id=${encodeURIComponent(text)}`)),
    );

    for (const { status, headers } of responses) {
      expect(status).toBe(303);
      expect(headers.get('location')).toBe(`/console/transcripts/${id.toLowerCase()}`);
    }
  });

  test('have a form that keeps the language that was chosen on it', async () => {
    const id = '0199c5a0-1111-7222-8333-444455556666';
    const locationIn = async (language: string) =>
      (await open(`/console/transcripts?language=${language}&id=${id}`)).headers.get('location');

    expect(await locationIn('ru')).toBe(`/console/transcripts/${id}?language=ru`);
    expect(await locationIn('//evil.example')).toBe(`/console/transcripts/${id}`);
  });

  test('have a form that says what it could not read', async () => {
    const wrong = await shown(await open('/console/transcripts?id=my%20interview'));
    const empty = await shown(await open('/console/transcripts'));

    expect(wrong).toEqual({ kind: 'recruiters', isOff: true, unreadable: 'my interview' });
    expect(empty).toEqual({ kind: 'recruiters', isOff: true, unreadable: null });
  });

  test.each([
    ...['/console', '/console/sign-in', '/console/join/a-token', '/console/people?x'],
    '/console/transcripts/0199c5a0-1111-7222-8333-444455556666',
  ])('have the console of the team at one document, which nobody keeps (%s)', async (place) => {
    const response = await open(place);

    expect(await response.text()).toBe('<title>Console</title>');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  test('show a browser that an address does not exist, with the status for it', async () => {
    for (const place of ['/nowhere', '/front.html', '/api/v1/nowhere', '/assets/gone.js']) {
      const response = await open(place, { 'accept-language': 'ru' });

      expect([place, response.status]).toEqual([place, 404]);
      expect(response.headers.get('vary')).toContain('accept');
      expect(await response.text()).toMatch(/<html lang="ru">.*<title>not_found/);
    }
  });

  test.each([
    ['a link that was cut within a letter', '/i/%E0%A4%A'],
    ['the same with a query', '/i/%D0?from=%D0'],
    ['a link with a NUL', '/i/a%00b'],
  ])(
    'show a browser that there is nothing at an address that cannot be read (%s)',
    async (_, place) => {
      const page = await open(place, { 'accept-language': 'ru' });
      const program = await open(place, { accept: 'application/json' });

      expect([page.status, program.status]).toEqual([404, 404]);
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(await page.text()).toMatch(/<html lang="ru">.*<title>not_found/);
      expect(program.headers.get('content-type')).toContain('application/problem+json');
    },
  );

  test('show a browser that it has to try again when its address has sent too many requests', async () => {
    const limited = await startTestApp({
      isWorking: false,
      pageDirectory: folder,
      env: { RATE_LIMIT_PER_MINUTE: '1' },
    });
    try {
      const see = (path: string, accept = BROWSER) =>
        fetch(`${limited.url}${path}`, { headers: { accept, 'accept-language': 'ru' } });
      await see('/');

      const page = await see('/i/a-link-of-this-test');
      const api = await see('/api/v1/invites/a-link-of-this-test');
      const program = await see('/i/a-link-of-this-test', 'application/json');

      expect([page.status, api.status, program.status]).toEqual([429, 429, 429]);
      expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(await page.text()).toMatch(/<html lang="ru">.*<title>unavailable/);
      expect(await api.json()).toMatchObject({ code: 'too_many_requests' });
      expect(await program.json()).toMatchObject({ code: 'too_many_requests' });
    } finally {
      await limited.close();
    }
  });

  test('leave problem documents to programs', async () => {
    const asked = [
      open('/nowhere', { accept: '*/*' }),
      open('/nowhere', { accept: 'application/json' }),
      fetch(`${app.url}/nowhere`, { method: 'POST', headers: { accept: BROWSER } }),
      // The address exists; the interview behind it does not.
      open('/api/v1/invites/nowhere'),
    ];

    for (const response of await Promise.all(asked)) {
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toContain('application/problem+json');
      expect(await response.json()).toMatchObject({ status: 404 });
    }
  });
});

describe('the front page of an empty database with the examples', () => {
  const { folder, root } = builtPage();

  afterAll(() => {
    rmSync(root, { recursive: true });
  });

  async function frontWith(env: Record<string, string>): Promise<unknown> {
    const app = await startTestApp({ pageDirectory: folder, isWorking: false, env });
    try {
      await app.sql('delete from vacancy');
      await app.get(UnitOfWorkFactory).run('test', (uow) =>
        app.get(ExampleVacancies).loadIfEmpty(uow, EXAMPLES, () => {
          return Promise.resolve(() => Promise.resolve());
        }),
      );
      return await shown(await fetch(app.url));
    } finally {
      await app.close();
    }
  }

  test('offers both example interviews while there is no PUBLIC_URL', async () => {
    expect(await frontWith({ ADMIN_TOKEN: TOKEN })).toEqual({
      kind: 'front',
      examples: [
        expect.objectContaining({ company: 'Harbourline', language: 'en' }),
        expect.objectContaining({ company: 'Тихая гавань', language: 'ru' }),
      ],
      hasRecruiters: true,
      hasApi: true,
      hasHandbook: true,
    });
  });

  test('offers no interview on a public server, and no API that is off', async () => {
    expect(await frontWith({ PUBLIC_URL: 'https://jobs.example', TRUST_PROXY: '1' })).toEqual({
      kind: 'front',
      examples: [],
      hasRecruiters: true,
      hasApi: false,
      hasHandbook: true,
    });
  });
});
