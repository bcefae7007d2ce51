import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { Controller, Get, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import { ApiProblems, ProblemError } from '../common/http';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { InterviewPreviews } from '../interview';
import { AuditRepository } from '../privacy';
import { VacancyRepository, type VacancyVersion, VacancyVersionRepository } from '../vacancies';
import { VacancyFiles } from './vacancy-files';
import { knownVacancy } from './vacancies.controller';
import { PreviewDto, VacancyVersionDto, VacancyVersionListDto } from './vacancies.dto';

/** The admin API of what the file of a vacancy was. */
@ApiTags('Vacancies')
@ApiProblems()
@Controller('api/v1/vacancies/:slug/versions')
@RequireScope('vacancies:read')
@UseInterceptors(ZodSerializerInterceptor)
export class VacancyVersionsController {
  constructor(
    private readonly vacancies: VacancyRepository,
    private readonly versions: VacancyVersionRepository,
    private readonly files: VacancyFiles,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'What the file of a vacancy was, the newest first',
    description: 'The newest 200. A change of its documents or of its logo makes a version too.',
  })
  @ZodResponse({ status: 200, type: VacancyVersionListDto })
  async list(
    @Param('slug') slug: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return uow.commit('vacancy.versions', async (tx) => {
      const vacancy = knownVacancy(principal, await this.vacancies.findBySlug(tx, slug));
      const stored = await this.versions.list(tx, vacancy.id);
      const { version } = await this.files.of(tx, vacancy);
      // Nobody has changed it since versions are kept.
      const all = stored[0]?.version === version ? stored : [{ ...NOT_KEPT, version }, ...stored];
      return { items: all.map((one, n) => ({ ...shown(one), isCurrent: n === 0 })) };
    });
  }

  @Get(':version')
  @ApiOperation({ summary: 'One version of the file of a vacancy' })
  @ZodResponse({ status: 200, type: VacancyVersionDto })
  @ApiNotFoundResponse({ description: 'There is no such version' })
  async read(
    @Param('slug') slug: string,
    @Param('version') version: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return uow.commit('vacancy.version', async (tx) => {
      const vacancy = knownVacancy(principal, await this.vacancies.findBySlug(tx, slug));
      const current = await this.files.of(tx, vacancy);
      const isCurrent = version === current.version;
      const found = isStored(version)
        ? await this.versions.find(tx, vacancy.id, version)
        : undefined;
      if (found !== undefined) return { ...shown(found), isCurrent, file: found.file };
      if (isCurrent) return { ...shown({ ...NOT_KEPT, version }), isCurrent, file: current.yaml };
      throw new ProblemError(404, 'vacancy_version_unknown', 'There is no such version.');
    });
  }
}

/** The admin API of previews. Only people look at an interview. */
@ApiTags('Vacancies')
@ApiProblems()
@Controller('api/v1/vacancies/:slug/preview')
@RequireScope('previews:write')
@UseInterceptors(ZodSerializerInterceptor)
export class VacancyPreviewsController {
  constructor(
    private readonly vacancies: VacancyRepository,
    private readonly previews: InterviewPreviews,
    private readonly audit: AuditRepository,
  ) {}

  @Post()
  @HttpCode(201)
  @ApiOperation({
    summary: "Look at a vacancy's interview as a candidate",
    description:
      'Begins a real interview with the plan as it is stored. It is listed and counted nowhere, nobody is asked to ' +
      'help in it, and it is deleted after a day.',
  })
  @ZodResponse({ status: 201, type: PreviewDto })
  async open(
    @Param('slug') slug: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    const { url, expiresAt } = await uow.commit('vacancy.preview', async (tx) => {
      const vacancy = knownVacancy(principal, await this.vacancies.findBySlug(tx, slug));
      const { actor } = principal;
      await this.audit.note(tx, { actor, action: 'vacancy.preview', subjectId: vacancy.id });
      return this.previews.open(tx, vacancy);
    });
    return { link: url, expiresAt: expiresAt.toISOString() };
  }
}

const NOT_KEPT = { madeAt: null, madeBy: null };

function shown({ version, madeAt, madeBy }: VacancyVersion) {
  return { version, madeAt: madeAt?.toISOString() ?? null, madeBy };
}

/** The form of a version; PostgreSQL takes no NUL. */
function isStored(version: string): boolean {
  return /^[0-9a-f]{32}$/.test(version);
}
