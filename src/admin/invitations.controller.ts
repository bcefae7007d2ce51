import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Query,
  UseInterceptors,
} from '@nestjs/common';
import { ApiConflictResponse, ApiNotFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Clock } from '../common/clock';
import { ApiProblems } from '../common/http';
import { Idempotent, IdempotentCall, type ResponseKeeper } from '../common/idempotency';
import { isStorable } from '../common/text';
import { RequestUnit, UnitOfWork } from '../common/uow';
import {
  INVITATION_STATES,
  type ListedInvitation,
  OneInvitation,
  type OwnInvitation,
  readEnd,
  readInvitation,
} from '../invitations';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import { AuditRepository } from '../privacy';

const invitation = z.object({
  id: z.string(),
  vacancy: z.string().describe('The slug.'),
  candidate: z.object({ id: z.string(), name: z.string().nullable() }),
  state: z
    .enum(INVITATION_STATES)
    .describe('opened: there is an interview; revoked: also when it was issued again.'),
  interviewId: z.string().nullable(),
  externalId: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).describe('As it was given.'),
  createdAt: z.iso.datetime(),
  validUntil: z.iso.datetime(),
});

export class InvitationDto extends createZodDto(invitation) {}

export class NewInvitationDto extends createZodDto(
  invitation.extend({
    link: z
      .object({ web: z.string(), telegram: z.string().nullable(), pin: z.string() })
      .describe('Shown in this response only. `telegram` null: no bot runs.'),
  }),
) {}

export class InvitationListDto extends createZodDto(
  z.object({
    items: z.array(invitation),
    cursor: z.string().nullable().describe('For the next page; null: this is the last one.'),
  }),
) {}

const MAX_TEXT = 2000;
const field = z.string().max(MAX_TEXT).optional();

export class InvitationCreateDto extends createZodDto(
  z.strictObject({
    name: field,
    firstName: field,
    middleName: field,
    lastName: field,
    email: field,
    phone: field,
    telegram: field.describe('A user name, or a link of t.me'),
    contact: field.describe('In place of `email` and `phone`, or beside them'),
    externalId: field.describe('Your own id: a vacancy has one invitation with it'),
    validUntil: field.describe('The last day, or a time; 14 days without it'),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Returned as it is; up to 8 KB'),
  }),
) {}

export class ReissueDto extends createZodDto(z.strictObject({ validUntil: field })) {}

const MAX_PAGE = 100;
const MAX_SEARCH = 200;

export class InvitationsQueryDto extends createZodDto(
  z.object({
    state: z.enum(INVITATION_STATES).optional(),
    vacancy: z.string().min(1).max(100).refine(isStorable).optional().describe('A slug'),
    text: z
      .string()
      .trim()
      .min(1)
      .max(MAX_SEARCH)
      .refine(isStorable, 'no NUL and no broken characters')
      .optional()
      .describe('How words of the name begin, or an external id'),
    cursor: z.uuid().optional(),
    limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(50),
  }),
) {}

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
    @CurrentPrincipal() { actor, vacancyIds }: Principal,
    @RequestUnit() uow: UnitOfWork,
    @IdempotentCall() call: ResponseKeeper,
  ) {
    const given = await readInvitation(body, this.clock.now());
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
    @CurrentPrincipal() { actor, vacancyIds }: Principal,
    @RequestUnit() uow: UnitOfWork,
    @IdempotentCall() call: ResponseKeeper,
  ) {
    const expiresAt = validUntil === undefined ? undefined : readEnd(validUntil, this.clock.now());
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

function shown(one: ListedInvitation): z.infer<typeof invitation> {
  const { id, vacancy, candidateId, name, state, interviewId, externalId, metadata } = one;
  return {
    ...{ id, vacancy, candidate: { id: candidateId, name }, state, interviewId },
    ...{ externalId, metadata },
    createdAt: one.createdAt.toISOString(),
    validUntil: one.expiresAt.toISOString(),
  };
}

function shownOnce({ link, ...one }: OwnInvitation) {
  return { ...shown(one), link };
}
