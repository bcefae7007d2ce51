import {
  Controller,
  Get,
  Header,
  Param,
  Query,
  StreamableFile,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { AdminName, AdminTokenGuard, ApiProblems } from '../common/http';
import { type Tx, UnitOfWorkFactory } from '../common/uow';
import { VoiceArchive } from '../interview';
import { AuditRepository } from '../persistence';
import { PageQuery } from './transcripts.dto';
import { VoiceListDto } from './voices.dto';

/** The admin API of candidates' recordings. */
@ApiTags('admin')
@ApiBearerAuth()
@ApiProblems()
@Controller('api/v1/admin/conversations/:id/voices')
@UseGuards(AdminTokenGuard)
export class VoicesController {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly archive: VoiceArchive,
    private readonly audit: AuditRepository,
  ) {}

  @Get()
  @UseInterceptors(ZodSerializerInterceptor)
  @ApiOperation({
    summary: 'The newest 100 voice messages, in their order; with `before` older ones',
  })
  @ZodResponse({ status: 200, type: VoiceListDto })
  async list(
    @Param('id') conversationId: string,
    @AdminName() actor: string,
    @Query() { before }: PageQuery,
  ) {
    const { voices, olderCursor } = await this.commit('voice.list', async (tx) => {
      const listed = await this.archive.page(tx, conversationId, before ?? null);
      const subjectId = conversationId;
      await this.audit.note(tx, { actor, action: 'recording.list', subjectId });
      return listed;
    });
    const items = voices.map((voice) => ({
      messageId: voice.messageId,
      receivedAt: voice.receivedAt.toISOString(),
      channel: voice.channel,
      state: voice.state,
      mimeType: voice.mimeType,
      durationS: voice.durationS,
      sizeBytes: voice.sizeBytes,
      hasAudio: voice.hasAudio,
      transcript: voice.transcript,
      problem: voice.problem,
    }));
    return { items, olderCursor };
  }

  @Get(':messageId/audio')
  @Header('cache-control', 'private, no-store')
  @Header('x-content-type-options', 'nosniff')
  @ApiOperation({ summary: 'What was recorded' })
  @ApiOkResponse({
    description: 'The audio as it was received',
    content: { 'audio/*': { schema: { type: 'string', format: 'binary' } } },
  })
  async audio(
    @Param('id') conversationId: string,
    @Param('messageId') messageId: string,
    @AdminName() actor: string,
  ): Promise<StreamableFile> {
    const { bytes, mimeType } = await this.commit('voice.audio', async (tx) => {
      const recording = await this.archive.recording(tx, { conversationId, messageId });
      const subjectId = conversationId;
      await this.audit.note(tx, { actor, action: 'recording.read', subjectId });
      return recording;
    });
    return new StreamableFile(bytes, {
      type: mimeType,
      length: bytes.length,
      disposition: 'attachment; filename="voice"',
    });
  }

  private commit<T>(label: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.units.run('admin', (uow) => uow.commit(label, work));
  }
}
