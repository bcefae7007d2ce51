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
  UseInterceptors,
} from '@nestjs/common';
import { ApiConflictResponse, ApiNotFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Clock } from '../common/clock';
import { ApiProblems, ProblemError, preferredLanguage } from '../common/http';
import { Idempotent, IdempotentCall, type ResponseKeeper } from '../common/idempotency';
import { RequestUnit, UnitOfWork } from '../common/uow';
import {
  InvitationRefusedError,
  type ListedInvitation,
  OneInvitation,
  type OwnInvitation,
  readEnd,
  readInvitation,
} from '../invitations';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import { AuditRepository } from '../privacy';
import {
  NewInvitationDto,
  InvitationCreateDto,
  InvitationListDto,
  InvitationsQueryDto,
  InvitationDto,
  ReissueDto,
  invitation,
} from './invitations.dto';

/** The admin API of invitations, one by one. */
@ApiTags('Invitations')
@ApiProblems()
@Controller('api/v1')
@UseInterceptors(ZodSerializerInterceptor)
export class InvitationsController {
  constructor(
    private readonly invitations: OneInvitation,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
  ) {}

  @Post('vacancies/:slug/invitations')
  @HttpCode(201)
  @RequireScope('invitations:write')
  @Idempotent()
  @Header('cache-control', 'private, no-store')
  @ApiOperation({ summary: 'Invite one person; the links and the PIN are shown only now' })
  @ZodResponse({ status: 201, type: NewInvitationDto })
  @ApiConflictResponse({ description: 'Another invitation has the `externalId`' })
  async create(
    @Param('slug') slug: string,
    @Body() body: InvitationCreateDto,
    @Headers('accept-language') languages: string | undefined,
    @CurrentPrincipal() { actor, vacancyIds }: Principal,
    @RequestUnit() uow: UnitOfWork,
    @IdempotentCall() call: ResponseKeeper,
  ) {
    const given = await inLanguageOf(languages, () => readInvitation(body, this.clock.now()));
    return this.invitations.create(uow, { slug, given, vacancyIds }, async (tx, made) => {
      const subjectId = made.candidateId;
      await this.audit.note(tx, { actor, action: 'invitation.create', subjectId });
      const response = shownOnce(made);
      await call.keep(tx, response);
      return response;
    });
  }

  @Get('invitations')
  @RequireScope('invitations:read')
  @Header('cache-control', 'private, no-store')
  @ApiOperation({ summary: 'Invitations by vacancy, state and text, the newest first' })
  @ZodResponse({ status: 200, type: InvitationListDto })
  async list(
    @CurrentPrincipal() { vacancyIds }: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { vacancy, state, text, cursor, limit }: InvitationsQueryDto,
  ) {
    const rows = await uow.commit('invitation.list', (tx) =>
      this.invitations.list(
        tx,
        { vacancyIds, slug: vacancy, state, text },
        { before: cursor, limit: limit + 1 },
      ),
    );
    const items = rows.slice(0, limit).map(shown);
    return { items, cursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  @Get('invitations/:id')
  @RequireScope('invitations:read')
  @Header('cache-control', 'private, no-store')
  @ApiOperation({ summary: 'One invitation, without its link' })
  @ZodResponse({ status: 200, type: InvitationDto })
  @ApiNotFoundResponse({ description: 'There is no such invitation' })
  async show(
    @Param('id') id: string,
    @CurrentPrincipal() { vacancyIds }: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return shown(
      await uow.commit('invitation.show', (tx) => this.invitations.get(tx, id, vacancyIds)),
    );
  }

  @Post('invitations/:id/reissue')
  @HttpCode(201)
  @RequireScope('invitations:write')
  @Idempotent()
  @Header('cache-control', 'private, no-store')
  @ApiOperation({
    summary: 'Replace the links and the PIN of an invitation',
    description: 'It ends, and a new one has its `externalId` and `metadata`.',
  })
  @ZodResponse({ status: 201, type: NewInvitationDto })
  @ApiConflictResponse({ description: 'It was issued again already' })
  async reissue(
    @Param('id') id: string,
    @Body() { validUntil }: ReissueDto,
    @Headers('accept-language') languages: string | undefined,
    @CurrentPrincipal() { actor, vacancyIds }: Principal,
    @RequestUnit() uow: UnitOfWork,
    @IdempotentCall() call: ResponseKeeper,
  ) {
    const expiresAt = await inLanguageOf(languages, () =>
      validUntil === undefined ? undefined : readEnd(validUntil, this.clock.now()),
    );
    const of = { id, vacancyIds, expiresAt };
    return this.invitations.reissue(uow, of, async (tx, made) => {
      const subjectId = made.candidateId;
      await this.audit.note(tx, { actor, action: 'invitation.reissue', subjectId });
      const response = shownOnce(made);
      await call.keep(tx, response);
      return response;
    });
  }

  @Post('invitations/:id/revoke')
  @HttpCode(200)
  @RequireScope('invitations:write')
  @Idempotent()
  @ApiOperation({
    summary: 'End an invitation: its link and its PIN work no more',
    description: 'Browsers that came in by it are signed out. What was said stays.',
  })
  @ZodResponse({ status: 200, type: InvitationDto })
  @ApiNotFoundResponse({ description: 'There is no such invitation' })
  async revoke(
    @Param('id') id: string,
    @CurrentPrincipal() { actor, vacancyIds }: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return uow.commit('invitation.revoke', async (tx) => {
      const revoked = await this.invitations.revoke(tx, id, vacancyIds);
      const subjectId = revoked.candidateId;
      await this.audit.note(tx, { actor, action: 'invitation.revoke', subjectId });
      return shown(revoked);
    });
  }
}

/** What is refused is told in the language of the person behind the client. */
async function inLanguageOf<T>(languages: string | undefined, read: () => T): Promise<Awaited<T>> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof InvitationRefusedError)) throw error;
    const title = error.sentence(preferredLanguage(languages));
    throw new ProblemError(422, 'invitation_refused', title);
  }
}

function shown(one: ListedInvitation): z.infer<typeof invitation> {
  const { id, vacancy, candidateId, name, contact, state, externalId, metadata } = one;
  const { interviewId, interviewState, isLast } = one;
  return {
    ...{ id, vacancy, candidate: { id: candidateId, name, contact }, state },
    ...{ interviewId, interviewState, isLatest: isLast, externalId, metadata },
    createdAt: one.createdAt.toISOString(),
    validUntil: one.expiresAt.toISOString(),
  };
}

function shownOnce({ link, ...one }: OwnInvitation) {
  return { ...shown(one), link };
}
