import {
  Body,
  Controller,
  Get,
  Param,
  Post,
  Res,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ZodResponse } from 'nestjs-zod';
import { ApiProblems, SESSION_SECURITY } from '../../../common/http';
import { RequestUnit, UnitOfWork } from '../../../common/uow';
import { PendingAnswers, InterviewService } from '../../../interview';
import { EmptyDto } from '../conversation.dto';
import { EndedSessions } from '../ended-sessions';
import { CurrentConversation, CurrentSession, SessionGuard } from '../session-access';
import { WithdrawnWords } from '../withdrawn-words';
import { OpenStreams, type StreamReaders, type SseResponse } from '../events/sse-response';
import { ChatBody, ChatIntake, PendingRequests } from './chat-intake';
import { ReplyStreamer } from './reply-streamer';
import { UI_MESSAGE_STREAM_HEADERS, failed } from './ui-message-stream';

const SESSION_ENDED = 'This session has ended. Open the link of the interview again.';

const UI_MESSAGE_STREAM = {
  description: "The reply as the AI SDK's UI message stream, version 1",
  content: { 'text/event-stream': { schema: { type: 'string' as const } } },
};

/**
 * The API of the AI SDK: `useChat` and its transports work unmodified. One unit of work serves a
 * request from its first commit to the end of its reply; it closes with the response. Only the reads
 * after a signal are shared with other requests (`ReplyStreamer`), because one signal wakes hundreds at
 * once.
 */
@ApiTags('AI SDK')
@ApiBearerAuth(SESSION_SECURITY)
@ApiProblems()
@UseGuards(SessionGuard)
@UseInterceptors(WithdrawnWords)
@Controller('api/chat')
export class ChatController {
  constructor(
    private readonly intake: ChatIntake,
    private readonly interviews: InterviewService,
    private readonly answers: PendingAnswers,
    private readonly streams: OpenStreams,
    private readonly pending: PendingRequests,
    private readonly replies: ReplyStreamer,
    private readonly ended: EndedSessions,
  ) {}

  /** Stores new messages, then streams the reply to them. Headers are sent after they are stored. */
  @Post()
  @ApiOperation({ summary: 'Send messages, and read the reply as a stream' })
  @ApiOkResponse(UI_MESSAGE_STREAM)
  async chat(
    @CurrentConversation() conversationId: string,
    @CurrentSession() sessionToken: string,
    @RequestUnit() uow: UnitOfWork,
    @Body() body: ChatBody,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const readers: StreamReaders = `candidate of ${conversationId}`;
    this.streams.assertFree(reply, readers);
    const answer = await uow.commit('chat.append', (tx) =>
      this.intake.take(tx, conversationId, body),
    );
    const response = this.open(reply, readers, sessionToken);
    const pending = this.pending.add(answer, response.wakeSignal);
    // Not awaited, so that the body with the whole history can be freed.
    void this.replies.stream(uow, response, { answer, pending });
  }

  /** Resumes: the reply that is pending or running, from its start; 204 when there is none. */
  @Get(':id/stream')
  @ApiOperation({ summary: 'Read the pending or running reply from its start' })
  @ApiOkResponse(UI_MESSAGE_STREAM)
  @ApiNoContentResponse({ description: 'Nothing is pending' })
  async resume(
    @CurrentConversation() conversationId: string,
    @CurrentSession() sessionToken: string,
    @RequestUnit() uow: UnitOfWork,
    @Param('id') chatId: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const readers: StreamReaders = `candidate of ${conversationId}`;
    this.streams.assertFree(reply, readers);
    const answerId = await uow.commit('chat.resume', async (tx) => {
      await this.intake.assertOwnChat(tx, conversationId, chatId);
      return this.answers.findOldestLive(tx, conversationId);
    });
    if (answerId === undefined) {
      await reply.code(204).send();
      return;
    }
    const response = this.open(reply, readers, sessionToken);
    void this.replies.stream(uow, response, { answer: { conversationId, answerId } });
  }

  /** Stops the running reply; the text that was streamed stays. */
  @Post(':id/stop')
  @ApiOperation({ summary: 'Stop the running reply' })
  @ZodResponse({ status: 202, type: EmptyDto })
  async stop(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
    @Param('id') chatId: string,
  ): Promise<Record<string, never>> {
    await uow.commit('chat.stop', async (tx) => {
      await this.intake.assertOwnChat(tx, conversationId, chatId);
      await this.interviews.requestStop(tx, conversationId);
    });
    return {};
  }

  private open(reply: FastifyReply, readers: StreamReaders, sessionToken: string): SseResponse {
    const response = this.streams.open(reply, readers, UI_MESSAGE_STREAM_HEADERS);
    this.ended.endWithSession(response, { sessionToken, lastFrames: failed(SESSION_ENDED) });
    return response;
  }
}
