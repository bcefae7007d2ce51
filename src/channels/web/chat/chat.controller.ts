import { Body, Controller, Get, HttpCode, Param, Post, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ProblemError } from '../../../common/http';
import { type Tx, UnitsOfWork } from '../../../common/uow';
import { Answers, ConversationViews, Interviews } from '../../../interview';
import { LiveReplies } from '../../../streams';
import { CurrentConversation, SessionGuard } from '../session.guard';
import { OpenStreams } from '../sse';
import { ZodBody } from '../zod-body.pipe';
import { type ChatBody, chatBody, userMessages } from './chat-body';
import { HeldPosts } from './held-posts';
import { ReplyStreamer } from './reply-streamer';
import { UI_MESSAGE_STREAM_HEADERS } from './ui-message-stream';

/** The AI SDK's face: `useChat` and its transports work unmodified. */
@ApiTags('AI SDK')
@UseGuards(SessionGuard)
@Controller('api/chat')
export class ChatController {
  constructor(
    private readonly units: UnitsOfWork,
    private readonly interviews: Interviews,
    private readonly views: ConversationViews,
    private readonly answers: Answers,
    private readonly live: LiveReplies,
    private readonly streams: OpenStreams,
    private readonly held: HeldPosts,
    private readonly replies: ReplyStreamer,
  ) {}

  /** Takes new messages, then streams the reply to them. Headers mean: they are stored. */
  @Post()
  async chat(
    @CurrentConversation() conversationId: string,
    @Body(new ZodBody(chatBody)) body: ChatBody,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.streams.assertFree(conversationId);
    const bufferId = await this.units.run('chat', (uow) =>
      uow.commit('chat.append', async (tx) => {
        await this.assertOwnChat(tx, conversationId, body.id);
        return this.append(tx, conversationId, body);
      }),
    );
    this.live.committed(conversationId);
    if (bufferId === undefined) {
      throw new ProblemError(422, 'nothing_to_answer', 'There is no message to answer.');
    }
    const hold = this.held.hold(conversationId, body.id);
    const response = this.streams.open(reply, conversationId, UI_MESSAGE_STREAM_HEADERS);
    try {
      await this.replies.stream(response, { conversationId, bufferId }, hold.superseded);
    } finally {
      hold.release();
    }
  }

  /** Resumes: the reply that is pending or running, from its start; 204 when there is none. */
  @Get(':id/stream')
  async resume(
    @CurrentConversation() conversationId: string,
    @Param('id') chatId: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.streams.assertFree(conversationId);
    const bufferId = await this.units.run('chat', (uow) =>
      uow.commit('chat.resume', async (tx) => {
        await this.assertOwnChat(tx, conversationId, chatId);
        return this.answers.findOldestLive(tx, conversationId);
      }),
    );
    if (bufferId === undefined) {
      await reply.code(204).send();
      return;
    }
    const response = this.streams.open(reply, conversationId, UI_MESSAGE_STREAM_HEADERS);
    await this.replies.stream(response, { conversationId, bufferId });
  }

  @Post(':id/stop')
  @HttpCode(202)
  async stop(
    @CurrentConversation() conversationId: string,
    @Param('id') chatId: string,
  ): Promise<Record<string, never>> {
    await this.units.run('chat', (uow) =>
      uow.commit('chat.stop', async (tx) => {
        await this.assertOwnChat(tx, conversationId, chatId);
        await this.interviews.requestStop(tx, conversationId);
      }),
    );
    this.interviews.stopRunning(conversationId);
    return {};
  }

  /** The answer that this request waits for; without a new message the pending or the last one. */
  private async append(
    tx: Tx,
    conversationId: string,
    body: ChatBody,
  ): Promise<string | undefined> {
    const isRegenerating = body.trigger === 'regenerate-message';
    const sent = isRegenerating ? [] : userMessages(body);
    const known = await this.answers.knownWebIds(
      tx,
      conversationId,
      sent.map(({ id }) => id),
    );
    let bufferId: string | undefined;
    for (const { id, text } of sent.filter((message) => !known.has(message.id))) {
      const message = { conversationId, channel: 'web', externalId: id, text } as const;
      bufferId = (await this.interviews.receive(tx, message)).bufferId;
    }
    return bufferId ?? this.answers.findToReplay(tx, conversationId);
  }

  /** A chat may be called anything but by the name of somebody else's conversation. */
  private async assertOwnChat(tx: Tx, conversationId: string, chatId: string): Promise<void> {
    if (chatId === conversationId) return;
    if (await this.views.exists(tx, chatId)) {
      throw new ProblemError(404, 'conversation_unknown', 'There is no such conversation.');
    }
  }
}
