import { Controller, Get, Query, type StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { CurrentPrincipal, type Principal, RequireConfirmation, RequireScope } from '../access';
import { Clock } from '../common/clock';
import { ApiProblems, DownloadHeaders, ProblemError } from '../common/http';
import { RequestUnit, UnitOfWork } from '../common/uow';
import type { PageCommit } from '../privacy';
import { INTERVIEW_COLUMNS } from './interview-columns';
import { InterviewExport } from './interview-export';
import { InterviewsQueryDto } from './interviews.dto';
import { fileForm, listFile } from './list-file';
import { reviewerOf } from './own-rating-first';
import { timesOf } from './query-times';
import { Reach } from './reach';
import { ScorecardQueryDto } from './scorecards.dto';

class InterviewsExportDto extends createZodDto(
  z.object({
    ...InterviewsQueryDto.schema.omit({ cursor: true, limit: true }).shape,
    ...ScorecardQueryDto.schema.shape,
    ...fileForm,
  }),
) {}

/** Lists of interviews as files, for spreadsheets and programs. */
@ApiTags('Interviews')
@ApiProblems()
@Controller('api/v1/interviews')
export class InterviewExportsController {
  constructor(
    private readonly exports: InterviewExport,
    private readonly reach: Reach,
    private readonly clock: Clock,
  ) {}

  @Get('export')
  @RequireScope('candidates:export')
  @RequireConfirmation()
  @ApiOperation({
    summary: 'All interviews of a filter as one CSV or JSON file, the newest first',
    description:
      'With `decisions:read` it has the newest decision about each candidate, and with `scores:read` the overall ' +
      'score by the rule for people: of a certified scoring, where the user, or with a key `reviewer`, has rated ' +
      'all of its answers. Whoever is shown a score changes their ratings of it no more. Each interview is noted ' +
      'in the audit. The file is sent as it is read, so 100,000 rows are no more work for the memory than one.',
  })
  @DownloadHeaders('The file, under its own name', {
    'text/csv': { schema: { type: 'string' } },
    'application/json': {
      schema: { type: 'object', properties: { items: { type: 'array' } }, required: ['items'] },
      example: { items: [] },
    },
  })
  async export(
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { state, vacancy, since, until, text, reviewer, ...form }: InterviewsExportDto,
  ): Promise<StreamableFile> {
    const commit: PageCommit = (label, work) => uow.commit(label, work);
    const vacancyIds = await commit('interview.export', (tx) =>
      this.reach.vacancyIds(tx, principal, vacancy),
    );
    const pages = this.exports.pages(commit, {
      principal,
      filter: { vacancyIds, stage: state, text, ...timesOf({ since, until }) },
      reviewer: lookedAtBy(principal, reviewer),
    });
    const day = this.clock.now().toISOString().slice(0, 10);
    const columns = INTERVIEW_COLUMNS;
    return listFile(form, { name: `interviews-${day}`, field: 'items', columns, pages });
  }
}

/** By whose ratings scores are shown. Throws ProblemError. */
function lookedAtBy(principal: Principal, named: string | undefined): string | null {
  if (principal.userId === null) return named ?? null;
  if (named === undefined) return reviewerOf(principal).name;
  throw new ProblemError(
    422,
    'invalid_body',
    'A user looks by their own name: leave out `reviewer`.',
  );
}
