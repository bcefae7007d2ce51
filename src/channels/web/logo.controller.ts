import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ProblemError } from '../../common/http';
import { RequestUnit, UnitOfWork } from '../../common/uow';
import { VacancyRepository } from '../../vacancies';

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
