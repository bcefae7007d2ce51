import { ZodSerializerInterceptor } from 'nestjs-zod';
import { Body, Controller, Param, Post, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../access';
import { ApiProblems } from '../common/http';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { Act, HELD } from './attention-act';
import { AttentionDesk } from './attention-desk';
import { AttentionView } from './attention-view';
import { AttentionClaimDto } from './attention.dto';

/** Takes over an interview that nobody has been asked to look at. */
@ApiTags('Admin')
@ApiProblems()
@Controller('api/v1/interviews')
@UseInterceptors(ZodSerializerInterceptor)
export class InterviewTakeoverController {
  constructor(
    private readonly desk: AttentionDesk,
    private readonly view: AttentionView,
  ) {}

  @Post(':id/take-over')
  @Act(
    'Take over an interview that may have no item yet',
    `The candidate has withdrawn, ${HELD}`,
    'The response is the item by which somebody writes in it and hands it back.',
  )
  takeOver(
    @Param('id') id: string,
    @Body() { from }: AttentionClaimDto,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return uow.commit('attention.take_over', async (tx) =>
      this.view.one(tx, principal, await this.desk.takeOverInterview(tx, principal, id, from)),
    );
  }
}
