import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import { Body, Controller, Header, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import { ApiProblems } from '../common/http';
import { Idempotent } from '../common/idempotency';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { INTERVIEW_ACTIONS, InterviewActions, REFUSALS } from './interview-actions';
import { NewInvitationDto } from './invitations.dto';

/** A new PIN is hashed in tens of milliseconds. */
const MOST_INTERVIEWS = 100;

export class InterviewActionDto extends createZodDto(
  z.object({
    action: z
      .enum(INTERVIEW_ACTIONS)
      .describe(
        'cancel_reminder takes back remind, reopen takes back close (within a day), restore_link takes back ' +
          'reissue (within ten minutes, unless the new link was used).',
      ),
    interviewIds: z.array(z.uuid()).min(1).max(MOST_INTERVIEWS),
  }),
) {}

export class InterviewActionResultDto extends createZodDto(
  z.object({
    results: z
      .array(
        z.object({
          refusal: z.enum(REFUSALS).nullable().describe('Why nothing was done; null: it is done.'),
          at: z.iso.datetime().nullable().describe('When the reminder is sent.'),
          link: NewInvitationDto.schema.shape.link.nullable(),
        }),
      )
      .describe('One for each interview, in their order.'),
  }),
) {}

/** What is done with several interviews at once. */
@ApiTags('Interviews')
@ApiProblems()
@Controller('api/v1/interviews/actions')
@UseInterceptors(ZodSerializerInterceptor)
export class InterviewActionsController {
  constructor(private readonly actions: InterviewActions) {}

  @Post()
  @HttpCode(200)
  @RequireScope('invitations:write')
  @Idempotent()
  @Header('cache-control', 'private, no-store')
  @ApiOperation({
    summary: 'Remind candidates, close interviews, or issue their links again',
    description:
      'Each interview has a fate of its own. A reminder is sent ten seconds later, and at night in the morning. A ' +
      'closed interview ends as by silence: nobody is rejected and nothing is sent. A user is refused (`held`) while ' +
      'somebody else has claimed the interview; keys and tokens are not.',
  })
  @ZodResponse({ status: 200, type: InterviewActionResultDto })
  async act(
    @Body() { action, interviewIds }: InterviewActionDto,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    const results = [];
    for (const id of interviewIds) {
      const { at, ...fate } = await this.actions.run(uow, principal, {
        action,
        id: id.toLowerCase(),
      });
      results.push({ ...fate, at: at?.toISOString() ?? null });
    }
    return { results };
  }
}
