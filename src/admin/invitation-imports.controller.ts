import {
  Body,
  Controller,
  Get,
  Headers,
  Param,
  Post,
  Query,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { Clock } from '../common/clock';
import { ApiProblems, ProblemError, RawBody, boundJson, preferredLanguage } from '../common/http';
import { Idempotent, IdempotentCall, type ResponseKeeper } from '../common/idempotency';
import { RequestUnit, UnitOfWork } from '../common/uow';
import {
  type InvitationFile,
  InvitationFileError,
  InvitationImports,
  MAX_FILE_BYTES,
  progressOf,
  readInvitationFile,
} from '../invitations';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import { AuditRepository } from '../privacy';
import {
  AcceptedImportDto,
  ImportDto,
  ImportRowsDto,
  ImportRowsQuery,
  rowJson,
} from './invitation-imports.dto';

/** JSON, and what browsers and programs call a CSV file. */
const FILE_TYPES = [
  'application/json',
  'text/csv',
  'text/tab-separated-values',
  'application/csv',
  'application/vnd.ms-excel',
];
/** 10,000 rows of some tens of fields; `boundJson` counts each. */
const MAX_VALUES = 1_000_000;

const TEXT = { type: 'string' };
const ROWS_SCHEMA = {
  anyOf: [
    {
      type: 'array',
      maxItems: 10_000,
      items: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'The whole name, or its parts below' },
          ...{ firstName: TEXT, middleName: TEXT, lastName: TEXT },
          ...{ email: TEXT, phone: TEXT, telegram: TEXT, contact: TEXT },
          externalId: { type: 'string', maxLength: 200 },
          validUntil: {
            type: 'string',
            description: 'A day like 2026-12-31, or a time of ISO 8601',
          },
          metadata: {
            type: 'object',
            description: 'Your own fields, at most 8 KB; returned as they are',
          },
        },
      },
    },
    { type: 'string', description: 'CSV with a header, as spreadsheets write it' },
  ],
  examples: [[{ name: 'Ada Lovelace', email: 'ada@example.org', externalId: 'crm-17' }]],
};

type Headed = Readonly<Record<string, string | undefined>>;

/** Many invitations at once: a file is accepted, worked off, and read row by row. */
@ApiTags('Invitations')
@ApiProblems()
@Controller('api/v1')
@UseInterceptors(ZodSerializerInterceptor)
export class InvitationImportsController {
  constructor(
    private readonly imports: InvitationImports,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Accepts up to 10,000 rows, which are stored afterwards. Rows with problems are refused alone; a file that
   * cannot be read as rows is refused as a whole (422 `invitation_file_refused`, its title in the language of
   * `accept-language`, English or Russian).
   */
  @Post('vacancies/:slug/invitation-imports')
  @RawBody(MAX_FILE_BYTES, FILE_TYPES)
  @RequireScope('invitations:write')
  @Idempotent()
  @ApiOperation({ summary: 'Invite many people to a vacancy, by CSV or JSON' })
  @ApiConsumes(...FILE_TYPES)
  @ApiBody({ schema: ROWS_SCHEMA })
  @ZodResponse({ status: 202, type: AcceptedImportDto })
  async create(
    @Param('slug') slug: string,
    @Headers() headers: Headed,
    @Body() body: Buffer | undefined,
    @CurrentPrincipal() { actor, vacancyIds }: Principal,
    @RequestUnit() uow: UnitOfWork,
    @IdempotentCall() call: ResponseKeeper,
  ) {
    const { rows, columns } = await this.read(body ?? Buffer.alloc(0), headers);
    return uow.commit('invitation_import.accept', async (tx) => {
      const { accepted, linkKey } = await this.imports.accept(tx, { slug, rows, vacancyIds });
      await this.audit.note(tx, { actor, action: 'invitation.import', subjectId: accepted.id });
      const response = { ...progressOf(accepted), linkKey, columns: [...columns] };
      await call.keep(tx, response);
      return response;
    });
  }

  @Get('invitation-imports/:id')
  @RequireScope('invitations:read')
  @ApiOperation({ summary: 'How far an import of invitations is' })
  @ZodResponse({ status: 200, type: ImportDto })
  async show(
    @Param('id') id: string,
    @CurrentPrincipal() { vacancyIds }: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return progressOf(
      await uow.commit('invitation_import.show', (tx) => this.imports.get(tx, id, vacancyIds)),
    );
  }

  @Get('invitation-imports/:id/rows')
  @RequireScope('invitations:read')
  @ApiOperation({ summary: 'What became of the rows of an import, in their order' })
  @ApiHeader({
    name: 'x-link-key',
    required: false,
    description: '`linkKey` of the import: each invitation is shown with its links and its PIN',
  })
  @ZodResponse({ status: 200, type: ImportRowsDto })
  async rows(
    @Param('id') id: string,
    @Query() { cursor, state, limit }: ImportRowsQuery,
    @Headers('x-link-key') linkKey: string | undefined,
    @CurrentPrincipal() { actor, vacancyIds }: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    const after = Number(cursor ?? 0);
    const rows = await uow.commit('invitation_import.rows', async (tx) => {
      const found = await this.imports.get(tx, id, vacancyIds);
      const wanted = { after, upTo: found.rows, state, limit: limit + 1, linkKey };
      const read = await this.imports.rows(tx, found, wanted);
      if (linkKey !== undefined) {
        await this.audit.note(tx, { actor, action: 'invitation.links', subjectId: found.id });
      }
      return read;
    });
    const items = rows.slice(0, limit).map(rowJson);
    const last = items.at(-1)?.row;
    return { items, cursor: rows.length > limit && last !== undefined ? String(last) : null };
  }

  private async read(bytes: Buffer, headers: Headed): Promise<InvitationFile> {
    const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '');
    if (isJson) boundJson(bytes, MAX_VALUES);
    try {
      return await readInvitationFile(bytes, isJson ? 'json' : 'csv', this.clock.now());
    } catch (error) {
      if (!(error instanceof InvitationFileError)) throw error;
      const title = error.sentence(preferredLanguage(headers['accept-language']));
      throw new ProblemError(422, 'invitation_file_refused', title);
    }
  }
}
