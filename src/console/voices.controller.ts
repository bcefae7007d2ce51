import {
  Controller,
  Get,
  Header,
  Param,
  StreamableFile,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { AdminTokenGuard, ApiProblems } from '../common/http';
import { type Tx, UnitsOfWork } from '../common/uow';
import { VoiceArchive } from '../interview';
import { VoiceListDto } from './voices.dto';

/** The admin API of candidates' recordings. */
@ApiTags('admin')
@ApiBearerAuth()
@ApiProblems()
@Controller('api/v1/admin/conversations/:id/voices')
@UseGuards(AdminTokenGuard)
export class VoicesController {
  constructor(
    private readonly units: UnitsOfWork,
    private readonly archive: VoiceArchive,
  ) {}

  @Get()
  @UseInterceptors(ZodSerializerInterceptor)
  @ApiOperation({ summary: 'The voice messages of a conversation, in their order' })
  @ZodResponse({ status: 200, type: VoiceListDto })
  async list(@Param('id') conversationId: string) {
    const voices = await this.commit('voice.list', (tx) => this.archive.list(tx, conversationId));
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
    return { items };
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
  ): Promise<StreamableFile> {
    const { bytes, mimeType } = await this.commit('voice.audio', (tx) =>
      this.archive.recording(tx, { conversationId, messageId }),
    );
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
