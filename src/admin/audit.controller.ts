import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, ProblemError } from '../common/http';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import { AuditRepository } from '../privacy';
import { AuditListDto, AuditQueryDto } from './audit.dto';

/** The admin API of the audit: who did what, with whose data, and when. */
@ApiTags('Keys and audit')
@ApiProblems()
@Controller('api/v1/audit')
@UseInterceptors(ZodSerializerInterceptor)
export class AuditController {
  constructor(private readonly audit: AuditRepository) {}

  @Get()
  @RequireScope('keys:write')
  @ApiOperation({ summary: 'Who did what, of whom, and when: the newest first' })
  @ZodResponse({ status: 200, type: AuditListDto })
  async list(
    @CurrentPrincipal() { vacancyIds }: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { since, until, beforeId, limit, ...query }: AuditQueryDto,
  ) {
    if (vacancyIds !== null) {
      throw new ProblemError(403, 'beyond_key', 'The audit is about all vacancies.');
    }
    const filter = { ...query, since: dateOf(since), until: dateOf(until) };
    const events = await uow.commit('audit.list', (tx) =>
      this.audit.list(tx, filter, { beforeId, limit }),
    );
    return {
      events: events.map(({ at, ...event }) => ({ ...event, at: at.toISOString() })),
      olderCursor: events.length === limit ? (events.at(-1)?.id ?? null) : null,
    };
  }
}

function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
