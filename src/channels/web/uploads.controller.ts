import {
  Controller,
  Get,
  Param,
  Post,
  Query,
  Req,
  StreamableFile,
  UseGuards,
  Body,
} from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiConsumes,
  ApiQuery,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ZodResponse } from 'nestjs-zod';
import { Settings } from '../../common/config';
import { ApiProblems, DownloadHeaders, attachmentNamed, SESSION_SECURITY } from '../../common/http';
import { RequestUnit, UnitOfWork } from '../../common/uow';
import { FileArchive, InterviewService, MAX_VOICE_BYTES } from '../../interview';
import {
  FileQuery,
  timeJson,
  AcceptedDto,
  CorrectionBody,
  VoiceQuery,
  CorrectedDto,
} from './conversation.dto';
import { CurrentConversation, SessionGuard } from './session-access';
import { FILE_BODY_TYPES, Uploads, assertUpload, VOICE_TYPES } from './uploads';
import { BufferService } from '../../buffer';

/** Documents and pictures of a candidate. */
@ApiTags('Candidate')
@ApiBearerAuth(SESSION_SECURITY)
@ApiProblems()
@UseGuards(SessionGuard)
@Controller('api/v1/conversation/files')
export class FilesController {
  private readonly maxBytes;

  constructor(
    private readonly interviews: InterviewService,
    private readonly archive: FileArchive,
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
  @ApiOperation({ summary: 'Send a document or a picture' })
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
    return { id, messageId, seq, dueAt: timeJson(dueAt) };
  }

  /** A file of this conversation, to be saved. */
  @Get(':messageId')
  @ApiOperation({ summary: 'Download a file of this interview' })
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

/** A candidate's voice messages, and corrections of their transcripts. */
@ApiTags('Candidate')
@ApiBearerAuth(SESSION_SECURITY)
@ApiProblems()
@UseGuards(SessionGuard)
@Controller('api/v1/conversation')
export class VoiceController {
  constructor(
    private readonly interviews: InterviewService,
    private readonly buffer: BufferService,
    private readonly uploads: Uploads,
  ) {}

  /** Stores a voice message; 202 means that it is kept. Its transcript becomes its text. */
  @Post('voice')
  @ApiOperation({ summary: 'Send a voice message' })
  @ApiConsumes(...VOICE_TYPES)
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiQuery({ name: 'id', type: String, description: "The client's own id of the message" })
  @ApiQuery({ name: 'duration', type: Number, required: false, description: 'Seconds' })
  @ZodResponse({ status: 202, type: AcceptedDto })
  async send(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
    @Query() { id, duration }: VoiceQuery,
    @Req() request: FastifyRequest,
  ): Promise<{ id: string; messageId: string; seq: number; dueAt: string | null }> {
    assertUpload(request, VOICE_TYPES);
    const audio = {
      kind: 'bytes',
      bytes: await this.uploads.read(request, { conversationId, maxBytes: MAX_VOICE_BYTES }),
      mimeType: request.headers['content-type'] ?? '',
    } as const;
    const { messageId, seq, dueAt } = await uow.commit('voice.receive', (tx) =>
      this.interviews.receiveVoice(tx, {
        conversationId,
        channel: 'web',
        externalId: id,
        audio,
        durationS: duration ?? null,
      }),
    );
    return { id, messageId, seq, dueAt: timeJson(dueAt) };
  }

  /** Corrects the transcript of a voice message. `id`: the message's id, or the client's own id. */
  @Post('messages/:id/correction')
  @ApiOperation({ summary: 'Correct the transcript of a voice message' })
  @ZodResponse({ status: 202, type: CorrectedDto })
  async correct(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
    @Param('id') messageId: string,
    @Body() { text }: CorrectionBody,
  ): Promise<{ result: 'edited' | 'amendment'; dueAt: string | null }> {
    const { result, dueAt } = await uow.commit('voice.correct', async (tx) => ({
      result: await this.interviews.correctTranscript(tx, { conversationId, messageId, text }),
      dueAt: await this.buffer.dueAt(tx, { conversationId }),
    }));
    return { result, dueAt: timeJson(dueAt) };
  }
}
