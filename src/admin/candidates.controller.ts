import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import { Controller, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '../common/http';
import { Idempotent } from '../common/idempotency';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { CurrentPrincipal, type Principal, RequireScope } from '../keys';
import { PersonalDataService } from '../privacy';
import { Reach } from './reach';

export class ErasedDto extends createZodDto(
  z.object({
    /** False: nothing was stored under this id, perhaps not any more. */
    isFound: z.boolean(),
    conversations: z.int(),
    messages: z.int(),
  }),
) {}

/** The admin API of candidates. */
@ApiTags('Admin')
@ApiProblems()
@Controller('api/v1/admin/candidates')
@UseInterceptors(ZodSerializerInterceptor)
export class CandidatesController {
  constructor(
    private readonly personal: PersonalDataService,
    private readonly reach: Reach,
  ) {}

  @Post(':id/erase')
  @Idempotent()
  @HttpCode(200)
  @RequireScope('candidates:erase')
  @ApiOperation({ summary: 'Erase everything that is stored about a candidate, for good' })
  @ZodResponse({ status: 200, type: ErasedDto })
  async erase(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return uow.commit('personal.erase', async (tx) => {
      await this.reach.assertCandidate(tx, principal, id);
      return this.personal.erase(tx, id, principal.actor);
    });
  }
}
