import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import { Controller, Get, Header, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal, RequireConfirmation, RequireScope } from '../access';
import { Clock } from '../common/clock';
import { ApiProblems, ProblemError } from '../common/http';
import { Idempotent } from '../common/idempotency';
import { RequestUnit, UnitOfWork } from '../common/uow';
import {
  AuditRepository,
  RETENTION_CLASSES,
  RetentionRepository,
  RetentionService,
} from '../privacy';

export class RetentionDto extends createZodDto(
  z.object({
    rules: z.array(
      z.object({
        class: z.enum(RETENTION_CLASSES),
        keptDays: z.int().nullable().describe('Null: until somebody erases it'),
        source: z.string().describe('The setting, or the text that a preset follows'),
        count: z.int().describe('How much a run would delete now'),
        oldestAt: z.iso.datetime().nullable().describe('Since when the oldest of it is counted'),
      }),
    ),
    holds: z.int().describe('Candidates on legal hold, of whom retention deletes nothing'),
    nextRunAt: z.iso.datetime().describe('When it runs by itself'),
  }),
) {}

export class RetentionRunDto extends createZodDto(
  z.object({
    deleted: z.object(
      Object.fromEntries(RETENTION_CLASSES.map((name) => [name, z.int()])) as Record<
        (typeof RETENTION_CLASSES)[number],
        z.ZodInt
      >,
    ),
    hasMore: z.boolean().describe('More may be due: the limit of one request was reached'),
  }),
) {}

/** Of each class; a request ends within seconds. */
const AT_MOST = 200;
const HOUR_MS = 3_600_000;

/** The admin API of retention: what the policy is, what is due, and a run before the next hour. */
@ApiTags('Admin')
@ApiProblems()
@Controller('api/v1/retention')
@UseInterceptors(ZodSerializerInterceptor)
export class RetentionController {
  constructor(
    private readonly retention: RetentionService,
    private readonly records: RetentionRepository,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
  ) {}

  @Get()
  @RequireScope('candidates:erase')
  @Header('cache-control', 'private, no-store')
  @ApiOperation({ summary: 'How long data is kept, and what the next run would delete' })
  @ZodResponse({ status: 200, type: RetentionDto })
  async read(@CurrentPrincipal() principal: Principal, @RequestUnit() uow: UnitOfWork) {
    if (principal.vacancyIds !== null) {
      throw new ProblemError(403, 'beyond_key', 'Retention is about all vacancies.');
    }
    const due = await this.retention.due();
    const holds = await uow.commit('retention.holds', (tx) => this.records.countHolds(tx));
    const now = this.clock.now().getTime();
    return {
      rules: due.map(({ oldestAt, ...rule }) => ({
        ...rule,
        oldestAt: oldestAt?.toISOString() ?? null,
      })),
      holds,
      nextRunAt: new Date((Math.floor(now / HOUR_MS) + 1) * HOUR_MS).toISOString(),
    };
  }

  @Post('run')
  @HttpCode(200)
  @RequireScope('retention:run')
  @RequireConfirmation()
  @Idempotent()
  @ApiOperation({
    summary: 'Delete now what is due, at most 200 of each class',
    description:
      'The same as the run of every hour. Nothing of a candidate on legal hold is deleted.',
  })
  @ZodResponse({ status: 200, type: RetentionRunDto })
  async run(@CurrentPrincipal() { actor }: Principal, @RequestUnit() uow: UnitOfWork) {
    await uow.commit('retention.run', (tx) =>
      this.audit.note(tx, { actor, action: 'retention.run', subjectId: 'retention' }),
    );
    const deleted = await this.retention.run(AT_MOST);
    return { deleted, hasMore: Object.values(deleted).some((count) => count >= AT_MOST) };
  }
}
