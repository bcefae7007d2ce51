import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import {
  Body,
  Controller,
  Get,
  Header,
  Headers,
  HttpCode,
  Param,
  Post,
  Query,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiForbiddenResponse,
  ApiHeader,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { DomainEvents, type ListedDecision } from '../common/events';
import { ApiProblems, ProblemError } from '../common/http';
import { Idempotent, IdempotentCall, type ResponseKeeper } from '../common/idempotency';
import { RequestUnit, type Tx, UnitOfWork } from '../common/uow';
import {
  CurrentPrincipal,
  type Principal,
  RequireConfirmation,
  RequireScope,
  reaches,
} from '../access';
import { AuditRepository } from '../privacy';
import { VacancyRepository } from '../vacancies';
import { OwnRatingFirst, reviewerOf } from './own-rating-first';
import { Reach } from './reach';
import {
  DecisionListDto,
  DecisionsQueryDto,
  DecisionDto,
  DecisionFileDto,
  InterviewDecisionsDto,
  MAX_PAGE,
  DecisionCreateDto,
  decision,
  ID,
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
    private readonly ownFirst: OwnRatingFirst,
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
      await noteRead(this.audit, tx, principal, read);
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
      await noteRead(this.audit, tx, principal, [found]);
      return shown(found);
    });
  }

  @Post(':id/export')
  @RequireConfirmation()
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
      'repeat after a lost response gets the same file. It holds scores and ratings, so a user rates the ' +
      'answers first; keys and tokens need not.',
  })
  @ApiOkResponse({ type: DecisionFileDto.Output, description: 'The file' })
  @ApiNotFoundResponse({ description: 'There is no such decision' })
  @ApiConflictResponse({
    description: 'The server has no key that signs, or the user has to rate answers first',
  })
  async export(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @IdempotentCall() call: ResponseKeeper,
  ): Promise<string> {
    return uow.commit('decision.export', async (tx) => {
      const { actor, vacancyIds } = principal;
      const of = { vacancyIds, id: decisionId(id) };
      const [known] = (
        await this.events.collect(tx, 'decisions.listed', { ...of, limit: 1 })
      ).flat();
      if (known === undefined) throw unknownDecision();
      await this.ownFirst.assertForFile(tx, principal, known.candidateId);
      const [file] = await this.events.collect(tx, 'decision.exported', of);
      if (file === undefined || file === null) throw unknownDecision();
      const { candidateId: subjectId, text } = file;
      await this.audit.note(tx, { actor, action: 'decision.export', subjectId });
      await call.keep(tx, text);
      return text;
    });
  }
}

/** The decisions about the candidate of an interview. Only users decide, one candidate at a time. */
@ApiTags('Scores and decisions')
@ApiProblems()
@Controller('api/v1/interviews/:id/decisions')
@UseInterceptors(ZodSerializerInterceptor)
export class InterviewDecisionsController {
  constructor(
    private readonly events: DomainEvents,
    private readonly reach: Reach,
    private readonly audit: AuditRepository,
  ) {}

  @Get()
  @RequireScope('decisions:read')
  @Header('cache-control', 'private, no-store')
  @ApiOperation({
    summary: 'What people decided about the candidate of an interview',
    description:
      'At most the 100 newest. The header `ETag` names the newest one; a decision sends it as `If-Match`. With ' +
      'a limit to vacancies: none about a candidate whom another vacancy knows.',
  })
  @ZodResponse({ status: 200, type: InterviewDecisionsDto })
  @ApiNotFoundResponse({ description: 'There is no such interview' })
  async list(
    @Param('id') conversationId: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const found = await uow.commit('decision.read', async (tx) => {
      const candidateId = await this.reach.candidateOf(tx, principal, conversationId);
      const of = { vacancyIds: principal.vacancyIds, candidateId, limit: MAX_PAGE };
      const decisions = (await this.events.collect(tx, 'decisions.listed', of)).flat();
      await noteRead(this.audit, tx, principal, decisions);
      return decisions;
    });
    void reply.header('etag', `"${found[0]?.id ?? NONE}"`);
    return { items: found.map(shown) };
  }

  @Post()
  @HttpCode(201)
  @RequireScope('decisions:write')
  @Idempotent()
  @ApiHeader({
    name: 'if-match',
    required: true,
    description:
      'The `ETag` of the decisions that the user has seen; `"none"` where there are none',
  })
  @ApiOperation({
    summary: 'Decide about the candidate of an interview, as the user who is signed in',
    description:
      'A later decision does not replace an earlier one: both stay, each with its reason.',
  })
  @ZodResponse({ status: 201, type: DecisionDto })
  @ApiNotFoundResponse({ description: 'There is no such interview' })
  @ApiConflictResponse({ description: 'Somebody else has decided meanwhile: who, when, which way' })
  @ApiForbiddenResponse({ description: 'Another vacancy, beyond the limit, knows the candidate' })
  async decide(
    @Param('id') conversationId: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Body() { isAdverse, reason }: DecisionCreateDto,
    @Headers() headers: Readonly<Record<string, string | undefined>>,
    @IdempotentCall() call: ResponseKeeper,
  ) {
    const lastSeenId = lastSeenIn(headers['if-match']);
    return uow.commit('decision.record', async (tx) => {
      const candidateId = await this.reach.candidateOf(tx, principal, conversationId);
      // It is about the person, so it would decide for the other vacancies too.
      await this.reach.assertCandidate(tx, principal, candidateId);
      const by = reviewerOf(principal);
      const decision = { conversationId, by, isAdverse, reason, lastSeenId };
      const id = await this.events.ask(tx, 'decision.made', decision);
      const { actor, vacancyIds } = principal;
      const of = { vacancyIds, id, limit: 1 };
      const [made] = (await this.events.collect(tx, 'decisions.listed', of)).flat();
      if (made === undefined) throw unknownDecision();
      await this.audit.note(tx, { actor, action: 'decision.write', subjectId: candidateId });
      await call.keep(tx, shown(made));
      return shown(made);
    });
  }
}

/** The version of no decisions. */
const NONE = 'none';
const TAG = new RegExp(`^"(${NONE}|\\d{1,18})"$`);

/** Null: the user has seen that there is none. Throws ProblemError. */
function lastSeenIn(given: string | undefined): string | null {
  const [, seen] = TAG.exec(given?.trim() ?? '') ?? [];
  if (seen !== undefined) return seen === NONE ? null : seen;
  throw new ProblemError(
    428,
    'if_match_missing',
    'Send If-Match with the ETag of the decisions that you have read.',
  );
}

/** One row in the audit for each candidate. */
async function noteRead(
  audit: AuditRepository,
  tx: Tx,
  { actor }: Principal,
  read: readonly ListedDecision[],
): Promise<void> {
  const candidateIds = new Set(read.map(({ candidateId }) => candidateId));
  await audit.noteAll(tx, { actor, action: 'decision.read' }, [...candidateIds]);
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
