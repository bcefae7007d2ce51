import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Param,
  Patch,
  Post,
  Query,
  UseInterceptors,
} from '@nestjs/common';
import { ApiNoContentResponse, ApiNotFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DomainEvents, type StoredComment } from '../common/events';
import { ApiProblems } from '../common/http';
import { Idempotent, IdempotentCall, type ResponseKeeper } from '../common/idempotency';
import { isStorable } from '../common/text';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import { AuditRepository } from '../privacy';
import { reviewerOf } from './own-rating-first';
import { Reach } from './reach';

const MAX_TEXT = 2000;

const comment = z.object({
  id: z.string(),
  questionId: z.string().nullable().describe('Null: on the whole interview.'),
  author: z.string(),
  isOwn: z.boolean().describe('The user wrote it, and may change it.'),
  text: z.string(),
  createdAt: z.iso.datetime(),
  editedAt: z.iso.datetime().nullable(),
});

export class CommentDto extends createZodDto(comment) {}

export class CommentListDto extends createZodDto(
  z.object({
    items: z.array(comment).describe('Oldest first.'),
    closed: z
      .array(z.string())
      .describe(
        "Ids of questions that the user has to rate before colleagues' comments on them are shown.",
      ),
    isClosed: z
      .boolean()
      .describe("Colleagues' comments on the whole interview are shown when nothing is closed."),
  }),
) {}

export class CommentsQueryDto extends createZodDto(
  z.object({
    only: z
      .enum(['own'])
      .optional()
      .describe("own: no colleague's comment is shown, so the user's ratings stay open to changes"),
  }),
) {}

const text = z
  .string()
  .trim()
  .min(1)
  .max(MAX_TEXT)
  .refine(isStorable, 'no NUL and no broken characters')
  .describe('Plain text. It is in the export for the candidate.');

export class CommentCreateDto extends createZodDto(
  z.object({
    questionId: z
      .string()
      .min(1)
      .max(200)
      .refine(isStorable)
      .nullable()
      .default(null)
      .describe('Null: on the whole interview.'),
    text,
  }),
) {}

export class CommentChangeDto extends createZodDto(z.object({ text })) {}

/** The admin API of what colleagues say about an interview. Only users comment: a key is no person. */
@ApiTags('Scores and decisions')
@ApiProblems()
@Controller('api/v1/interviews/:id/comments')
@RequireScope('ratings:write')
@UseInterceptors(ZodSerializerInterceptor)
export class CommentsController {
  constructor(
    private readonly events: DomainEvents,
    private readonly reach: Reach,
    private readonly audit: AuditRepository,
  ) {}

  @Get()
  @Header('cache-control', 'private, no-store')
  @ApiOperation({
    summary: 'The comments on an interview',
    description:
      "The user's own, and those of colleagues as far as the user has rated what they are about. Before that, " +
      "nothing tells whether there are any. Where they are shown, the user's ratings are not changed any more.",
  })
  @ZodResponse({ status: 200, type: CommentListDto })
  @ApiNotFoundResponse({ description: 'There is no such interview' })
  async list(
    @Param('id') conversationId: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { only }: CommentsQueryDto,
  ) {
    return uow.commit('comment.read', async (tx) => {
      await this.reach.candidateOf(tx, principal, conversationId);
      const by = reviewerOf(principal);
      const of = { conversationId, by, isOnlyOwn: only === 'own' };
      const { comments, closed, isClosed } = await this.events.ask(tx, 'comments.shown', of);
      const { actor } = principal;
      await this.audit.note(tx, { actor, action: 'comment.read', subjectId: conversationId });
      return {
        items: comments.map(shown),
        closed: [...closed],
        isClosed,
      };
    });
  }

  @Post()
  @HttpCode(201)
  @Idempotent()
  @ApiOperation({ summary: 'Comment on an interview or on the answer to a question' })
  @ZodResponse({ status: 201, type: CommentDto })
  @ApiNotFoundResponse({ description: 'There is no such interview' })
  async write(
    @Param('id') conversationId: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Body() { questionId, text: given }: CommentCreateDto,
    @IdempotentCall() call: ResponseKeeper,
  ) {
    return uow.commit('comment.write', async (tx) => {
      await this.reach.candidateOf(tx, principal, conversationId);
      const by = reviewerOf(principal);
      const of = { conversationId, questionId, by, text: given };
      const written = shown(await this.events.ask(tx, 'comment.written', of));
      const { actor } = principal;
      await this.audit.note(tx, { actor, action: 'comment.write', subjectId: conversationId });
      await call.keep(tx, written);
      return written;
    });
  }

  @Patch(':commentId')
  @ApiOperation({ summary: "Change the text of one's own comment" })
  @ZodResponse({ status: 200, type: CommentDto })
  @ApiNotFoundResponse({
    description: 'There is no such interview, or no such comment of the user',
  })
  async edit(
    @Param('id') conversationId: string,
    @Param('commentId') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Body() { text: given }: CommentChangeDto,
  ) {
    const edited = await this.change(uow, principal, { conversationId, id, text: given });
    if (edited === null) throw new Error('an edited comment is gone');
    return shown(edited);
  }

  @Delete(':commentId')
  @HttpCode(204)
  @ApiOperation({ summary: "Delete one's own comment" })
  @ApiNoContentResponse({ description: 'It is deleted; the audit tells of it' })
  @ApiNotFoundResponse({
    description: 'There is no such interview, or no such comment of the user',
  })
  async delete(
    @Param('id') conversationId: string,
    @Param('commentId') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<void> {
    await this.change(uow, principal, { conversationId, id, text: null });
  }

  private change(
    uow: UnitOfWork,
    principal: Principal,
    of: { readonly conversationId: string; readonly id: string; readonly text: string | null },
  ): Promise<StoredComment | null> {
    const action = of.text === null ? 'comment.delete' : 'comment.edit';
    return uow.commit(action, async (tx) => {
      await this.reach.candidateOf(tx, principal, of.conversationId);
      const by = reviewerOf(principal);
      const changed = await this.events.ask(tx, 'comment.changed', { ...of, by });
      const { actor } = principal;
      await this.audit.note(tx, { actor, action, subjectId: of.conversationId });
      return changed;
    });
  }
}

function shown({ createdAt, editedAt, ...one }: StoredComment): z.infer<typeof comment> {
  return {
    ...one,
    createdAt: createdAt.toISOString(),
    editedAt: editedAt?.toISOString() ?? null,
  };
}
