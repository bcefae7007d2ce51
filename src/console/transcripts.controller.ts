import { Controller, Get, Header, Param, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { AdminName, AdminTokenGuard, ApiProblems } from '../common/http';
import { UnitsOfWork } from '../common/uow';
import { Transcripts } from '../interview';
import { AuditEvents } from '../persistence';
import { TranscriptDto } from './transcripts.dto';

/** The admin API of transcripts. */
@ApiTags('admin')
@ApiBearerAuth()
@ApiProblems()
@Controller('api/v1/admin/conversations/:id/transcript')
@UseGuards(AdminTokenGuard)
@UseInterceptors(ZodSerializerInterceptor)
export class TranscriptsController {
  constructor(
    private readonly units: UnitsOfWork,
    private readonly transcripts: Transcripts,
    private readonly audit: AuditEvents,
  ) {}

  @Get()
  @Header('cache-control', 'private, no-store')
  @ApiOperation({ summary: 'An interview as it was held: who, what for, what was said' })
  @ZodResponse({ status: 200, type: TranscriptDto })
  async read(@Param('id') id: string, @AdminName() actor: string) {
    const { beganAt, lines, ...others } = await this.units.run('admin', (uow) =>
      uow.commit('transcript.read', async (tx) => {
        const transcript = await this.transcripts.read(tx, id);
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
