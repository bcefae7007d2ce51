import {
  Controller,
  Get,
  Param,
  Post,
  Query,
  Req,
  StreamableFile,
  UseGuards,
  UseInterceptors,
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
import type { FastifyRequest, FastifyInstance } from 'fastify';
import { ZodResponse } from 'nestjs-zod';
import { Settings } from '../../common/config';
import {
  ApiProblems,
  DownloadHeaders,
  attachmentNamed,
  SESSION_SECURITY,
  type ProblemCode,
  ProblemError,
  mediaTypeRefused,
  UnreadBody,
  type UploadPace,
  readBytes,
} from '../../common/http';
import { RequestUnit, UnitOfWork } from '../../common/uow';
import {
  FILE_ENDINGS,
  FileArchive,
  FileService,
  MAX_VOICE_BYTES,
  VoiceService,
} from '../../interview';
import { timeJson, AcceptedDto, CorrectedDto } from './conversation.dto';
import { FileQuery, CorrectionBody, VoiceQuery } from './conversation-bodies.dto';
import { CurrentConversation, SessionGuard } from './session-access';
import { WithdrawnWords } from './withdrawn-words';
import { BufferService } from '../../buffer';
import { Readable } from 'node:stream';

/** Types that browsers record and that people have as audio files, with their usual other names. */
export const VOICE_TYPES = [
  ...['audio/webm', 'video/webm'],
  ...['audio/ogg', 'audio/opus', 'application/ogg', 'video/ogg'],
  ...['audio/mp4', 'audio/m4a', 'audio/x-m4a', 'audio/aac'],
  ...['audio/mpeg', 'audio/mp3'],
  ...['audio/wav', 'audio/wave', 'audio/x-wav', 'audio/vnd.wave'],
  ...['audio/flac', 'audio/x-flac'],
];
/** Declared types of files; the content decides. Browsers send the last one for unknown types. */
export const FILE_BODY_TYPES = [...Object.keys(FILE_ENDINGS), 'application/octet-stream'];

const TYPES_BY_ROUTE: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/conversation/voice': VOICE_TYPES,
  '/api/v1/conversation/files': FILE_BODY_TYPES,
};

/** An upload that is too large is read and dropped up to this many times the limit, then cut off. */
const DROPPED_LIMITS = 3;
/** Uploads of one session at a time. A person sends one after another. */
const UPLOADS_PER_SESSION = 2;
/** Memory for all unfinished uploads of the process. */
const HELD_BYTES = 160 * 1024 * 1024;
const BUSY_RETRY_S = 2;

/**
 * Accepts bodies that are not JSON, each type only on its route. The body stays a stream: it is read
 * only after the session is known.
 */
export function acceptUploads(server: FastifyInstance, pace: UploadPace): void {
  // Otherwise an unread rest would be taken for the beginning of the connection's next request.
  server.addHook('onSend', (request, reply, _payload, done) => {
    const isUpload = (request.routeOptions.url ?? '') in TYPES_BY_ROUTE;
    if (isUpload && !request.raw.complete) void reply.header('connection', 'close');
    done();
  });
  for (const type of new Set(Object.values(TYPES_BY_ROUTE).flat())) {
    server.addContentTypeParser(type, (request: FastifyRequest, body, done) => {
      const types = TYPES_BY_ROUTE[request.routeOptions.url ?? ''] ?? [];
      const { rawBodyTypes = [] } = request.routeOptions.config;
      if (types.includes(type)) done(null, body);
      // Of a program, which sends a picture of the same type.
      else if (rawBodyTypes.includes(type)) {
        done(null, new UnreadBody(request, { pace, parse: JSON.parse }));
      } else done(mediaTypeRefused(request));
    });
  }
}

/**
 * Uploads under way in this process, bounded by the memory that they hold and, for each session, by
 * their number. Slow uploads hold little memory, so they do not block others.
 */
export class Uploads {
  private readonly bySession = new Map<string, number>();
  private heldBytes = 0;

  constructor(
    private readonly bounds: { readonly pace: UploadPace; readonly heldBytes?: number },
  ) {}

  /** Reads the whole body of a request of this conversation's session. Throws ProblemError. */
  async read(
    request: FastifyRequest,
    { conversationId, maxBytes }: { readonly conversationId: string; readonly maxBytes: number },
  ): Promise<Buffer> {
    const { pace } = this.bounds;
    const open = this.bySession.get(conversationId) ?? 0;
    if (open >= UPLOADS_PER_SESSION) throw tooMany(429, 'too_many_uploads');
    this.bySession.set(conversationId, open + 1);
    let held = 0;
    const onKept = (bytes: number): ProblemError | null => {
      if (this.heldBytes + bytes > (this.bounds.heldBytes ?? HELD_BYTES))
        return tooMany(503, 'unavailable');
      held += bytes;
      this.heldBytes += bytes;
      return null;
    };
    try {
      const droppedUpTo = DROPPED_LIMITS * maxBytes;
      return await readBytes(request.raw, { maxBytes, droppedUpTo, pace, onKept });
    } finally {
      this.heldBytes -= held;
      const left = (this.bySession.get(conversationId) ?? 1) - 1;
      if (left > 0) this.bySession.set(conversationId, left);
      else this.bySession.delete(conversationId);
    }
  }
}

/** Throws ProblemError for a body of another type. */
export function assertUpload(request: FastifyRequest, types: readonly string[]): void {
  if (request.body instanceof Readable) return;
  throw new ProblemError(415, 'unsupported_media_type', `Send one of: ${types.join(', ')}.`);
}

function tooMany(status: number, code: ProblemCode): ProblemError {
  return new ProblemError(status, code, 'Too many uploads at once; try again.', {
    retryAfterS: BUSY_RETRY_S,
  });
}

/** Documents and pictures of a candidate. */
@ApiTags('Candidate')
@ApiBearerAuth(SESSION_SECURITY)
@ApiProblems()
@UseGuards(SessionGuard)
@UseInterceptors(WithdrawnWords)
@Controller('api/v1/conversation/files')
export class FilesController {
  private readonly maxBytes;

  constructor(
    private readonly files: FileService,
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
      this.files.receive(tx, {
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
    return new StreamableFile(this.archive.read(uow, file), {
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
@UseInterceptors(WithdrawnWords)
@Controller('api/v1/conversation')
export class VoiceController {
  constructor(
    private readonly voices: VoiceService,
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
      this.voices.receive(tx, {
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
      result: await this.voices.correct(tx, {
        conversationId,
        channel: 'web',
        id: messageId,
        text,
      }),
      dueAt: await this.buffer.dueAt(tx, { conversationId }),
    }));
    return { result, dueAt: timeJson(dueAt) };
  }
}
