import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { Readable } from 'node:stream';
import {
  Controller,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Query,
  StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import { ApiNotFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, DownloadHeaders, attachmentNamed } from '../common/http';
import { Idempotent } from '../common/idempotency';
import { isUuid } from '../common/ids';
import { RequestUnit, type Tx, UnitOfWork } from '../common/uow';
import { CurrentPrincipal, type Principal, RequireConfirmation, RequireScope } from '../access';
import {
  AuditRepository,
  CandidateRecordsRepository,
  CandidateUnknownError,
  type ListedCandidate,
  type PageCommit,
  PersonalDataService,
  RetentionRepository,
  RetentionService,
} from '../privacy';
import { OwnRatingFirst } from './own-rating-first';
import { Reach } from './reach';
import { CandidateDto, CandidateListDto, CandidatesQueryDto, ErasedDto } from './candidates.dto';

/** The admin API of candidates. */
@ApiTags('Admin')
@ApiProblems()
@Controller('api/v1/admin/candidates')
@UseInterceptors(ZodSerializerInterceptor)
export class CandidatesController {
  constructor(
    private readonly personal: PersonalDataService,
    private readonly reach: Reach,
    private readonly ownFirst: OwnRatingFirst,
    private readonly audit: AuditRepository,
    private readonly records: CandidateRecordsRepository,
    private readonly holds: RetentionRepository,
    private readonly retention: RetentionService,
  ) {}

  @Get()
  @RequireScope('candidates:export')
  @Header('cache-control', 'private, no-store')
  @ApiOperation({
    summary: 'Candidates by name, external id or id, the newest first',
    description: 'With a key that is limited to vacancies: those whom no other vacancy knows.',
  })
  @ZodResponse({ status: 200, type: CandidateListDto })
  async list(
    @CurrentPrincipal() { vacancyIds }: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { text, cursor, limit }: CandidatesQueryDto,
  ) {
    const found = await uow.commit('personal.list', (tx) =>
      this.records.list(tx, { vacancyIds, text }, { before: cursor, limit: limit + 1 }),
    );
    const items = found.slice(0, limit).map(shown);
    return { items, cursor: found.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  @Get(':id')
  @RequireScope('candidates:export')
  @Header('cache-control', 'private, no-store')
  @ApiOperation({ summary: 'A candidate, and how much is stored about them' })
  @ZodResponse({ status: 200, type: CandidateDto })
  @ApiNotFoundResponse({ description: 'There is no such candidate' })
  async read(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return uow.commit('personal.read', async (tx) => {
      await this.reach.assertCandidate(tx, principal, id);
      const { vacancyIds, actor } = principal;
      const [found] = isUuid(id)
        ? await this.records.list(tx, { vacancyIds, id }, { limit: 1 })
        : [];
      if (found === undefined) {
        throw new CandidateUnknownError('Nothing is stored about this candidate.');
      }
      const hold = await this.holds.holdOf(tx, id);
      await this.audit.note(tx, { actor, action: 'candidate.read', subjectId: id });
      return {
        ...shown(found),
        stored: await this.records.count(tx, id),
        hold: hold && {
          reason: hold.reason,
          placedBy: hold.placedBy,
          placedAt: hold.placedAt.toISOString(),
        },
        keptDays: this.retention.keptDays('transcript'),
      };
    });
  }

  @Get(':id/export')
  @RequireScope('candidates:export')
  @RequireConfirmation()
  @ApiOperation({
    summary: 'Everything that is stored about a candidate, as one JSON file',
    description:
      'The candidate has a right to it, so nobody has to rate for it. It holds scores and ratings, so a user does ' +
      'not rate the answers afterwards that it tells them about.',
  })
  @DownloadHeaders('The file, under its own name', {
    'application/json': {
      schema: { type: 'object' },
      example: {
        exportedAt: '2026-11-30T12:00:00.000Z',
        notes: { profile: 'Who the person is.' },
        profile: { name: 'Ada Lovelace', contact: 'ada@example.org', telegramUsername: null },
        invitations: [],
        conversations: [],
        holders: {},
      },
    },
  })
  @ApiNotFoundResponse({ description: 'There is no such candidate' })
  async export(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<StreamableFile> {
    await uow.commit('personal.reach', (tx) => this.reach.assertCandidate(tx, principal, id));
    const commit: PageCommit = (label, work) => uow.commit(label, work);
    const noteRead = (tx: Tx) => this.ownFirst.noteExport(tx, principal, id);
    const { fileName, pieces } = await this.personal.exportOf(commit, id, noteRead);
    await uow.commit('personal.audit', (tx) =>
      this.audit.note(tx, {
        actor: principal.actor,
        action: 'candidate.export',
        subjectId: id,
      }),
    );
    return new StreamableFile(Readable.from(pieces), {
      type: 'application/json; charset=utf-8',
      disposition: attachmentNamed(fileName),
    });
  }

  @Post(':id/erase')
  @Idempotent()
  @HttpCode(200)
  @RequireScope('candidates:erase')
  @RequireConfirmation()
  @ApiOperation({ summary: 'Erase everything that is stored about a candidate, for good' })
  @ZodResponse({ status: 200, type: ErasedDto })
  async erase(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return uow.commit('personal.erase', async (tx) => {
      await this.reach.assertCandidate(tx, principal, id);
      return this.personal.erase(tx, id, principal.actor);
    });
  }
}

function shown({ createdAt, heldSince, externalIds, interviews, ...one }: ListedCandidate) {
  return {
    ...one,
    externalIds: [...externalIds],
    interviews: [...interviews],
    createdAt: createdAt.toISOString(),
    heldSince: heldSince?.toISOString() ?? null,
  };
}
