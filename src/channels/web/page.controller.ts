import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { Settings } from '../../common/config';
import { ColloquyError } from '../../common/errors';
import { ProblemError, preferredLanguage } from '../../common/http';
import { RequestUnit, UnitOfWork } from '../../common/uow';
import { ExampleVacancies, VacancyRepository } from '../../vacancies';
import { Controller, Get, Header, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { CandidateLinks } from './candidate-links';
import type { InviteJson } from './conversation.dto';
import { type FrontPage, PageDocument } from './page-document';
import { SessionCookies } from './session-access';

/**
 * The built pages. The candidate's page is one document for every link, the team's console one for all its
 * addresses. A transcript has a page of its own, which also opens with the admin token. The front pages lead to them.
 */
@ApiExcludeController()
@Controller()
export class PageController {
  constructor(
    private readonly links: CandidateLinks,
    private readonly cookies: SessionCookies,
    private readonly examples: ExampleVacancies,
    private readonly settings: Settings,
  ) {}

  /** Without a PUBLIC_URL Colloquy is being tried, so the page offers the example interviews. */
  @Get()
  async front(
    @Query('language') language: unknown,
    @RequestUnit() uow: UnitOfWork,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    pageOf(reply);
    const { http } = this.settings;
    const examples =
      http.publicUrl === ''
        ? await uow.commit('page.examples', (tx) => this.examples.list(tx))
        : [];
    this.sendFront(request, reply, language, {
      kind: 'front',
      examples: examples.map(({ openToken, title, company, language: of }) => {
        return { url: `/i/${openToken}`, title, company, language: of };
      }),
      hasRecruiters: pageOf(reply).hasConsole,
      hasApi: http.isLocal || http.managementToken !== '',
      hasHandbook: pageOf(reply).hasHandbook,
    });
  }

  /** A browser with a session may return to its interview: for it the page asks the API. */
  @Get('i/:token')
  @Header('referrer-policy', 'no-referrer')
  async link(
    @Param('token') token: string,
    @RequestUnit() uow: UnitOfWork,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const page = pageOf(reply);
    const isReturning = this.cookies.sessionOf(request) !== undefined;
    const html = page.html(isReturning ? null : await this.inviteOf(uow, token));
    reply.header('cache-control', 'no-cache').type(HTML).compress(html);
  }

  /** The team's console. Its script reads the address, and asks for a sign-in. */
  @Get(['console', 'console/*'])
  @Header('referrer-policy', 'no-referrer')
  @Header('x-robots-tag', 'noindex, nofollow')
  console(@Res() reply: FastifyReply): void {
    if (!pageOf(reply).hasConsole) throw new ProblemError(404, 'page_not_built', NOT_BUILT);
    void reply.sendFile('team.html');
  }

  /**
   * For the admin token, which belongs to nobody: one enters which interview to read, by its id or by a link that
   * contains the id.
   */
  @Get('console/transcripts')
  @Header('x-robots-tag', 'noindex, nofollow')
  enteredTranscript(
    @Query('id') entered: unknown,
    @Query('language') language: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
    const text = typeof entered === 'string' ? entered.trim().slice(0, 500) : '';
    const id = CONVERSATION_ID.exec(text)?.[0];
    if (id !== undefined) {
      const query = isLanguage(language) ? `?language=${language}` : '';
      void reply.redirect(`/console/transcripts/${id.toLowerCase()}${query}`, 303);
      return;
    }
    this.sendRecruiters(request, reply, { language, unreadable: text === '' ? null : text });
  }

  private sendRecruiters(
    request: FastifyRequest,
    reply: FastifyReply,
    { language, unreadable }: { readonly language: unknown; readonly unreadable: string | null },
  ): void {
    const isOff = this.settings.admin.tokens.length === 0;
    this.sendFront(request, reply, language, { kind: 'recruiters', isOff, unreadable });
  }

  private sendFront(
    request: FastifyRequest,
    reply: FastifyReply,
    chosen: unknown,
    page: FrontPage,
  ): void {
    const { 'accept-language': languages } = request.headers;
    const language = isLanguage(chosen) ? chosen : preferredLanguage(languages);
    const html = pageOf(reply).frontHtml(page, language);
    if (html === null) throw new ProblemError(404, 'page_not_built', 'The front page is missing.');
    reply
      .header('cache-control', 'no-cache')
      .header('vary', 'accept-language')
      .type(HTML)
      .compress(html);
  }

  /**
   * Null for a link that leads nowhere, and while the database cannot be reached: the page asks the API
   * then, and says what it learns, or tries again.
   */
  private async inviteOf(uow: UnitOfWork, token: string): Promise<InviteJson | null> {
    try {
      return await uow.commit('page.invite', (tx) => this.links.describe(tx, token));
    } catch (error) {
      if (error instanceof ProblemError) return null;
      if (error instanceof ColloquyError && error.retryable) return null;
      throw error;
    }
  }
}

const HTML = 'text/html; charset=utf-8';
const NOT_BUILT = 'This server was built without its page.';
/** An interview's id, also inside a link. */
const CONVERSATION_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** The pages of each server; a server-only build has none. */
const PAGES = new WeakMap<object, PageDocument>();

function pageOf(reply: FastifyReply): PageDocument {
  const page = PAGES.get(reply.server);
  if (page !== undefined) return page;
  throw new ProblemError(404, 'page_not_built', NOT_BUILT);
}

function isLanguage(chosen: unknown): chosen is 'en' | 'ru' {
  return chosen === 'ru' || chosen === 'en';
}

const HASH = /^[0-9a-f]{64}$/;

/**
 * A logo comes from outside, and an SVG is a document that can contain scripts. The page shows it only
 * in an <img>, where none run; these headers keep them from running where its address is opened itself.
 */
const HARMLESS = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'content-disposition': 'inline; filename="logo"',
};

