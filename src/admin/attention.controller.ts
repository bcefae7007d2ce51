import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import { ATTENTION_KINDS, AttentionService, type AttentionItem } from '../attention';
import { isStorable } from '../common/text';
import { MAX_PERSON_REPLY, Takeovers } from '../interview';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiConflictResponse,
  ApiNotFoundResponse,
  ApiOperation,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { AdminName, AdminTokenGuard, ApiProblems, ADMIN_SECURITY } from '../common/http';
import { Idempotent } from '../common/idempotency';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { AuditRepository } from '../privacy';

/** 18 digits fit a bigint. */
const ID = /^\d{1,18}$/;

function text(max: number) {
  return z.string().trim().min(1).max(max).refine(isStorable, 'no NUL and no broken characters');
}

const item = z.object({
  id: z.string(),
  kind: z.enum(ATTENTION_KINDS),
  subject: z.string(),
  conversationId: z.string().nullable(),
  jobId: z.string().nullable(),
  reason: z.string(),
  createdAt: z.iso.datetime(),
  closedAt: z.iso.datetime().nullable(),
  closedBy: z.string().nullable(),
  resolution: z.string().nullable(),
  isReplayable: z.boolean(),
  under: z
    .string()
    .nullable()
    .describe('Subject of the item under which this one is listed while that one is open'),
  itemCount: z
    .number()
    .int()
    .describe('How many open items are listed under this one; the query `under` returns them'),
});

export class AttentionItemDto extends createZodDto(item) {}

export class AttentionListDto extends createZodDto(z.object({ items: z.array(item) })) {}

/** What fields of this API were called before. */
const FORMER_NAMES = { taskId: 'jobId' };

export class AttentionQueryDto extends createZodDto(
  z.object({
    state: z.enum(['open', 'closed', 'all']).default('open'),
    afterId: z.string().regex(ID).optional(),
    under: z
      .string()
      .regex(ID)
      .optional()
      .describe('Id of an item: the open items that are listed under it, each with its own id'),
    limit: z.coerce.number().int().min(1).max(200).default(100),
  }),
) {
  static readonly formerNames = FORMER_NAMES;
}

export class AttentionCloseDto extends createZodDto(
  z.object({ by: text(120), resolution: text(1000) }),
) {
  static readonly formerNames = FORMER_NAMES;
}

export class AttentionReplyDto extends createZodDto(
  z.object({
    text: text(MAX_PERSON_REPLY),
    id: z
      .uuid()
      .optional()
      .describe('Id for the message, made by the client: a retry with the same id stores it once'),
  }),
) {
  static readonly formerNames = FORMER_NAMES;
}

export class AttentionReturnDto extends createZodDto(z.object({ by: text(120) })) {
  static readonly formerNames = FORMER_NAMES;
}

/** The admin API of the attention list. */
@ApiTags('Admin')
@ApiBearerAuth(ADMIN_SECURITY)
@ApiProblems()
@Controller('api/v1/admin/attention')
@UseGuards(AdminTokenGuard)
@UseInterceptors(ZodSerializerInterceptor)
@ApiUnauthorizedResponse({ description: 'Not the admin token' })
export class AttentionController {
  constructor(
    private readonly attention: AttentionService,
    private readonly takeovers: Takeovers,
    private readonly audit: AuditRepository,
  ) {}

  @Get()
  @ApiOperation({ summary: 'What needs a person, oldest first' })
  @ZodResponse({ status: 200, type: AttentionListDto })
  async list(@RequestUnit() uow: UnitOfWork, @Query() query: AttentionQueryDto) {
    const { state, limit, afterId, under } = query;
    const page = { limit, ...(afterId === undefined ? {} : { afterId }) };
    return uow.commit('attention.list', async (tx) => {
      const items =
        under === undefined
          ? await this.attention.list(tx, { state, ...page })
          : await this.attention.listUnder(tx, await this.attention.get(tx, under), page);
      const counts = await this.attention.countUnder(tx, items);
      return { items: items.map((item) => this.shown(item, counts.get(item.id))) };
    });
  }

  @Post(':id/replay')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Do the work of an item again, and close the item' })
  @ZodResponse({ status: 200, type: AttentionItemDto })
  @ApiNotFoundResponse({ description: 'There is no such item' })
  @ApiConflictResponse({ description: 'It is closed already, or cannot be done again' })
  async replay(@Param('id') id: string, @RequestUnit() uow: UnitOfWork, @AdminName() by: string) {
    return this.shown(
      await uow.commit('attention.replay', (tx) => this.attention.replay(tx, id, by)),
    );
  }

  @Post(':id/close')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Close an item that a person has dealt with' })
  @ZodResponse({ status: 200, type: AttentionItemDto })
  @ApiNotFoundResponse({ description: 'There is no such item' })
  @ApiConflictResponse({ description: 'It is closed already' })
  async close(
    @Param('id') id: string,
    @RequestUnit() uow: UnitOfWork,
    @Body() { by, resolution }: AttentionCloseDto,
  ) {
    return this.shown(
      await uow.commit('attention.close', (tx) => this.attention.close(tx, id, by, resolution)),
    );
  }

  @Post(':id/reply')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Write to the candidate as a person, who takes over the interview',
  })
  @ZodResponse({ status: 200, type: AttentionItemDto })
  @ApiNotFoundResponse({ description: 'There is no such item, or it is about no conversation' })
  @ApiConflictResponse({ description: 'The candidate has withdrawn' })
  async reply(
    @Param('id') id: string,
    @Body() { text, id: messageId }: AttentionReplyDto,
    @AdminName() actor: string,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return this.shown(
      await uow.commit('attention.reply', async (tx) => {
        const subjectId = await this.attention.conversationOf(tx, id);
        await this.takeovers.reply(tx, subjectId, text, messageId);
        await this.audit.note(tx, { actor, action: 'attention.reply', subjectId });
        return this.attention.get(tx, id);
      }),
    );
  }

  @Post(':id/return')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Give the conversation back to the interviewer, who continues where it stood',
  })
  @ZodResponse({ status: 200, type: AttentionItemDto })
  @ApiNotFoundResponse({ description: 'There is no such item, or it is about no conversation' })
  @ApiConflictResponse({ description: 'No person has this conversation' })
  async return(
    @Param('id') id: string,
    @Body() { by }: AttentionReturnDto,
    @AdminName() actor: string,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return this.shown(
      await uow.commit('attention.return', async (tx) => {
        const subjectId = await this.attention.conversationOf(tx, id);
        await this.takeovers.returnToModel(tx, subjectId, by);
        await this.audit.note(tx, { actor, action: 'attention.return', subjectId });
        return this.attention.get(tx, id);
      }),
    );
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
