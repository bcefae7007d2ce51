import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { AttentionService, type AttentionItem } from '../attention';
import { Takeovers } from '../interview';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiNotFoundResponse,
  ApiOperation,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { ApiProblems } from '../common/http';
import { Idempotent } from '../common/idempotency';
import { RequestUnit, type Tx, UnitOfWork } from '../common/uow';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import { type AuditEvent, AuditRepository } from '../privacy';
import { Reach } from './reach';
import {
  AttentionListDto,
  AttentionQueryDto,
  AttentionItemDto,
  AttentionCloseDto,
  AttentionReplyDto,
  AttentionReturnDto,
} from './attention.dto';

/** The admin API of the attention list. */
@ApiTags('Admin')
@ApiProblems()
@Controller('api/v1/admin/attention')
@UseInterceptors(ZodSerializerInterceptor)
@ApiUnauthorizedResponse({ description: 'Neither a live key nor an admin token' })
export class AttentionController {
  constructor(
    private readonly attention: AttentionService,
    private readonly takeovers: Takeovers,
    private readonly audit: AuditRepository,
    private readonly reach: Reach,
  ) {}

  @Get()
  @RequireScope('attention:read')
  @ApiOperation({ summary: 'What needs a person, oldest first' })
  @ZodResponse({ status: 200, type: AttentionListDto })
  async list(
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() query: AttentionQueryDto,
  ) {
    const { state, limit, afterId, under } = query;
    const { vacancyIds } = principal;
    const page = { limit, ...(afterId === undefined ? {} : { afterId }) };
    return uow.commit('attention.list', async (tx) => {
      const items =
        under === undefined
          ? await this.attention.list(tx, { state, vacancyIds, ...page })
          : await this.attention.listUnder(tx, await this.reach.item(tx, principal, under), page);
      const counts = await this.attention.countUnder(tx, items);
      return { items: items.map((item) => this.shown(item, counts.get(item.id))) };
    });
  }

  @Post(':id/replay')
  @Idempotent()
  @HttpCode(200)
  @RequireScope('attention:write')
  @ApiOperation({ summary: 'Do the work of an item again, and close the item' })
  @ZodResponse({ status: 200, type: AttentionItemDto })
  @ApiNotFoundResponse({ description: 'There is no such item' })
  @ApiConflictResponse({ description: 'It is closed already, or cannot be done again' })
  async replay(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return this.shown(
      await uow.commit('attention.replay', async (tx) => {
        const item = await this.reach.item(tx, principal, id);
        await this.note(tx, principal, 'attention.replay', item);
        return this.attention.replay(tx, id, principal.actor);
      }),
    );
  }

  @Post(':id/close')
  @Idempotent()
  @HttpCode(200)
  @RequireScope('attention:write')
  @ApiOperation({ summary: 'Close an item that a person has dealt with' })
  @ZodResponse({ status: 200, type: AttentionItemDto })
  @ApiNotFoundResponse({ description: 'There is no such item' })
  @ApiConflictResponse({ description: 'It is closed already' })
  async close(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Body() { by, resolution }: AttentionCloseDto,
  ) {
    return this.shown(
      await uow.commit('attention.close', async (tx) => {
        const item = await this.reach.item(tx, principal, id);
        await this.note(tx, principal, 'attention.close', item);
        return this.attention.close(tx, id, by, resolution);
      }),
    );
  }

  @Post(':id/reply')
  @Idempotent()
  @HttpCode(200)
  @RequireScope('attention:write')
  @ApiOperation({
    summary: 'Write to the candidate as a person, who takes over the interview',
  })
  @ZodResponse({ status: 200, type: AttentionItemDto })
  @ApiNotFoundResponse({ description: 'There is no such item, or it is about no conversation' })
  @ApiConflictResponse({ description: 'The candidate has withdrawn' })
  async reply(
    @Param('id') id: string,
    @Body() { text, id: messageId }: AttentionReplyDto,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return this.shown(
      await uow.commit('attention.reply', async (tx) => {
        const item = await this.reach.item(tx, principal, id);
        const conversationId = await this.attention.conversationOf(tx, id);
        await this.takeovers.reply(tx, conversationId, text, messageId);
        await this.note(tx, principal, 'attention.reply', item);
        return this.attention.get(tx, id);
      }),
    );
  }

  @Post(':id/return')
  @Idempotent()
  @HttpCode(200)
  @RequireScope('attention:write')
  @ApiOperation({
    summary: 'Give the conversation back to the interviewer, who continues where it stood',
  })
  @ZodResponse({ status: 200, type: AttentionItemDto })
  @ApiNotFoundResponse({ description: 'There is no such item, or it is about no conversation' })
  @ApiConflictResponse({ description: 'No person has this conversation' })
  async return(
    @Param('id') id: string,
    @Body() { by }: AttentionReturnDto,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return this.shown(
      await uow.commit('attention.return', async (tx) => {
        const item = await this.reach.item(tx, principal, id);
        const conversationId = await this.attention.conversationOf(tx, id);
        await this.takeovers.returnToModel(tx, conversationId, by);
        await this.note(tx, principal, 'attention.return', item);
        return this.attention.get(tx, id);
      }),
    );
  }

  /** About the conversation of the item; about the item where it has none. */
  private note(
    tx: Tx,
    { actor }: Principal,
    action: AuditEvent['action'],
    { id, conversationId }: AttentionItem,
  ): Promise<void> {
    return this.audit.note(tx, { actor, action, subjectId: conversationId ?? id });
  }

  /** A closed item has none under it, and neither has one about a conversation. */
  private shown({ ...item }: AttentionItem, itemCount = 0) {
    return {
      ...item,
      itemCount,
      createdAt: item.createdAt.toISOString(),
      closedAt: item.closedAt?.toISOString() ?? null,
      isReplayable: this.attention.isReplayable(item),
    };
  }
}