/** The logos of companies, each at an address with the hash of its content, so it never changes. */
@ApiExcludeController()
@Controller('logos')
export class LogoController {
  constructor(private readonly vacancies: VacancyRepository) {}

  @Get(':hash')
  async logo(
    @Param('hash') hash: string,
    @RequestUnit() uow: UnitOfWork,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const logo = HASH.test(hash)
      ? await uow.commitOne('page.logo', (tx) => this.vacancies.findLogo(tx, hash))
      : undefined;
    if (logo === undefined) throw new ProblemError(404, 'logo_unknown', 'There is no such logo.');
    void reply
      .headers(HARMLESS)
      .header('cache-control', 'public, max-age=31536000, immutable')
      .type(logo.mediaType)
      .send(logo.content);
  }
}

const ONE_YEAR_S = 31_536_000;
/** The bundler's names of files with a hash of their content. */
const HASHED = /\bassets[\\/][^\\/]*-[\w-]{8}\.\w+(\.br|\.gz)?$/;

/**
 * Sent in place of a script that this replica does not have. While a new version is rolled out, a page and
 * its scripts may come from replicas of different versions; opened again, they may match. The pauses grow
 * and end after a minute, so that an office with one address stays within its limit of requests. The count
 * is kept by the script's name, which is another one in each version.
 */
const REOPEN = `const key = 'reopened for ' + import.meta.url;
const times = Number(sessionStorage.getItem(key));
if (times < 10) {
  sessionStorage.setItem(key, String(times + 1));
  setTimeout(() => location.reload(), 1000 * (times + 1));
}
throw new Error('This server has another version of the page.');
`;
const SCRIPT = /^\/assets\/[^?]*-[\w-]{8}\.js$/;
const READING = new Set(['GET', 'HEAD']);
/** The same address may be opened later. */
const FAILING_NOW = new Set([429, 500, 503]);
/** Addresses that people open, in contrast to those of programs. */
export const PAGE = /^\/(i\/|console|handbook|$|\?)/;

/**
 * Serves the built page's files, compressed as they were at build time. Files with a hash in their
 * name are cached for a year. An address that does not exist, or cannot be shown now, is a page for
 * browsers.
 */
