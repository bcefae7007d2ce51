import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ProblemError } from '../../common/http';
import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';

const ONE_YEAR_S = 31_536_000;
/** The candidate's page and the recruiter's page. */
type PageDocument = 'index.html' | 'console.html';
const DOCUMENT = 'index.html';
/** The bundler's names of files with a hash of their content. */
const HASHED = /-[\w-]{8}\.\w+$/;

/** Servers with the built page; a server-only build has none. */
const SERVERS_WITH_PAGE = new WeakSet<object>();

/** Serves the built page's files. Files with a hash in their name are cached for a year. */
export async function servePage(server: FastifyInstance, directory: string): Promise<void> {
  if (!existsSync(path.join(directory, DOCUMENT))) return;
  await server.register(fastifyStatic, {
    root: directory,
    prefix: '/',
    wildcard: false,
    index: false,
    cacheControl: false,
    setHeaders: (response, file) => {
      void response.header('cache-control', cachingOf(file));
    },
  });
  SERVERS_WITH_PAGE.add(server);
}

function cachingOf(file: string): string {
  if (HASHED.test(file)) return `public, max-age=${ONE_YEAR_S}, immutable`;
  return path.basename(file) === 'console.html' ? 'no-store' : 'no-cache';
}

/** Responds with the document of a page. */
export function sendPage(reply: FastifyReply, document: PageDocument = DOCUMENT): void {
  if (!SERVERS_WITH_PAGE.has(reply.server)) {
    throw new ProblemError(404, 'page_not_built', 'This server was built without its page.');
  }
  void reply.sendFile(document);
}

/**
 * The built pages. The candidate's page is one document for every link, and asks the API what the link
 * is. The recruiter's page asks for the admin token and loads what the address names.
 */
@ApiExcludeController()
@Controller()
export class PageController {
  @Get('i/:token')
  @Header('referrer-policy', 'no-referrer')
  link(@Res() reply: FastifyReply): void {
    sendPage(reply);
  }

  @Get('console/transcripts/:id')
  @Header('referrer-policy', 'no-referrer')
  @Header('x-robots-tag', 'noindex, nofollow')
  transcript(@Res() reply: FastifyReply): void {
    sendPage(reply, 'console.html');
  }

  /** Without a link: the page explains it to people, the status 404 to programs. */
  @Get()
  root(@Res() reply: FastifyReply): void {
    sendPage(reply.code(404));
  }
}
