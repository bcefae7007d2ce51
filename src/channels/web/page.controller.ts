import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ProblemError } from '../../common/http';
import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';

const ONE_YEAR_S = 31_536_000;
/** The candidate page, and the one on which a recruiter reads. */
type PageDocument = 'index.html' | 'console.html';
const DOCUMENT = 'index.html';
/** As the bundler names a file by its content. */
const HASHED = /-[\w-]{8}\.\w+$/;

/** Servers that have the page; a server-only build has none. */
const SERVERS_WITH_PAGE = new WeakSet<object>();

/** Serves the built page's files. Those named by their content never change. */
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

/** Answers with the one document of a page. */
export function sendPage(reply: FastifyReply, document: PageDocument = DOCUMENT): void {
  if (!SERVERS_WITH_PAGE.has(reply.server)) {
    throw new ProblemError(404, 'page_not_built', 'This server was built without its page.');
  }
  void reply.sendFile(document);
}

/**
 * The built pages. The candidate's is one document for every link, and asks itself what the link is;
 * the recruiter's asks for the admin token and then for what the address names.
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

  /** No link: the page says so to people, the status to programs. */
  @Get()
  root(@Res() reply: FastifyReply): void {
    sendPage(reply.code(404));
  }
}
