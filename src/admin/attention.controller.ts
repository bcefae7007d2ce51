import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { type AttentionItem, AttentionService } from '../attention';
import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Query,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOperation,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { ApiProblems, ProblemError } from '../common/http';
import { type Label, RequestUnit, type Tx, UnitOfWork } from '../common/uow';
import { CurrentPrincipal, type Principal, RequireScope, nameIn } from '../access';
import { TypingSigns } from '../streams';
import { Act, HELD } from './attention-act';
import { AttentionDesk } from './attention-desk';
import { AttentionView } from './attention-view';
import { Reach } from './reach';
import {
  AttentionAnswerDto,
  AttentionClaimDto,
  AttentionCloseDto,
  AttentionItemDto,
  AttentionListDto,
  AttentionQueryDto,
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
    private readonly desk: AttentionDesk,
    private readonly view: AttentionView,
    private readonly typingSigns: TypingSigns,
    private readonly reach: Reach,
  ) {}

  @Get()
  @RequireScope('attention:read')
  @Header('cache-control', 'private, no-store')
  @ApiOperation({ summary: 'What needs a person, oldest first' })
  @ZodResponse({ status: 200, type: AttentionListDto })
  async list(
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() query: AttentionQueryDto,
  ) {
    const { state, limit, afterId, under, kind = null, vacancy } = query;
    const page = { limit, ...(afterId === undefined ? {} : { afterId }) };
    return uow.commit('attention.list', async (tx) => {
      if (under !== undefined) {
        const above = await this.reach.item(tx, principal, under);
        const items = await this.attention.listUnder(tx, above, page);
        return { items: await this.view.of(tx, principal, items) };
      }
      const vacancyIds = await this.reach.vacancyIds(tx, principal, vacancy);
      const items = await this.attention.list(tx, { state, kind, vacancyIds, ...page });
      return { items: await this.view.of(tx, principal, items) };
    });
  }

  @Get(':id')
  @RequireScope('attention:read')
  @Header('cache-control', 'private, no-store')
  @ApiOperation({ summary: 'One item' })
  @ZodResponse({ status: 200, type: AttentionItemDto })
  @ApiNotFoundResponse({ description: 'There is no such item' })
  read(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return this.shown(uow, 'attention.read', principal, (tx) => this.reach.item(tx, principal, id));
  }

  @Post(':id/claim')
  @Act(
    'Claim an item, so that nobody else takes it',
    `It is closed, ${HELD}`,
    'With it everything else about the same interview is claimed. A claim ends 15 minutes after the last act of its ' +
      'holder. People claim by acting as well; keys and tokens act without a claim.',
  )
  claim(
    @Param('id') id: string,
    @Body() { from }: AttentionClaimDto,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return this.shown(uow, 'attention.claim', principal, (tx) =>
      this.desk.claim(tx, principal, id, from),
    );
  }

  @Post(':id/release')
  @Act('Let somebody else take an item', 'Somebody else has it (`attention_held`)')
  release(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return this.shown(uow, 'attention.release', principal, (tx) =>
      this.desk.release(tx, principal, id),
    );
  }

  @Post(':id/take-over')
  @Act(
    'Take over the interview before writing to the candidate',
    `The candidate has withdrawn, it is about no interview, ${HELD}`,
    'No reply of the interviewer comes from now on; one that is being written is dropped.',
  )
  takeOver(
    @Param('id') id: string,
    @Body() { from }: AttentionClaimDto,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return this.shown(uow, 'attention.take_over', principal, (tx) =>
      this.desk.takeOver(tx, principal, id, from),
    );
  }

  @Post(':id/typing')
  @HttpCode(204)
  @RequireScope('attention:write')
  @ApiOperation({
    summary: 'Show the candidate that somebody of the team types',
    description: 'Send it every few seconds while the person types. It keeps their claim alive.',
  })
  @ApiNoContentResponse({ description: 'Shown, unless somebody else has the item' })
  @ApiNotFoundResponse({ description: 'There is no such item' })
  async typing(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<void> {
    const conversationId = await uow.commit('attention.typing', (tx) =>
      this.desk.typing(tx, principal, id),
    );
    if (conversationId !== null) this.typingSigns.note(conversationId, 'team');
  }

  @Post(':id/replay')
  @Act(
    'Do the work of an item again, and close the item',
    `It is closed already, or cannot be done again, ${HELD}`,
  )
  replay(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return this.shown(uow, 'attention.replay', principal, (tx) =>
      this.desk.replay(tx, principal, id),
    );
  }

  @Post(':id/close')
  @Act('Close an item that a person has dealt with', `It is closed already, ${HELD}`)
  close(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Body() { by, resolution }: AttentionCloseDto,
  ) {
    const closing = { by: nameOf(principal, by), resolution };
    return this.shown(uow, 'attention.close', principal, (tx) =>
      this.desk.close(tx, principal, id, closing),
    );
  }

  @Post(':id/reply')
  @Act(
    'Write to the candidate as a person, who takes over the interview',
    `The candidate has withdrawn, ${HELD}`,
  )
  reply(
    @Param('id') id: string,
    @Body() { text, id: messageId }: AttentionReplyDto,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return this.shown(uow, 'attention.reply', principal, (tx) =>
      this.desk.reply(tx, principal, id, { text, messageId }),
    );
  }

  @Post(':id/answer')
  @Act(
    'Answer the question of a candidate, and close the item',
    `The candidate has withdrawn, it is closed already, ${HELD}`,
    'The interview goes on as it was.',
  )
  answer(
    @Param('id') id: string,
    @Body() { text, id: messageId, question }: AttentionAnswerDto,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    const by = nameOf(principal, principal.actor);
    return this.shown(uow, 'attention.answer', principal, (tx) =>
      this.desk.answer(tx, principal, id, { text, messageId, question, by }),
    );
  }

  @Post(':id/return')
  @Act(
    'Give the conversation back to the interviewer, who continues where it stood',
    `No person has this conversation, ${HELD}`,
  )
  return(
    @Param('id') id: string,
    @Body() { by }: AttentionReturnDto,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    const name = nameOf(principal, by);
    return this.shown(uow, 'attention.return', principal, (tx) =>
      this.desk.handBack(tx, principal, id, name),
    );
  }

  private shown(
    uow: UnitOfWork,
    label: Label,
    principal: Principal,
    work: (tx: Tx) => Promise<AttentionItem>,
  ) {
    return uow.commit(label, async (tx) => this.view.one(tx, principal, await work(tx)));
  }
}

/** The name of a person comes from their session; a program says whose act it is. Throws ProblemError (422). */
function nameOf({ userId, actor }: Principal, by: string | undefined): string {
  if (userId !== null) return nameIn(actor);
  if (by !== undefined) return by;
  throw new ProblemError(422, 'invalid_body', 'The field `by` says who it is.');
}
