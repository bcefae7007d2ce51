import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, ProblemError } from '../common/http';
import { isStorable } from '../common/text';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import { AuditRepository, MAX_AUDIT_PAGE } from '../privacy';

/** 18 digits fit a bigint. */
const ID = /^\d{1,18}$/;
const MAX_TEXT = 120;

function text(description: string) {
  return z
    .string()
    .min(1)
    .max(MAX_TEXT)
    .refine(isStorable, 'no NUL and no broken characters')
    .optional()
    .describe(description);
}

export class AuditQueryDto extends createZodDto(
  z.object({
    actor: text(
      'Whose: `user` or `key` with its name, the name of an admin token, `command line`, …',
    ),
    action: text('What was done, e.g. `transcript.read`'),
    subjectId: text('Of whom: the id of a conversation, a candidate, a vacancy, a key or a user'),
    since: z.iso.datetime().optional().describe('From this time on'),
    until: z.iso.datetime().optional().describe('Before this time'),
    beforeId: z.string().regex(ID).optional().describe('An `olderCursor`'),
    limit: z.coerce.number().int().min(1).max(MAX_AUDIT_PAGE).default(100),
  }),
) {}

export class AuditListDto extends createZodDto(
  z.object({
    events: z.array(
      z.object({
        id: z.string(),
        at: z.iso.datetime(),
        actor: z.string(),
        action: z.string(),
        subjectHash: z.string().describe('SHA-256 of the id in lower case: no id is stored'),
      }),
    ),
    olderCursor: z.string().nullable().describe('`beforeId` for what is older; null: no more'),
  }),
) {}

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
