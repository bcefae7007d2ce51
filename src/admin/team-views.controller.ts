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
  ParseUUIDPipe,
  Put,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  CurrentSession,
  MOST_VIEWS,
  type OwnSession,
  RequireUser,
  SavedViewRepository,
} from '../access';
import { ApiProblems, ProblemError } from '../common/http';
import { isStorable } from '../common/text';
import { RequestUnit, UnitOfWork } from '../common/uow';

const MAX_NAME = 60;
const MAX_QUERY = 500;

const view = z.object({
  id: z.string(),
  name: z.string(),
  query: z.string().describe("Of the list's address in the console, without its question mark."),
});

export class ViewDto extends createZodDto(view) {}

export class ViewListDto extends createZodDto(
  z.object({ views: z.array(view).describe('In the order in which they were first saved.') }),
) {}

export class NewViewDto extends createZodDto(
  z.object({
    name: z.string().trim().min(1).max(MAX_NAME).refine(isStorable),
    query: z.string().max(MAX_QUERY).refine(isStorable),
  }),
) {}

/** Views of the list of interviews, which each colleague saves for themselves. */
@ApiTags('People')
@ApiProblems()
@RequireUser()
@Controller('api/v1/team/views')
@UseInterceptors(ZodSerializerInterceptor)
export class TeamViewsController {
  constructor(private readonly views: SavedViewRepository) {}

  @Get()
  @Header('cache-control', 'private, no-store')
  @ApiOperation({ summary: 'The views of the list of interviews that the person has saved' })
  @ZodResponse({ status: 200, type: ViewListDto })
  async list(@CurrentSession() { userId }: OwnSession, @RequestUnit() uow: UnitOfWork) {
    return { views: await uow.commit('user.views', (tx) => this.views.list(tx, userId)) };
  }

  @Put(':id')
  @ApiOperation({ summary: 'Save a view, under an id that the client has made (a UUID)' })
  @ZodResponse({ status: 200, type: ViewDto })
  @ApiNotFoundResponse({ description: 'The id is no UUID' })
  @ApiConflictResponse({ description: `There are ${String(MOST_VIEWS)} others` })
  async put(
    @Param('id', uuidIn()) id: string,
    @Body() { name, query }: NewViewDto,
    @CurrentSession() { userId }: OwnSession,
    @RequestUnit() uow: UnitOfWork,
  ) {
    const saved = { id: id.toLowerCase(), name, query };
    const isSaved = await uow.commit('user.save_view', (tx) => this.views.put(tx, userId, saved));
    if (isSaved) return saved;
    const title = `You have ${String(MOST_VIEWS)} views, and there is room for no more.`;
    throw new ProblemError(409, 'too_many_views', title);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a view' })
  @ApiNoContentResponse({ description: 'There is no such view' })
  async delete(
    @Param('id', uuidIn()) id: string,
    @CurrentSession() { userId }: OwnSession,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<void> {
    await uow.commit('user.delete_view', (tx) => this.views.delete(tx, userId, id));
  }
}

function uuidIn(): ParseUUIDPipe {
  const exceptionFactory = () => new ProblemError(404, 'not_found', 'There is no such view.');
  return new ParseUUIDPipe({ exceptionFactory });
}
