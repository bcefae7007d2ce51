import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  Res,
  UseInterceptors,
  applyDecorators,
} from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiProblems, ProblemError, RawBody } from '../common/http';
import { Idempotent, IdempotentCall, type ResponseKeeper } from '../common/idempotency';
import { RequestUnit, type Tx, UnitOfWork } from '../common/uow';
import { InterviewListRepository } from '../interview';
import { InvitationLinks, type Links } from '../invitations';
import { CurrentPrincipal, type Principal, RequireScope, reaches } from '../access';
import { type AuditEvent, AuditRepository } from '../privacy';
import {
  MARKS,
  MAX_VACANCY_BYTES,
  type Vacancy,
  type VacancyDraft,
  VacancyRepository,
  VacancyUnknownError,
  minutesOf,
  rubricOf,
} from '../vacancies';
import { VacancyFiles, readFile } from './vacancy-files';
import {
  VacancyListDto,
  VacanciesQueryDto,
  VacancyDto,
  VacancyCheckDto,
  checkedVacancy,
  vacancy,
} from './vacancies.dto';

const FILE_TYPES = [
  'application/json',
  'application/yaml',
  'application/x-yaml',
  'text/yaml',
  'text/x-yaml',
];

const EXAMPLE_FILE = {
  slug: 'night-baker',
  language: 'en',
  title: 'Night Baker',
  company: 'Harbourline',
  owner: { name: 'Nora Lindqvist' },
  greeting: 'Hello, and welcome.',
  closing: 'Thank you, that was all.',
  questions: [
    {
      id: 'last',
      text: 'What did you bake last?',
      mustAsk: true,
      rubric: 'A bread, and how it was made.',
    },
  ],
};

const FILE_SCHEMA = {
  type: 'object',
  description: 'The file of a vacancy (docs/vacancy-file.md), as JSON',
  additionalProperties: true,
  examples: [EXAMPLE_FILE],
};

const NO_INTERVIEWS = { running: 0, waiting: 0, finished: 0 };

type Headed = Readonly<Record<string, string | undefined>>;

/** The admin API of vacancies. */
@ApiTags('Vacancies')
@ApiProblems()
@Controller('api/v1/vacancies')
@UseInterceptors(ZodSerializerInterceptor)
export class VacanciesController {
  constructor(
    private readonly vacancies: VacancyRepository,
    private readonly files: VacancyFiles,
    private readonly interviews: InterviewListRepository,
    private readonly links: InvitationLinks,
    private readonly audit: AuditRepository,
  ) {}

  @Get()
  @RequireScope('vacancies:read')
  @ApiOperation({ summary: 'All vacancies that the key reaches, by slug' })
  @ZodResponse({ status: 200, type: VacancyListDto })
  async list(
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() query: VacanciesQueryDto,
  ) {
    const isCounted = query.counts === 'interviews' && principal.scopes.includes('interviews:read');
    return uow.commit('vacancy.list', async (tx) => {
      const links = await this.links.of(tx);
      const all = await this.vacancies.list(tx);
      const reached = all.filter(({ id }) => reaches(principal, id));
      const items = reached.map((one) => shownVacancy(one, links));
      if (!isCounted) return { items };
      const counts = await this.interviews.countByVacancy(tx, principal.vacancyIds);
      return {
        items: items.map((item, n) => ({
          ...item,
          interviews: counts.get(reached[n]?.id ?? '') ?? NO_INTERVIEWS,
        })),
      };
    });
  }

  @Post()
  @HttpCode(201)
  @TakesVacancyFile()
  @RequireScope('vacancies:write')
  @Idempotent()
  @ApiOperation({ summary: 'Create a vacancy from its file' })
  @ZodResponse({ status: 201, type: VacancyDto })
  async create(
    @Headers() headers: Headed,
    @Body() body: Buffer | undefined,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @IdempotentCall() call: ResponseKeeper,
  ) {
    if (principal.vacancyIds !== null) {
      const title = 'This key is limited to vacancies, so it creates none.';
      throw new ProblemError(403, 'beyond_key', title);
    }
    const read = readFile(body, headers['content-type'] ?? '');
    return uow.commit('vacancy.create', async (tx) => {
      const created = await this.files.create(tx, read);
      await this.files.keep(tx, created, principal.actor);
      await this.note(tx, principal, 'vacancy.create', created);
      const response = shownVacancy(created, await this.links.of(tx));
      await call.keep(tx, response);
      return response;
    });
  }

