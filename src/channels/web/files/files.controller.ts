import {
  Controller,
  Get,
  Param,
  Post,
  Query,
  Req,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiConsumes, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ZodResponse } from 'nestjs-zod';
import { Settings } from '../../../common/config';
import { ApiProblems, DownloadHeaders, attachmentNamed } from '../../../common/http';
import { RequestUnit, UnitOfWork } from '../../../common/uow';
import { FileArchive, InterviewService } from '../../../interview';
import { LiveReplies } from '../../../streams';
import { JobWorker } from '../../../jobs';
import { FileQuery } from '../conversation.dto';
import { timeJson } from '../conversation-json';
import { AcceptedDto } from '../conversation-json.dto';
import { CurrentConversation, SessionGuard } from '../session.guard';
import { FILE_BODY_TYPES, Uploads, assertUpload } from '../uploads';

/** Documents and pictures of a candidate. */
@ApiTags('Candidate')
@ApiBearerAuth()
@ApiProblems()
@UseGuards(SessionGuard)
@Controller('api/v1/conversation/files')
export class FilesController {
  private readonly maxBytes;

  constructor(
    private readonly interviews: InterviewService,
    private readonly archive: FileArchive,
    private readonly worker: JobWorker,
    private readonly live: LiveReplies,
    private readonly uploads: Uploads,
    settings: Settings,
  ) {
    this.maxBytes = settings.interview.maxFileBytes;
  }

  /**
   * Stores a PDF, a DOCX or a picture; 202 means that it is kept. Its content decides what it is
   * (else 415 `file_type_unsupported`). Its name and size are part of the answer, its content is not.
   */
  @Post()
  @ApiConsumes(...FILE_BODY_TYPES)
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiQuery({ name: 'id', type: String, description: "The client's own id of the message" })
  @ApiQuery({ name: 'name', type: String, required: false, description: 'What it is called' })
  @ZodResponse({ status: 202, type: AcceptedDto })
  async send(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
    @Query() { id, name }: FileQuery,
    @Req() request: FastifyRequest,
  ): Promise<{ id: string; messageId: string; seq: number; dueAt: string | null }> {
    assertUpload(request, FILE_BODY_TYPES);
    const bytes = await this.uploads.read(request, { conversationId, maxBytes: this.maxBytes });
    const content = { kind: 'bytes', bytes } as const;
    const { messageId, seq, dueAt } = await uow.commit('file.receive', (tx) =>
      this.interviews.receiveFile(tx, {
        conversationId,
        channel: 'web',
        externalId: id,
        name,
        content,
      }),
    );
    this.worker.poke('flush');
    this.live.committed(conversationId);
    return { id, messageId, seq, dueAt: timeJson(dueAt) };
  }

  /** A file of this conversation, to be saved. */
  @Get(':messageId')
  @DownloadHeaders('The file as it was received, under its own type')
  async read(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
    @Param('messageId') messageId: string,
  ): Promise<StreamableFile> {
    const file = await uow.commitOne('file.find', (tx) =>
      this.archive.find(tx, { conversationId, messageId }),
    );
    return new StreamableFile(this.archive.read(file), {
      type: file.mimeType,
      length: file.sizeBytes,
      disposition: attachmentNamed(file.name),
    });
  }
}
