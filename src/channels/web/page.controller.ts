import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import path from 'node:path';
import { ProblemError } from '../../common/http';
import { RequestUnit, UnitOfWork } from '../../common/uow';
import { Controller, Get, Header, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { CandidateLinks } from './candidate-links';
import type { InviteJson } from './conversation.dto';
import { PageDocument } from './page-document';
import { SessionCookies } from './session-access';

const ONE_YEAR_S = 31_536_000;
/** The bundler's names of files with a hash of their content. */
const HASHED = /-[\w-]{8}\.\w+(\.br|\.gz)?$/;

/** The candidate's page of each server; a server-only build has none. */
const PAGES = new WeakMap<object, PageDocument>();

/**
 * Serves the built page's files, compressed as they were at build time. Files with a hash in their
 * name are cached for a year.
 */
export async function servePage(server: FastifyInstance, directory: string): Promise<void> {
  const page = PageDocument.read(directory);
  if (page === null) return;
  await server.register(fastifyStatic, {
    root: directory,
    prefix: '/',
    wildcard: false,
    index: false,
    cacheControl: false,
    preCompressed: true,
    setHeaders: (response, file) => {
      void response.header('cache-control', cachingOf(file));
    },
  });
  PAGES.set(server, page);
}

function cachingOf(file: string): string {
  if (HASHED.test(file)) return `public, max-age=${ONE_YEAR_S}, immutable`;
  return path.basename(file) === 'console.html' ? 'no-store' : 'no-cache';
}

function pageOf(reply: FastifyReply): PageDocument {
  const page = PAGES.get(reply.server);
  if (page !== undefined) return page;
  throw new ProblemError(404, 'page_not_built', 'This server was built without its page.');
}

/** Responds with the candidate's page. */
export function sendPage(reply: FastifyReply, invite: InviteJson | null = null): void {
  const html = pageOf(reply).html(invite);
  void reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(html);
}

/**
 * The built pages. The candidate's page is one document for every link. The recruiter's page asks for
 * the admin token and loads what the address names.
 */
@ApiExcludeController()
@Controller()
export class PageController {
  constructor(
    private readonly links: CandidateLinks,
    private readonly cookies: SessionCookies,
  ) {}

  /** A browser with a session may return to its interview: for it the page asks the API. */
  @Get('i/:token')
  @Header('referrer-policy', 'no-referrer')
  async link(
    @Param('token') token: string,
    @RequestUnit() uow: UnitOfWork,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    pageOf(reply);
    const isReturning = this.cookies.sessionOf(request) !== undefined;
    sendPage(reply, isReturning ? null : await this.inviteOf(uow, token));
  }

  @Get('console/transcripts/:id')
  @Header('referrer-policy', 'no-referrer')
  @Header('x-robots-tag', 'noindex, nofollow')
  transcript(@Res() reply: FastifyReply): void {
    pageOf(reply);
    void reply.sendFile('console.html');
  }

  /** Without a link: the page explains it to people, the status 404 to programs. */
  @Get()
  root(@Res() reply: FastifyReply): void {
    sendPage(reply.code(404));
  }

  /** Null for a link that leads nowhere: the page says so. */
  private async inviteOf(uow: UnitOfWork, token: string): Promise<InviteJson | null> {
    try {
      return await uow.commit('page.invite', (tx) => this.links.describe(tx, token));
    } catch (error) {
      if (error instanceof ProblemError) return null;
      throw error;
    }
  }
}