  @Post('validate')
  @HttpCode(200)
  @TakesVacancyFile()
  @RequireScope('vacancies:write')
  @Idempotent()
  @ApiOperation({ summary: "Check a vacancy's file and store nothing" })
  @ZodResponse({ status: 200, type: VacancyCheckDto })
  validate(@Headers() headers: Headed, @Body() body: Buffer | undefined) {
    return shownCheck(readFile(body, headers['content-type'] ?? '').draft);
  }

  @Get(':slug')
  @RequireScope('vacancies:read')
  @ApiOperation({ summary: 'One vacancy, and whether it is open' })
  @ZodResponse({ status: 200, type: VacancyDto })
  async show(
    @Param('slug') slug: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return uow.commit('vacancy.show', async (tx) => {
      const found = knownVacancy(principal, await this.vacancies.findBySlug(tx, slug));
      return shownVacancy(found, await this.links.of(tx));
    });
  }

  @Get(':slug/file')
  @RequireScope('vacancies:read')
  @ApiOperation({
    summary: "A vacancy's file, as YAML or as JSON",
    description: 'JSON, or YAML for `Accept: application/yaml`. `PUT` takes what it returns.',
  })
  @ApiOkResponse({
    description: 'The file. `ETag` names this version of it',
    content: {
      'application/json': { schema: FILE_SCHEMA },
      'application/yaml': { schema: { type: 'string' } },
    },
  })
  async file(
    @Param('slug') slug: string,
    @Headers() headers: Headed,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const file = await uow.commit('vacancy.file', async (tx) =>
      this.files.of(tx, knownVacancy(principal, await this.vacancies.findBySlug(tx, slug))),
    );
    void reply.header('etag', tagOf(file.version)).header('vary', 'accept');
    if (!/\byaml\b/i.test(headers['accept'] ?? '')) return file.json;
    void reply.type('application/yaml; charset=utf-8');
    return file.yaml;
  }

  @Put(':slug/file')
  @TakesVacancyFile()
  @RequireScope('vacancies:write')
  @ApiOperation({
    summary: "Replace a vacancy's file, unless somebody has changed it",
    description: 'Interviews that have begun keep the plan with which they began.',
  })
  @ApiHeader({
    name: 'if-match',
    required: true,
    description: 'The `ETag` of the file that is replaced; `*` replaces any',
  })
  @ZodResponse({ status: 200, type: VacancyDto })
  async replace(
    @Param('slug') slug: string,
    @Headers() headers: Headed,
    @Body() body: Buffer | undefined,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const read = readFile(body, headers['content-type'] ?? '');
    const { response, version } = await uow.commit('vacancy.replace', async (tx) => {
      const before = knownVacancy(principal, await this.vacancies.lockBySlug(tx, slug));
      assertMatches(headers['if-match'], (await this.files.of(tx, before)).version);
      if (read.draft.slug !== slug) {
        throw new ProblemError(422, 'slug_differs', `The file has another slug than "${slug}".`);
      }
      const after = await this.files.change(tx, { vacancy: before, by: principal.actor }, () =>
        this.files.replace(tx, before, read),
      );
      await this.note(tx, principal, 'vacancy.replace', after);
      const links = await this.links.of(tx);
      return {
        response: shownVacancy(after, links),
        version: (await this.files.of(tx, after)).version,
      };
    });
    void reply.header('etag', tagOf(version));
    return response;
  }

  @Post(':slug/close')
  @HttpCode(200)
  @RequireScope('vacancies:write')
  @Idempotent()
  @ApiOperation({ summary: 'Close a vacancy: no new interview begins' })
  @ZodResponse({ status: 200, type: VacancyDto })
  close(
    @Param('slug') slug: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return this.setClosed(uow, principal, { slug, isClosed: true });
  }

