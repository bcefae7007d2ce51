import Ajv2020 from 'ajv/dist/2020';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { type Vacancy, VacancyRepository } from '../../../src/vacancies';
import { type TestApp, startTestApp } from '../../support/app';
import { giveBack, takeAway } from '../../support/outside';
import { vacancyDraft } from '../../support/vacancies';

interface Operation {
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema?: object }> }>>;
  readonly requestBody?: object;
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** Not `fetch`, which decompresses. */
async function rawGet(
  url: string,
  accepted: string,
): Promise<{ headers: IncomingHttpHeaders; raw: Buffer }> {
  const request = get(url, { headers: { 'accept-encoding': accepted } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { headers: response.headers, raw: await buffer(response) };
}

/** What the bundler makes of web/index.html, as far as the server changes it. */
const TEMPLATE = `<!doctype html>
<html lang="en">
  <head>
    <title>Page</title>
    <style>${'p { margin: 0 } '.repeat(100)}</style>
    <link rel="preload" href="/assets/latin.woff2">
    <link rel="preload" href="/assets/cyrillic.woff2" data-language="ru">
  </head>
  <body>
    <div id="root"></div>
  </body>
</html>
`;
const RENDERER = `
exports.renderInvite = ({ company, vacancyTitle }) => ({
  title: '<title>' + vacancyTitle + '</title>',
  body: '<h1>' + company + ' costs $& less</h1>',
});
`;

describe('the page and the documentation', () => {
  const built = mkdtempSync(path.join(tmpdir(), 'colloquy-page-'));
  const folder = path.join(built, 'web');
  let app: TestApp;

  beforeAll(async () => {
    mkdirSync(path.join(folder, 'assets'), { recursive: true });
    mkdirSync(path.join(built, 'web-renderer'));
    writeFileSync(path.join(folder, 'index.html'), TEMPLATE);
    writeFileSync(path.join(built, 'web-renderer', 'server.cjs'), RENDERER);
    writeFileSync(path.join(folder, 'assets', 'index-Ab3_d-9x.js.br'), 'as brotli');
    writeFileSync(path.join(folder, 'assets', 'index-Ab3_d-9x.js.gz'), 'as gzip');
    writeFileSync(path.join(folder, 'assets', 'index-Ab3_d-9x.js'), 'void 0;');
    writeFileSync(path.join(folder, 'assets', 'icon.svg'), '<svg/>');
    app = await startTestApp({ pageDirectory: folder, isWorking: false });
  });

  afterAll(async () => {
    await app.close();
    rmSync(built, { recursive: true });
  });

  function vacancyOf(about: Parameters<typeof vacancyDraft>[0]): Promise<Vacancy> {
    const draft = vacancyDraft(about);
    return app
      .commit((tx) => app.get(VacancyRepository).upsert(tx, draft))
      .then((one) => one.vacancy);
  }

  test('serves the same uncached document for every link, with the security headers', async () => {
    const response = await fetch(`${app.url}/i/anything`);

    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<title>Page</title>');
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('strict-transport-security')).toBeNull();
    const csp = response.headers.get('content-security-policy') ?? '';
    expect(csp).toContain("script-src 'self';");
    expect(csp).toContain("frame-ancestors 'none'");
    expect(csp).toContain("base-uri 'none'");
    expect(csp).toContain("object-src 'none'");
    expect(csp).not.toContain('upgrade-insecure-requests');
  });

  test('renders the first view of an open link into the document, in the language of the vacancy', async () => {
    const ru = await vacancyOf({ slug: 'pekar', title: 'Пекарь', language: 'ru' });
    const [english, russian] = await Promise.all(
      [app.vacancy.openToken, ru.openToken].map(async (token) =>
        (await fetch(`${app.url}/i/${token}`)).text(),
      ),
    );

    expect(english).toContain('<html lang="en">');
    expect(english).toContain('<title>Baker</title>');
    expect(english).toContain('<div id="root"><h1>Crumb costs $& less</h1></div>');
    expect(english).not.toContain('cyrillic');
    expect(russian).toContain('<html lang="ru">');
    expect(russian).toContain('latin.woff2');
    expect(russian).toContain('cyrillic.woff2');
  });

  test('gives the page what the link leads to, and no markup of a vacancy can end its element', async () => {
    const title = 'Baker </script><script>alert(1)</script>';
    const { openToken } = await vacancyOf({ slug: 'markup', title });

    const html = await (await fetch(`${app.url}/i/${openToken}`)).text();

    const json = /<script type="application\/json" id="invite">(.*?)<\/script>/.exec(html)?.[1];
    const invite = await (await fetch(`${app.url}/api/v1/invites/${openToken}`)).json();
    expect(JSON.parse(json ?? '')).toEqual(invite);
    expect(invite).toMatchObject({ vacancyTitle: title });
  });

  test('renders nothing for a browser that has a session, nor for a link that leads nowhere', async () => {
    const { openToken } = app.vacancy;
    const begun = await fetch(`${app.url}/api/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ invite: openToken }),
    });
    const cookie = begun.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');

    const returning = await fetch(`${app.url}/i/${openToken}`, { headers: { cookie } });
    const nowhere = await fetch(`${app.url}/i/nowhere`);

    for (const response of [returning, nowhere]) {
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('<div id="root"></div>');
    }
  });

  test.each([
    ['br, gzip', 'br', 'as brotli'],
    ['gzip', 'gzip', 'as gzip'],
    ['', null, 'void 0;'],
  ])(
    'serves a file as it was compressed by the build (accepted: "%s")',
    async (accepted, encoding, body) => {
      const { headers, raw } = await rawGet(`${app.url}/assets/index-Ab3_d-9x.js`, accepted);

      expect(headers['content-encoding'] ?? null).toBe(encoding);
      expect(headers.vary).toMatch(/accept-encoding/i);
      expect(headers['content-type']).toContain('javascript');
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(raw.toString()).toBe(body);
    },
  );

  test.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['', null, (raw: Buffer) => raw],
  ])(
    'compresses a document when it is requested (accepted: "%s")',
    async (accepted, encoding, decompress) => {
      const { headers, raw } = await rawGet(`${app.url}/i/${app.vacancy.openToken}`, accepted);

      expect(headers['content-encoding'] ?? null).toBe(encoding);
      expect(headers['cache-control']).toBe('no-cache');
      expect(decompress(raw).toString()).toContain('costs $& less</h1>');
    },
  );

  test('compresses nothing but documents', async () => {
    const { headers, raw } = await rawGet(`${app.url}/docs/openapi.json`, 'br, gzip');

    expect(headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(raw.toString())).toHaveProperty('openapi');
  });

  test('reads no compressed body', async () => {
    const response = await fetch(`${app.url}/api/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify({ invite: app.vacancy.openToken })),
    });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'malformed_json' });
  });

  test('lets browsers cache only files with a hash in their name', async () => {
    const hashed = await fetch(`${app.url}/assets/index-Ab3_d-9x.js`);
    const icon = await fetch(`${app.url}/assets/icon.svg`);

    expect([hashed.status, icon.status]).toEqual([200, 200]);
    expect(hashed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(icon.headers.get('cache-control')).toBe('no-cache');
    expect(icon.headers.get('etag')).not.toBeNull();
  });

  test("opens the page again when it is another version's and its script does not exist here", async () => {
    const ask = (file: string, dest: string) =>
      fetch(`${app.url}/assets/${file}`, {
        headers: { 'sec-fetch-dest': dest, 'accept-encoding': 'identity' },
      });
    const script = await ask('index-Ab3_d-0x.js', 'script');

    expect(script.status).toBe(200);
    expect(script.headers.get('content-type')).toContain('text/javascript');
    expect(script.headers.get('cache-control')).toBe('no-store');
    expect(await script.text()).toContain('location.reload()');
    expect(await (await ask('index-Ab3_d-9x.js', 'script')).text()).toBe('void 0;');
    const others = [
      ask('index-Ab3_d-0x.js', 'empty'),
      ask('index-Ab3_d-0x.css', 'script'),
      ask('gone.js', 'script'),
    ];
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  test('has one route for all files, because hundreds of them would delay each start', async () => {
    const server = app.get(HttpAdapterHost).httpAdapter.getInstance<FastifyInstance>();
    const has = (url: string, constraints = {}): boolean =>
      server.hasRoute({ method: 'GET', url, constraints });

    expect(has('/assets/*', { file: true })).toBe(true);
    expect(has('/assets/icon.svg')).toBe(false);
    expect((await fetch(`${app.url}/assets/icon.svg`)).status).toBe(200);
  });

  test('serves a file by its address in any encoding, and as HEAD', async () => {
    const encoded = await fetch(`${app.url}/assets/%69con.svg?v=1`);
    const head = await fetch(`${app.url}/assets/icon.svg`, { method: 'HEAD' });

    expect(await encoded.text()).toBe('<svg/>');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '6']);
  });

  test('serves no file outside the page', async () => {
    for (const place of ['/../package.json', '/%2e%2e/package.json', '/assets/', '/assets']) {
      expect((await fetch(`${app.url}${place}`)).status).toBe(404);
    }
  });

  test('responds page_not_built when it was built without its page', async () => {
    const bare = await startTestApp({ isWorking: false });
    try {
      for (const place of ['/i/anything', '/']) {
        const response = await fetch(`${bare.url}${place}`);
        expect(response.status).toBe(404);
        expect(response.headers.get('content-type')).toContain('application/problem+json');
        expect(await response.json()).toMatchObject({ code: 'page_not_built' });
      }
    } finally {
      await bare.close();
    }
  });

  test('limits the requests of one address, with a problem document', async () => {
    const limited = await startTestApp({ isWorking: false, env: { RATE_LIMIT_PER_MINUTE: '2' } });
    try {
      const ask = () => fetch(`${limited.url}/api/v1/conversation`);
      await Promise.all([ask(), ask()]);

      const response = await ask();

      expect(response.status).toBe(429);
      expect(response.headers.get('content-type')).toContain('application/problem+json');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await response.json()).toMatchObject({ code: 'too_many_requests', status: 429 });
      expect((await fetch(`${limited.url}/health/live`)).status).toBe(200);
    } finally {
      await limited.close();
    }
  });

  test('gives the page without the invitation while the database cannot be reached', async () => {
    await takeAway(app.databaseUrl);
    const response = await fetch(`${app.url}/i/${app.vacancy.openToken}`);
    const asked = await fetch(`${app.url}/api/v1/invites/${app.vacancy.openToken}`);
    await giveBack(app.databaseUrl);

    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<div id="root"></div>');
    expect(asked.status).toBe(503);
  });

  test("does not limit the page's files, of which each visit needs several", async () => {
    const limited = await startTestApp({
      isWorking: false,
      pageDirectory: folder,
      env: { RATE_LIMIT_PER_MINUTE: '1' },
    });
    try {
      for (let n = 0; n < 5; n += 1) {
        expect((await fetch(`${limited.url}/assets/icon.svg`)).status).toBe(200);
      }
      expect((await fetch(`${limited.url}/assets/gone.js`)).status).toBe(404);
      expect((await fetch(`${limited.url}/assets/gone.js`)).status).toBe(429);
    } finally {
      await limited.close();
    }
  });

  test('shows the API documentation under its own security policy', async () => {
    const response = await fetch(`${app.url}/docs`);
    const html = await response.text();

    expect(response.status).toBe(200);
    const scripts = [...html.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)];
    expect(scripts.length).toBeGreaterThan(0);
    for (const [, attributes = '', inline = ''] of scripts) {
      expect(inline.trim()).toBe('');
      const source = /src="([^"]+)"/.exec(attributes)?.[1] ?? '';
      const script = await fetch(new URL(source, response.url));
      expect([source, script.status]).toEqual([source, 200]);
    }
  });

  async function openApi(): Promise<Document> {
    const response = await fetch(`${app.url}/docs/openapi.json`);
    expect(response.status).toBe(200);
    return (await response.json()) as Document;
  }

  test('describes every endpoint of candidates and their watchers: bodies, responses, refusals', async () => {
    const { openapi, paths } = await openApi();

    expect(openapi).toBe('3.1.0');
    for (const [method, place] of ENDPOINTS) {
      const operation = paths[place]?.[method];
      expect([place, operation?.responses.default?.content]).toEqual([
        place,
        { 'application/problem+json': { schema: expect.any(Object) as object } },
      ]);
      const answers = Object.keys(operation?.responses ?? {}).filter((status) => status < '300');
      expect([place, answers.length > 0]).toEqual([place, true]);
    }
    for (const body of ['consent', 'profile', 'messages', 'activity', 'voice']) {
      expect(paths[`/api/v1/conversation/${body}`]?.post?.requestBody).toBeDefined();
    }
  });

  test('has schemas that are valid JSON Schema 2020-12, without broken references', async () => {
    const document = await openApi();
    const references = JSON.stringify(document).matchAll(
      /"\$ref":"#\/components\/schemas\/(\w+)"/g,
    );
    const ajv = new Ajv2020({ strict: false, validateFormats: false });

    for (const [, name = ''] of references)
      expect(document.components.schemas).toHaveProperty(name);
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const rooted = { ...schema, components: document.components };
      expect([name, typeof ajv.compile(rooted)]).toEqual([name, 'function']);
    }
  });

  test('describes the conversation as it is returned', async () => {
    const document = await openApi();
    const content = document.paths['/api/v1/conversation']?.get?.responses['200']?.content;
    const schema = content?.['application/json']?.schema;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const isValid = ajv.compile({ ...schema, components: document.components });
    const begun = await fetch(`${app.url}/api/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ invite: app.vacancy.openToken }),
    });
    const { sessionToken } = (await begun.json()) as { sessionToken: string };

    const response = await fetch(`${app.url}/api/v1/conversation`, {
      headers: { authorization: `Bearer ${sessionToken}` },
    });

    expect([isValid(await response.json()), isValid.errors]).toEqual([true, null]);
    expect(isValid({})).toBe(false);
  });
});

const ENDPOINTS = [
  ['get', '/api/v1/invites/{token}'],
  ['post', '/api/v1/sessions'],
  ['get', '/api/v1/conversation'],
  ['post', '/api/v1/conversation/consent'],
  ['post', '/api/v1/conversation/profile'],
  ['post', '/api/v1/conversation/messages'],
  ['post', '/api/v1/conversation/voice'],
  ['post', '/api/v1/conversation/messages/{id}/correction'],
  ['post', '/api/v1/conversation/activity'],
  ['post', '/api/v1/conversation/done'],
  ['post', '/api/v1/conversation/stop'],
  ['post', '/api/v1/conversation/continue'],
  ['post', '/api/v1/conversation/human'],
  ['post', '/api/v1/conversation/withdraw'],
  ['get', '/api/v1/conversation/events'],
  ['get', '/api/v1/admin/conversations/{id}/events'],
  ['post', '/api/chat'],
  ['get', '/api/chat/{id}/stream'],
  ['post', '/api/chat/{id}/stop'],
] as const;
