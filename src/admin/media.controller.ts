import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import {
  Controller,
  Get,
  Header,
  Param,
  Query,
  StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, DownloadHeaders, attachmentNamed } from '../common/http';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { VoiceArchive, FileArchive } from '../interview';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import { Reach } from './reach';
import { PageQuery } from './transcripts.dto';

const voice = z.object({
  messageId: z.string(),
  receivedAt: z.iso.datetime(),
  channel: z.string().describe('The name of a channel, such as web or telegram.'),
  state: z.enum(['announced', 'kept', 'heard', 'unheard']),
  mimeType: z.string(),
  durationS: z.number().nullable(),
  sizeBytes: z.int(),
  /** False: the audio was not received, or not yet. */
  hasAudio: z.boolean(),
  /** What the model transcribed; the candidate may have corrected the message since. */
  transcript: z.string().nullable(),
  /** Why there is no transcript. */
  problem: z.string().nullable(),
});

export class VoiceListDto extends createZodDto(
  z.object({ items: z.array(voice), olderCursor: z.int().nullable() }),
) {}

/** Telegram's video notes and some recorders' files are in containers of video. */
const BINARY = { schema: { type: 'string', format: 'binary' } };
const RECORDING = { 'audio/*': BINARY, 'video/*': BINARY, 'application/*': BINARY };

/** The admin API of candidates' recordings. */
@ApiTags('Admin')
@ApiProblems()
@Controller('api/v1/admin/conversations/:id/voices')
@RequireScope('interviews:read')
export class VoicesController {
  constructor(
    private readonly archive: VoiceArchive,
    private readonly reach: Reach,
  ) {}

  @Get()
  @UseInterceptors(ZodSerializerInterceptor)
  @ApiOperation({
    summary: 'The voice messages of an interview, at most 100 at a time',
  })
  @ZodResponse({ status: 200, type: VoiceListDto })
  async list(
    @Param('id') conversationId: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { before }: PageQuery,
  ) {
    const { voices, olderCursor } = await uow.commit('voice.list', (tx) => {
      const of = { principal, conversationId, action: 'recording.list' } as const;
      return this.reach.read(tx, of, () => this.archive.page(tx, conversationId, before ?? null));
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
  @ApiOperation({ summary: 'The audio of a voice message' })
  @ApiOkResponse({
    description: 'The audio as it was received',
    content: RECORDING,
  })
  async audio(
    @Param('id') conversationId: string,
    @Param('messageId') messageId: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<StreamableFile> {
    const { bytes, mimeType } = await uow.commit('voice.audio', (tx) => {
      const of = { principal, conversationId, action: 'recording.read' } as const;
      const place = { conversationId, messageId };
      return this.reach.read(tx, of, () => this.archive.recording(tx, place));
    });
    return new StreamableFile(bytes, {
      type: mimeType,
      length: bytes.length,
      disposition: 'attachment; filename="voice"',
    });
  }
}

const file = z.object({
  messageId: z.string(),
  receivedAt: z.iso.datetime(),
  channel: z.string().describe('The name of a channel, such as web or telegram.'),
  state: z.enum(['announced', 'kept', 'refused', 'deleted']),
  name: z.string(),
  /** By its content; null: the content is not stored. */
  mimeType: z.string().nullable(),
  sizeBytes: z.int(),
  /** A PDF that nobody opens without a password or a certificate. */
  needsPassword: z.boolean(),
  /** Why it was refused. */
  problem: z.string().nullable(),
});

export class FileListDto extends createZodDto(z.object({ items: z.array(file) })) {}

/** The admin API of candidates' files. */
@ApiTags('Admin')
@ApiProblems()
@Controller('api/v1/admin/conversations/:id/files')
@RequireScope('interviews:read')
export class FilesController {
  constructor(
    private readonly archive: FileArchive,
    private readonly reach: Reach,
  ) {}

  @Get()
  @UseInterceptors(ZodSerializerInterceptor)
  @ApiOperation({ summary: 'The files of an interview, in their order' })
  @ZodResponse({ status: 200, type: FileListDto })
  async list(
    @Param('id') conversationId: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    const files = await uow.commit('file.list', (tx) => {
      const of = { principal, conversationId, action: 'file.list' } as const;
      return this.reach.read(tx, of, () => this.archive.list(tx, conversationId));
    });
    const items = files.map((file) => ({
      messageId: file.messageId,
      receivedAt: file.receivedAt.toISOString(),
      channel: file.channel,
      state: file.state,
      name: file.name,
      mimeType: file.mimeType,
      sizeBytes: file.sizeBytes,
      needsPassword: file.needsPassword,
      problem: file.problem,
    }));
    return { items };
  }

  @Get(':messageId/content')
  @ApiOperation({ summary: 'The content of a file' })
  @DownloadHeaders('The file as it was received, under its own type')
  async content(
    @Param('id') conversationId: string,
    @Param('messageId') messageId: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<StreamableFile> {
    const file = await uow.commit('file.find', (tx) => {
      const of = { principal, conversationId, action: 'file.read' } as const;
      return this.reach.read(tx, of, () => this.archive.find(tx, { conversationId, messageId }));
    });
    return new StreamableFile(this.archive.read(uow, file), {
      type: file.mimeType,
      length: file.sizeBytes,
      disposition: attachmentNamed(file.name),
    });
  }
}
