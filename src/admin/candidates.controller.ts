import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import { Controller, HttpCode, Param, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminName, AdminTokenGuard, ApiProblems, ADMIN_SECURITY } from '../common/http';
import { Idempotent } from '../common/idempotency';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { PersonalDataService } from '../privacy';

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
@ApiBearerAuth(ADMIN_SECURITY)
@ApiProblems()
@Controller('api/v1/admin/candidates')
@UseGuards(AdminTokenGuard)
@UseInterceptors(ZodSerializerInterceptor)
export class CandidatesController {
  constructor(private readonly personal: PersonalDataService) {}

  @Post(':id/erase')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Erase everything that is stored about a candidate, for good' })
  @ZodResponse({ status: 200, type: ErasedDto })
  async erase(@Param('id') id: string, @AdminName() actor: string, @RequestUnit() uow: UnitOfWork) {
    return uow.commit('personal.erase', (tx) => this.personal.erase(tx, id, actor));
  }
}
