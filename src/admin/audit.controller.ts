import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { Controller, Get, Query, type StreamableFile, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, DownloadHeaders, ProblemError } from '../common/http';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { CurrentPrincipal, type Principal, RequireConfirmation, RequireScope } from '../access';
import {
  type AuditFilter,
  AuditRepository,
  AuditSubjectRepository,
  MAX_AUDIT_PAGE,
  type NotedEvent,
} from '../privacy';
import { AuditExportDto, AuditListDto, AuditQueryDto } from './audit.dto';
import { type Column, csvTime, listFile } from './list-file';
import { timesOf } from './query-times';

/** The admin API of the audit: who did what, with whose data, and when. */
@ApiTags('Keys and audit')
@ApiProblems()
@Controller('api/v1/audit')
@UseInterceptors(ZodSerializerInterceptor)
export class AuditController {
  constructor(
    private readonly audit: AuditRepository,
    private readonly subjects: AuditSubjectRepository,
  ) {}

  @Get()
  @RequireScope('keys:write')
  @ApiOperation({
    summary: 'Who did what, of whom, and when: the newest first',
    description:
      'The audit has no ids and no names of candidates, only a hash. With `interviews:read`, `subject` is what has ' +
      'this hash now; of somebody who was erased there is nothing.',
  })
  @ZodResponse({ status: 200, type: AuditListDto })
  async list(
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { beforeId, limit, ...query }: AuditQueryDto,
  ) {
    assertAll(principal);
    const isNamed = principal.scopes.includes('interviews:read');
    const { events, subjects } = await uow.commit('audit.list', async (tx) => {
      const events = await this.audit.list(tx, filterOf(query), { beforeId, limit });
      const hashes = isNamed ? events.map(({ subjectHash }) => subjectHash) : [];
      return { events, subjects: await this.subjects.find(tx, hashes) };
    });
    return {
      events: events.map((event) => ({
        ...shown(event),
        subject: subjects.get(event.subjectHash) ?? null,
      })),
      olderCursor: events.length === limit ? (events.at(-1)?.id ?? null) : null,
    };
  }

  @Get('export')
  @RequireScope('keys:write')
  @RequireConfirmation()
  @ApiOperation({
    summary: 'The audit as one CSV or JSON file, the newest first',
    description: 'Without names of candidates, because the file outlives them.',
  })
  @DownloadHeaders('The file, under its own name', {
    'text/csv': { schema: { type: 'string' } },
    'application/json': {
      schema: { type: 'object', properties: { events: { type: 'array' } }, required: ['events'] },
      example: { events: [] },
    },
  })
  async export(
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { format, language, separator, ...query }: AuditExportDto,
  ): Promise<StreamableFile> {
    assertAll(principal);
    const { actor } = principal;
    await uow.commit('audit.export', (tx) =>
      this.audit.note(tx, { actor, action: 'audit.export', subjectId: 'audit' }),
    );
    const pages = this.pages(uow, filterOf(query));
    const form = { format, language, separator };
    return listFile(form, { name: 'audit', field: 'events', columns: COLUMNS, pages });
  }

  private async *pages(uow: UnitOfWork, filter: AuditFilter) {
    let beforeId: string | undefined;
    do {
      const of = { beforeId, limit: MAX_AUDIT_PAGE };
      const events = await uow.commit('audit.export', (tx) => this.audit.list(tx, filter, of));
      yield events.map(shown);
      beforeId = events.length < MAX_AUDIT_PAGE ? undefined : events.at(-1)?.id;
    } while (beforeId !== undefined);
  }
}

/** Throws ProblemError. */
function assertAll({ vacancyIds }: Principal): void {
  if (vacancyIds === null) return;
  throw new ProblemError(403, 'beyond_key', 'The audit is about all vacancies.');
}

type Shown = ReturnType<typeof shown>;

function shown({ at, ...event }: NotedEvent) {
  return { ...event, at: at.toISOString() };
}

const COLUMNS: readonly Column<Shown>[] = [
  { name: { en: 'Time (UTC)', ru: 'Время (UTC)' }, cell: ({ at }) => csvTime(at) },
  { name: { en: 'Who', ru: 'Кто' }, cell: ({ actor }) => actor },
  { name: { en: 'Action', ru: 'Действие' }, cell: ({ action }) => action },
  {
    name: { en: 'Of whom (SHA-256 of the id)', ru: 'О ком (SHA-256 номера)' },
    cell: ({ subjectHash }) => subjectHash,
  },
];

function filterOf({
  since,
  until,
  ...filter
}: Pick<AuditQueryDto, 'actor' | 'action' | 'subjectId' | 'since' | 'until'>): AuditFilter {
  return { ...filter, ...timesOf({ since, until }) };
}
