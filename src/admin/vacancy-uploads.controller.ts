import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { Body, Controller, Delete, Get, Param, Put, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, ProblemError, RawBody } from '../common/http';
import { RequestUnit, type Tx, UnitOfWork } from '../common/uow';
import { InvitationLinks } from '../invitations';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import { KnowledgeRepository, MAX_DOCUMENT_BYTES, documentFrom } from '../knowledge';
import { AuditRepository } from '../privacy';
import {
  type LogoFile,
  MAX_LOGO_BYTES,
  type Vacancy,
  VacancyRepository,
  isDocumentName,
  logoFrom,
} from '../vacancies';
import { assertDocumentFits, refusedDocument } from './document-limits';
import { knownVacancy, shownVacancy } from './vacancies.controller';
import { VacancyDto } from './vacancies.dto';
import { VacancyFiles } from './vacancy-files';
import { DocumentListDto } from './vacancy-uploads.dto';

const DOCUMENT_TYPES = ['text/markdown'];
const LOGO_TYPES = ['image/svg+xml', 'image/png', 'image/webp'];
const ENDINGS = { 'image/svg+xml': 'svg', 'image/png': 'png', 'image/webp': 'webp' } as const;

const BYTES = { schema: { type: 'string', format: 'binary' } };

/** The admin API of what a vacancy's file names: its documents and its logo. */
@ApiTags('Vacancies')
@ApiProblems()
@Controller('api/v1/vacancies/:slug')
@UseInterceptors(ZodSerializerInterceptor)
export class VacancyUploadsController {
  constructor(
    private readonly vacancies: VacancyRepository,
    private readonly files: VacancyFiles,
    private readonly knowledge: KnowledgeRepository,
    private readonly links: InvitationLinks,
    private readonly audit: AuditRepository,
  ) {}

  @Get('documents')
  @RequireScope('vacancies:read')
  @ApiOperation({ summary: 'The documents of a vacancy, by name' })
  @ZodResponse({ status: 200, type: DocumentListDto })
  async list(
    @Param('slug') slug: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return uow.commit('vacancy.documents', async (tx) =>
      this.documentsOf(tx, knownVacancy(principal, await this.vacancies.findBySlug(tx, slug))),
    );
  }

  @Put('documents/:name')
  @RawBody(MAX_DOCUMENT_BYTES, DOCUMENT_TYPES)
  @RequireScope('vacancies:write')
  @ApiOperation({
    summary: 'Store a document of a vacancy, in place of one of its name',
    description:
      'Markdown or text for the questions of candidates. The name ends in .md or .txt; stack.en.md says the language.',
  })
  @ApiConsumes(...DOCUMENT_TYPES)
  @ApiBody(BYTES)
  @ZodResponse({ status: 200, type: DocumentListDto })
  async put(
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Body() body: Buffer | undefined,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    const bytes = bytesIn(body);
    if (!isDocumentName(name)) throw refusedDocument('The name ends in .md or .txt.');
    return uow.commit('vacancy.document', async (tx) => {
      const vacancy = knownVacancy(principal, await this.vacancies.lockBySlug(tx, slug));
      const document = documentFrom(bytes, { name, language: vacancy.language });
      await assertDocumentFits(tx, this.knowledge, vacancy.id, document);
      await this.files.change(tx, { vacancy, by: principal.actor }, () =>
        this.knowledge.put(tx, vacancy.id, document),
      );
      await this.note(tx, principal, 'vacancy.document', vacancy);
      await this.vacancies.tellTeam(tx, vacancy);
      return this.documentsOf(tx, vacancy);
    });
  }

  @Delete('documents/:name')
  @RequireScope('vacancies:write')
  @ApiOperation({ summary: 'Remove a document of a vacancy' })
  @ZodResponse({ status: 200, type: DocumentListDto })
  async remove(
    @Param('slug') slug: string,
    @Param('name') name: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return uow.commit('vacancy.document', async (tx) => {
      const vacancy = knownVacancy(principal, await this.vacancies.lockBySlug(tx, slug));
      const isGone = await this.files.change(tx, { vacancy, by: principal.actor }, async () =>
        isDocumentName(name) ? this.knowledge.remove(tx, vacancy.id, name) : false,
      );
      if (!isGone) {
        throw new ProblemError(404, 'document_unknown', 'The vacancy has no such document.');
      }
      await this.note(tx, principal, 'vacancy.document', vacancy);
      await this.vacancies.tellTeam(tx, vacancy);
      return this.documentsOf(tx, vacancy);
    });
  }

  @Put('logo')
  @RawBody(MAX_LOGO_BYTES, LOGO_TYPES)
  @RequireScope('vacancies:write')
  @ApiOperation({
    summary: 'Store the logo of a vacancy',
    description:
      'SVG, PNG or WebP up to 64 kB. The file of the vacancy then names it, as logo.svg.',
  })
  @ApiConsumes(...LOGO_TYPES)
  @ApiBody(BYTES)
  @ZodResponse({ status: 200, type: VacancyDto })
  async putLogo(
    @Param('slug') slug: string,
    @Body() body: Buffer | undefined,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    const logo = logoFrom(bytesIn(body), 'logo');
    if (typeof logo === 'string') throw new ProblemError(422, 'logo_refused', `The logo: ${logo}.`);
    const named = { ...logo, name: `logo.${ENDINGS[logo.mediaType]}` };
    return this.setLogo(uow, principal, { slug, logo: named });
  }

  @Delete('logo')
  @RequireScope('vacancies:write')
  @ApiOperation({ summary: 'Remove the logo of a vacancy' })
  @ZodResponse({ status: 200, type: VacancyDto })
  async removeLogo(
    @Param('slug') slug: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return this.setLogo(uow, principal, { slug, logo: null });
  }

  private setLogo(
    uow: UnitOfWork,
    principal: Principal,
    { slug, logo }: { readonly slug: string; readonly logo: LogoFile | null },
  ) {
    return uow.commit('vacancy.logo', async (tx) => {
      const vacancy = knownVacancy(principal, await this.vacancies.lockBySlug(tx, slug));
      await this.files.change(tx, { vacancy, by: principal.actor }, () =>
        this.vacancies.setLogo(tx, vacancy, logo),
      );
      await this.note(tx, principal, 'vacancy.logo', vacancy);
      const after = await this.vacancies.getBySlug(tx, slug);
      return shownVacancy(after, await this.links.of(tx));
    });
  }

  private async documentsOf(tx: Tx, { id }: Vacancy) {
    return { items: await this.knowledge.list(tx, id) };
  }

  private note(
    tx: Tx,
    { actor }: Principal,
    action: 'vacancy.document' | 'vacancy.logo',
    { id }: Vacancy,
  ): Promise<void> {
    return this.audit.note(tx, { actor, action, subjectId: id });
  }
}

/** JSON is a body of every route; what these take has a type of its own, but its bytes decide. */
function bytesIn(body: Buffer | undefined): Buffer {
  return body ?? Buffer.alloc(0);
}
