import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';

/** The candidate page: one document for every link; the page itself asks what the link is. */
@ApiExcludeController()
@Controller()
export class PageController {
  @Get('i/:token')
  @Header('cache-control', 'no-cache')
  @Header('referrer-policy', 'no-referrer')
  link(@Res() reply: FastifyReply): void {
    void reply.sendFile('index.html');
  }
}
