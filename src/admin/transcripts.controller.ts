import { Controller, Get, Header, Param, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { AdminName, AdminTokenGuard, ApiProblems } from '../common/http';
import { UnitOfWorkFactory } from '../common/uow';
import { TranscriptService } from '../interview';
import { AuditRepository } from '../persistence';
import { PageQuery, TranscriptDto } from './transcripts.dto';

/** The admin API of transcripts. */
@ApiTags('admin')
@ApiBearerAuth()
@ApiProblems()
@Controller('api/v1/admin/conversations/:id/transcript')
@UseGuards(AdminTokenGuard)
@UseInterceptors(ZodSerializerInterceptor)
export class TranscriptsController {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly transcripts: TranscriptService,
    private readonly audit: AuditRepository,
  ) {}

  @Get()
  @Header('cache-control', 'private, no-store')
  @ApiOperation({
    summary: 'An interview as it was held: who, what for, what was said; the newest lines',
    description:
      'A page holds at most 100 lines and 64,000 characters, and at least one line. Ask again with ' +
      '`before` set to `olderCursor` for what is older, until that is null.',
  })
  @ZodResponse({ status: 200, type: TranscriptDto })
  async read(@Param('id') id: string, @AdminName() actor: string, @Query() { before }: PageQuery) {
    const { beganAt, lines, ...others } = await this.units.run('admin', (uow) =>
      uow.commit('transcript.read', async (tx) => {
        const transcript = await this.transcripts.read(tx, id, before ?? null);
        await this.audit.note(tx, { actor, action: 'transcript.read', subjectId: id });
        return transcript;
      }),
    );
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
