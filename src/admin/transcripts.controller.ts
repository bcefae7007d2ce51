import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { Controller, Get, Header, Param, Query, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '../common/http';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { TranscriptService } from '../interview';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import { Reach } from './reach';
import { TranscriptDto, PageQuery } from './transcripts.dto';

/** The admin API of transcripts. */
@ApiTags('Admin')
@ApiProblems()
@Controller('api/v1/admin/conversations/:id/transcript')
@RequireScope('interviews:read')
@UseInterceptors(ZodSerializerInterceptor)
export class TranscriptsController {
  constructor(
    private readonly transcripts: TranscriptService,
    private readonly reach: Reach,
  ) {}

  @Get()
  @Header('cache-control', 'private, no-store')
  @ApiOperation({
    summary: 'The transcript of an interview: its newest lines',
    description:
      'A page holds at most 100 lines and 64,000 characters, and at least one line. Ask again with ' +
      '`before` set to `olderCursor` for what is older, until that is null.',
  })
  @ZodResponse({ status: 200, type: TranscriptDto })
  async read(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { before }: PageQuery,
  ) {
    const { beganAt, lines, ...others } = await uow.commit('transcript.read', (tx) => {
      const of = { principal, conversationId: id, action: 'transcript.read' } as const;
      return this.reach.read(tx, of, () => this.transcripts.read(tx, id, before ?? null));
    });
    return {
      ...others,
      beganAt: beganAt?.toISOString() ?? null,
      lines: lines.map((line) => ({
        ...line,
        at: line.at.toISOString(),
        editedAt: line.editedAt?.toISOString() ?? null,
      })),
    };
  }
}
