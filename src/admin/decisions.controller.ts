import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import {
  Controller,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Query,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { DomainEvents, type ListedDecision } from '../common/events';
import { ApiProblems, ProblemError } from '../common/http';
import { Idempotent, IdempotentCall, type ResponseKeeper } from '../common/idempotency';
import { RequestUnit, type Tx, UnitOfWork } from '../common/uow';
import { CurrentPrincipal, type Principal, RequireScope, reaches } from '../keys';
import { AuditRepository } from '../privacy';
import { VacancyRepository } from '../vacancies';
import {
  DecisionListDto,
  DecisionsQueryDto,
  DecisionDto,
  DecisionFileDto,
  ID,
  decision,
} from './decisions.dto';

/** The admin API of decisions, which people make. A key only reads them. */
@ApiTags('Scores and decisions')
@ApiProblems()
@Controller('api/v1/decisions')
@RequireScope('decisions:read')
@UseInterceptors(ZodSerializerInterceptor)
export class DecisionsController {
  constructor(
    private readonly events: DomainEvents,
    private readonly vacancies: VacancyRepository,
    private readonly audit: AuditRepository,
  ) {}

  @Get()
  @Header('cache-control', 'private, no-store')
  @ApiOperation({
    summary: 'What people decided about candidates, the newest first',
    description: 'With a key that is limited to vacancies: about whom no other vacancy knows.',
  })
  @ZodResponse({ status: 200, type: DecisionListDto })
  async list(
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { vacancy: slug, cursor, limit }: DecisionsQueryDto,
  ) {
    return uow.commit('decision.list', async (tx) => {
      const { vacancyIds } = principal;
      const vacancy = slug === undefined ? undefined : await this.vacancies.findBySlug(tx, slug);
      const isBeyond =
        vacancy === null || (vacancy !== undefined && !reaches(principal, vacancy.id));
      if (isBeyond) return { items: [], cursor: null };
      const of = { vacancyIds, vacancyId: vacancy?.id, before: cursor, limit: limit + 1 };
      const found = (await this.events.collect(tx, 'decisions.listed', of)).flat();
      const read = found.slice(0, limit);
      await this.noteRead(tx, principal, read);
      return {
        items: read.map(shown),
        cursor: found.length > limit ? (read.at(-1)?.id ?? null) : null,
      };
    });
  }

  @Get(':id')
  @Header('cache-control', 'private, no-store')
  @ApiOperation({ summary: 'One decision' })
  @ZodResponse({ status: 200, type: DecisionDto })
  @ApiNotFoundResponse({ description: 'There is no such decision' })
  async one(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    const of = { vacancyIds: principal.vacancyIds, id: decisionId(id), limit: 1 };
    return uow.commit('decision.read', async (tx) => {
      const [found] = (await this.events.collect(tx, 'decisions.listed', of)).flat();
      if (found === undefined) throw unknownDecision();
      await this.noteRead(tx, principal, [found]);
      return shown(found);
    });
  }

  @Post(':id/export')
  @HttpCode(200)
  @Idempotent()
  @Header('content-type', 'application/json; charset=utf-8')
  @Header('content-disposition', 'attachment; filename="decision.json"')
  @Header('cache-control', 'private, no-store')
  @ApiOperation({
    summary: 'The next signed file of the chain, about the candidate of a decision',
    description:
      'The file that `decision export` writes, byte by byte. Each call makes a file with a number of its ' +
      'own, and a number that is missing is told by `decision verify`: send an `Idempotency-Key`, so that a ' +
      'repeat after a lost response gets the same file.',
  })
  @ApiOkResponse({ type: DecisionFileDto.Output, description: 'The file' })
  @ApiNotFoundResponse({ description: 'There is no such decision' })
  @ApiConflictResponse({ description: 'The server has no key that signs' })
  async export(
    @Param('id') id: string,
    @CurrentPrincipal() { actor, vacancyIds }: Principal,
    @RequestUnit() uow: UnitOfWork,
    @IdempotentCall() call: ResponseKeeper,
  ): Promise<string> {
    return uow.commit('decision.export', async (tx) => {
      const of = { vacancyIds, id: decisionId(id) };
      const [file] = await this.events.collect(tx, 'decision.exported', of);
      if (file === undefined || file === null) throw unknownDecision();
      const { candidateId: subjectId, text } = file;
      await this.audit.note(tx, { actor, action: 'decision.export', subjectId });
      await call.keep(tx, text);
      return text;
    });
  }

  /** One row in the audit for each candidate. */
  private async noteRead(
    tx: Tx,
    { actor }: Principal,
    read: readonly ListedDecision[],
  ): Promise<void> {
    const candidateIds = new Set(read.map(({ candidateId }) => candidateId));
    await this.audit.noteAll(tx, { actor, action: 'decision.read' }, [...candidateIds]);
  }
}

/** Throws ProblemError for what cannot be the id of a decision. */
function decisionId(given: string): string {
  if (ID.test(given)) return given;
  throw unknownDecision();
}

function unknownDecision(): ProblemError {
  return new ProblemError(404, 'decision_unknown', 'There is no such decision.');
}

function shown({ decidedAt, letterAt, ...one }: ListedDecision): z.infer<typeof decision> {
  return {
    ...one,
    decidedAt: decidedAt.toISOString(),
    letterAt: letterAt?.toISOString() ?? null,
  };
}
