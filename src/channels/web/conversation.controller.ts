import { Body, Controller, Get, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BufferService } from '../../buffer';
import { RequestUnit, UnitOfWork, UnitsOfWork } from '../../common/uow';
import { ConversationViews, Interviews } from '../../interview';
import { LiveReplies } from '../../streams';
import { TaskWorker } from '../../tasks';
import { ActivityBody, ConsentBody, MessageBody, ProfileBody } from './conversation.dto';
import { type ConversationJson, conversationJson } from './conversation-json';
import { EventReader } from './events/event-reader';
import { CurrentConversation, SessionGuard } from './session.guard';
import { OpenStreams, parseEventId } from './sse';

type Empty = Record<string, never>;

/** A candidate's own conversation. */
@ApiTags('Candidate')
@ApiBearerAuth()
@UseGuards(SessionGuard)
@Controller('api/v1/conversation')
export class ConversationController {
  constructor(
    private readonly units: UnitsOfWork,
    private readonly interviews: Interviews,
    private readonly views: ConversationViews,
    private readonly buffer: BufferService,
    private readonly worker: TaskWorker,
    private readonly live: LiveReplies,
    private readonly streams: OpenStreams,
  ) {}

  @Get()
  async get(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<ConversationJson> {
    return conversationJson(
      await uow.commit('conversation.view', (tx) => this.views.view(tx, conversationId)),
    );
  }

  @Post('consent')
  @HttpCode(200)
  async consent(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
    @Body() body: ConsentBody,
  ): Promise<ConversationJson> {
    const view = await uow.commit('conversation.consent', async (tx) => {
      await this.interviews.consent(tx, conversationId, body);
      return this.views.view(tx, conversationId);
    });
    this.live.committed(conversationId);
    return conversationJson(view);
  }

  @Post('profile')
  @HttpCode(200)
  async profile(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
    @Body() { name, contact }: ProfileBody,
  ): Promise<ConversationJson> {
    const view = await uow.commit('conversation.profile', async (tx) => {
      await this.interviews.profile(tx, conversationId, {
        ...(name === undefined ? {} : { name }),
        ...(contact === undefined ? {} : { contact }),
      });
      return this.views.view(tx, conversationId);
    });
    this.live.committed(conversationId);
    return conversationJson(view);
  }

  /** Stores a message; 202 means that it is kept whatever happens next. */
  @Post('messages')
  @HttpCode(202)
  async send(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
    @Body() { id, text }: MessageBody,
  ): Promise<{ id: string; seq: number; dueAt: Date }> {
    const { messageId, seq, dueAt } = await uow.commit('buffer.append', (tx) =>
      this.interviews.receive(tx, { conversationId, channel: 'web', externalId: id, text }),
    );
    this.worker.poke('flush');
    this.live.committed(conversationId);
    return { id: messageId, seq, dueAt };
  }

  @Post('activity')
  @HttpCode(204)
  async activity(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
    @Body() { type }: ActivityBody,
  ): Promise<void> {
    const { dueAt } = await uow.commit('buffer.activity', (tx) =>
      this.buffer.noteActivity(tx, { conversationId, kind: type }),
    );
    if (dueAt !== null) this.live.committed(conversationId);
  }

  @Post('done')
  @HttpCode(202)
  async done(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<{ dueAt: Date | null }> {
    const finished = await uow.commit('buffer.finish', (tx) =>
      this.buffer.finish(tx, { conversationId }),
    );
    this.worker.poke('flush');
    this.live.committed(conversationId);
    return { dueAt: finished.dueAt };
  }

  @Post('stop')
  @HttpCode(202)
  async stop(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<Empty> {
    await uow.commit('turn.stop', (tx) => this.interviews.requestStop(tx, conversationId));
    this.interviews.stopRunning(conversationId);
    return {};
  }

  @Post('human')
  @HttpCode(202)
  async human(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<Empty> {
    await uow.commit('conversation.handOver', (tx) => this.interviews.handOver(tx, conversationId));
    this.interviews.stopRunning(conversationId);
    this.live.committed(conversationId);
    return {};
  }

  @Post('withdraw')
  @HttpCode(202)
  async withdraw(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<Empty> {
    await uow.commit('conversation.withdraw', (tx) => this.interviews.withdraw(tx, conversationId));
    this.interviews.stopRunning(conversationId);
    this.live.committed(conversationId);
    return {};
  }

  /** Server-sent events: what changes in the conversation, as it changes. */
  @Get('events')
  async events(
    @CurrentConversation() conversationId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const lastId = request.headers['last-event-id'];
    const response = this.streams.open(reply, conversationId);
    const { units, views, live } = this;
    const reader = new EventReader(response, conversationId, { units, views, live });
    const isResuming = typeof lastId === 'string' && lastId !== '';
    try {
      await reader.run(isResuming ? parseEventId(lastId) : undefined, isResuming);
    } catch {
      // Cut, never ended: the reader comes back and is told again.
      response.destroy();
    }
  }
}
