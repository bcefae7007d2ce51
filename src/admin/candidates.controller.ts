import { Controller, HttpCode, Param, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { AdminName, AdminTokenGuard, ApiProblems } from '../common/http';
import { UnitOfWorkFactory } from '../common/uow';
import { ErasedFlows, PersonalDataService } from '../privacy';
import { ErasedDto } from './candidates.dto';

/** The admin API of candidates. */
@ApiTags('admin')
@ApiBearerAuth()
@ApiProblems()
@Controller('api/v1/admin/candidates')
@UseGuards(AdminTokenGuard)
@UseInterceptors(ZodSerializerInterceptor)
export class CandidatesController {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly personal: PersonalDataService,
    private readonly flows: ErasedFlows,
  ) {}

  @Post(':id/erase')
  @HttpCode(200)
  @ApiOperation({ summary: 'Erase everything that is stored about a candidate, for good' })
  @ZodResponse({ status: 200, type: ErasedDto })
  async erase(@Param('id') id: string, @AdminName() actor: string) {
    const erased = await this.units.run('admin', (uow) =>
      uow.commit('personal.erase', (tx) => this.personal.erase(tx, id, actor)),
    );
    this.flows.stop(erased);
    const { isFound, conversations, messages } = erased;
    return { isFound, conversations, messages };
  }
}
