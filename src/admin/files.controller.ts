import { Controller, Get, Param, StreamableFile, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import {
  AdminName,
  AdminTokenGuard,
  ApiProblems,
  DownloadHeaders,
  attachmentNamed,
} from '../common/http';
import { type Tx, UnitOfWorkFactory } from '../common/uow';
import { FileArchive } from '../interview';
import { AuditRepository } from '../persistence';
import { FileListDto } from './files.dto';

/** The admin API of what candidates sent beside their words. */
@ApiTags('admin')
@ApiBearerAuth()
@ApiProblems()
@Controller('api/v1/admin/conversations/:id/files')
@UseGuards(AdminTokenGuard)
export class FilesController {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly archive: FileArchive,
    private readonly audit: AuditRepository,
  ) {}

  @Get()
  @UseInterceptors(ZodSerializerInterceptor)
  @ApiOperation({ summary: 'The files of a conversation, in their order' })
  @ZodResponse({ status: 200, type: FileListDto })
  async list(@Param('id') conversationId: string, @AdminName() actor: string) {
    const files = await this.commit('file.list', async (tx) => {
      const listed = await this.archive.list(tx, conversationId);
      await this.audit.note(tx, { actor, action: 'file.list', subjectId: conversationId });
      return listed;
    });
    const items = files.map((file) => ({
      messageId: file.messageId,
      receivedAt: file.receivedAt.toISOString(),
      channel: file.channel,
      state: file.state,
      name: file.name,
      mimeType: file.mimeType,
      sizeBytes: file.sizeBytes,
      problem: file.problem,
    }));
    return { items };
  }

  @Get(':messageId/content')
  @ApiOperation({ summary: 'What was sent' })
  @DownloadHeaders('The file as it was received, under its own type')
  async content(
    @Param('id') conversationId: string,
    @Param('messageId') messageId: string,
    @AdminName() actor: string,
  ): Promise<StreamableFile> {
    const file = await this.commit('file.find', async (tx) => {
      const found = await this.archive.find(tx, { conversationId, messageId });
      await this.audit.note(tx, { actor, action: 'file.read', subjectId: conversationId });
      return found;
    });
    return new StreamableFile(this.archive.read(file), {
      type: file.mimeType,
      length: file.sizeBytes,
      disposition: attachmentNamed(file.name),
    });
  }

  private commit<T>(label: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.units.run('admin', (uow) => uow.commit(label, work));
  }
}
