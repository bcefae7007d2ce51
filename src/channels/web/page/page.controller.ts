import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { sendPage } from './serve-page';

/** The candidate page: one document for every link; the page itself asks what the link is. */
@ApiExcludeController()
@Controller()
export class PageController {
  @Get('i/:token')
  @Header('referrer-policy', 'no-referrer')
  link(@Res() reply: FastifyReply): void {
    sendPage(reply);
  }

  /** No link: the page says so to people, the status to programs. */
  @Get()
  root(@Res() reply: FastifyReply): void {
    sendPage(reply.code(404));
  }
}