export async function servePage(server: FastifyInstance, directory: string): Promise<void> {
  const page = PageDocument.read(directory);
  if (page === null) return;
  await server.register(fastifyStatic, {
    root: directory,
    serve: false,
    cacheControl: false,
    preCompressed: true,
    setHeaders: (response, file) => {
      void response.header('cache-control', cachingOf(file));
    },
  });
  const handbook = path.join(directory, '..', 'handbook');
  serveFolders(server, {
    '/assets/': path.join(directory, 'assets'),
    '/handbook/': handbook,
  });
  if (existsSync(handbook)) {
    server.get('/handbook', (_request, reply) => reply.redirect('/handbook/', 302));
  }
  server.addHook('onSend', (request, reply, payload, done) => {
    done(null, otherVersion(request, reply) ?? errorPage(page, request, reply) ?? payload);
  });
  PAGES.set(server, page);
}

/** After a sign-out, the way back must not show what was there. */
const OF_THE_TEAM = 'team.html';

function cachingOf(file: string): string {
  if (HASHED.test(file)) return `public, max-age=${ONE_YEAR_S}, immutable`;
  return path.basename(file) === OF_THE_TEAM ? 'no-store' : 'no-cache';
}

/** A route for each of the hundreds of files would take a tenth of the start. */
function serveFolders(server: FastifyInstance, folders: Readonly<Record<string, string>>): void {
  const files = new Map<string, string>();
  for (const [prefix, folder] of Object.entries(folders)) {
    for (const name of namesIn(folder)) {
      files.set(prefix + name, path.join(folder, name));
      if (name === 'index.html') files.set(prefix, path.join(folder, name));
    }
  }
  // An address without a file has no route: it counts against the rate limit and gets the 404 of unknown addresses.
  server.addConstraintStrategy({
    name: IS_FILE,
    storage: () => {
      const handlers = new Map<unknown, Found>();
      return {
        get: (value) => handlers.get(value) ?? null,
        set: (value, handler) => handlers.set(value, handler),
      };
    },
    deriveConstraint: ({ url }) => files.has(addressIn(url)),
  });
  for (const prefix of Object.keys(folders)) {
    server.get(`${prefix}*`, { constraints: { [IS_FILE]: true } }, (request, reply) => {
      const file = files.get(addressIn(request.url)) ?? '';
      return reply.sendFile(path.basename(file), path.dirname(file));
    });
  }
}

const IS_FILE = 'file';
type Strategy = Parameters<FastifyInstance['addConstraintStrategy']>[0];
type Found = NonNullable<ReturnType<ReturnType<Strategy['storage']>['get']>>;

/** The paths of all files of a folder, with slashes; none where it does not exist. */
function namesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      path.relative(folder, path.join(parentPath, name)).replaceAll(path.sep, '/'),
    );
}

/** Empty for one that cannot be decoded. */
function addressIn(url = ''): string {
  try {
    return decodeURIComponent(url.split('?', 1)[0] ?? '');
  } catch {
    return '';
  }
}

/** For a page whose script does not exist here; null for any other request. */
function otherVersion(request: FastifyRequest, reply: FastifyReply): string | null {
  const isMissing = request.is404 && reply.statusCode === 404 && SCRIPT.test(request.url);
  if (!isMissing || request.headers['sec-fetch-dest'] !== 'script') return null;
  void reply.code(200).header('cache-control', 'no-store').type('text/javascript; charset=utf-8');
  return REOPEN;
}

/** For a browser that opens an address which does not exist or fails now; null for any other request. */
function errorPage(
  page: PageDocument,
  request: FastifyRequest,
  reply: FastifyReply,
): string | null {
  const { statusCode } = reply;
  const isUnknown = request.is404 && statusCode === 404;
  const isFailing = FAILING_NOW.has(statusCode) && (request.is404 || PAGE.test(request.url));
  if (!isUnknown && !isFailing) return null;
  void reply.header('vary', 'accept, accept-language');
  const { accept = '', 'accept-language': languages } = request.headers;
  if (!READING.has(request.method) || !accept.includes('text/html')) return null;
  const kind = isUnknown ? 'not_found' : 'unavailable';
  const html = page.frontHtml({ kind }, preferredLanguage(languages));
  if (html !== null) {
    void reply.header('cache-control', isUnknown ? 'no-cache' : 'no-store').type(HTML);
  }
  return html;
}
