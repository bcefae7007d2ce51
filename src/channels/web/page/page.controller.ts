import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { sendPage } from './serve-page';

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