  @Post(':slug/reopen')
  @HttpCode(200)
  @RequireScope('vacancies:write')
  @Idempotent()
  @ApiOperation({ summary: 'Open a closed vacancy again' })
  @ZodResponse({ status: 200, type: VacancyDto })
  reopen(
    @Param('slug') slug: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return this.setClosed(uow, principal, { slug, isClosed: false });
  }

  private setClosed(
    uow: UnitOfWork,
    principal: Principal,
    { slug, isClosed }: { readonly slug: string; readonly isClosed: boolean },
  ) {
    return uow.commit('vacancy.close', async (tx) => {
      knownVacancy(principal, await this.vacancies.findBySlug(tx, slug));
      const { vacancy } = await this.vacancies.setClosed(tx, slug, isClosed);
      await this.note(tx, principal, isClosed ? 'vacancy.close' : 'vacancy.reopen', vacancy);
      return shownVacancy(vacancy, await this.links.of(tx));
    });
  }

  private note(
    tx: Tx,
    { actor }: Principal,
    action: AuditEvent['action'],
    { id }: Vacancy,
  ): Promise<void> {
    return this.audit.note(tx, { actor, action, subjectId: id });
  }
}

/** Throws VacancyUnknownError, also for a vacancy that the key does not reach. */
export function knownVacancy(principal: Principal, found: Vacancy | null): Vacancy {
  if (found !== null && reaches(principal, found.id)) return found;
  throw new VacancyUnknownError('There is no such vacancy.');
}

export function shownVacancy(one: Vacancy, links: Links): z.infer<typeof vacancy> {
  const { slug, title, company, language, plan, closedAt, brand } = one;
  return {
    ...{ slug, title, company, language },
    questions: plan.questions.length,
    minutes: minutesOf(plan),
    state: closedAt === null ? 'open' : 'closed',
    closedAt: closedAt?.toISOString() ?? null,
    openLink: links.webLink(one.openToken),
    logo: brand.logo === undefined ? null : `/logos/${brand.logo.hash}`,
  };
}

function shownCheck(draft: VacancyDraft): z.infer<typeof checkedVacancy> {
  const { slug, title, company, language, plan } = draft;
  const textsOf = (text: string, translations: object | undefined) => {
    return { [language]: text, ...translations };
  };
  return {
    ...{ slug, title, company, language, minutes: minutesOf(plan) },
    replyWithinDays: plan.replyWithinDays ?? null,
    greeting: textsOf(plan.greeting, plan.translations?.greeting),
    closing: textsOf(plan.closing, plan.translations?.closing),
    questions: plan.questions.length,
    plan: plan.questions.map((question) => {
      const { id, kind, mustAsk, text, translations, rubric, followUps = 0 } = question;
      const { criteria, facts } = rubricOf(question);
      return {
        ...{ id, kind, mustAsk, text: textsOf(text, translations), rubric, followUps },
        criteria: criteria.map(({ name, weight, anchors }) => ({
          ...{ name, weight },
          anchors: anchors === null ? null : MARKS.map((mark) => anchors[mark]),
        })),
        facts: facts.map(({ name, fact }) => ({ name, fact })),
      };
    }),
  };
}

function tagOf(version: string): string {
  return `"${version}"`;
}

/** Throws ProblemError unless the header `If-Match` (RFC 9110, 13.1.1) names this version. */
function assertMatches(given: string | undefined, version: string): void {
  if (given === undefined) {
    const title = 'Send If-Match with the ETag of the file that you replace.';
    throw new ProblemError(428, 'if_match_missing', title);
  }
  const tags = given.split(',').map((tag) => tag.trim());
  if (tags.includes('*') || tags.includes(tagOf(version))) return;
  throw new ProblemError(412, 'version_differs', 'The vacancy was changed since it was read.');
}

/** The operation takes a vacancy's file, as YAML or JSON. */
function TakesVacancyFile(): MethodDecorator {
  return applyDecorators(
    RawBody(MAX_VACANCY_BYTES, FILE_TYPES),
    ApiConsumes(...FILE_TYPES),
    ApiBody({ schema: FILE_SCHEMA }),
  );
}
