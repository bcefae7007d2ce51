import {
  Body,
  Controller,
  Get,
  HttpCode,
  Post,
  Req,
  Res,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
  ApiBody,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { ApiProblems, attachmentNamed, ProblemError, SESSION_SECURITY } from '../../common/http';
import { RequestUnit, type Tx, UnitOfWork } from '../../common/uow';
import { type PageCommit, PersonalDataService } from '../../privacy';
import { ForgetBody } from './conversation-bodies.dto';
import {
  SessionCookies,
  CurrentConversation,
  CurrentSession,
  SessionGuard,
} from './session-access';

const CONFIRMED = 'erase';

/** Export and erasure of everything that is stored about a candidate, in all their interviews. */
@ApiTags('Candidate')
@ApiBearerAuth(SESSION_SECURITY)
@ApiProblems()
@UseGuards(SessionGuard)
@Controller('api/v1/conversation')
export class PersonalDataController {
  constructor(
    private readonly personal: PersonalDataService,
    private readonly cookies: SessionCookies,
  ) {}

  /**
   * Everything that is stored about the candidate, as a file. It is read while it is sent: if the
   * connection is cut, the file is incomplete.
   */
  @Get('mydata')
  @ApiOperation({ summary: 'Download everything that is stored about the candidate' })
  @ApiOkResponse({
    description: 'Profile, invitations and whole interviews; `notes` explains the fields',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          additionalProperties: true,
          examples: [
            {
              exportedAt: '2026-11-25T10:00:00.000Z',
              profile: { name: 'Ada Lovelace', contact: 'ada@example.org' },
              conversations: [{ vacancy: 'Senior Backend Engineer (Payments)', transcript: [] }],
            },
          ],
        },
      },
    },
  })
  async export(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<StreamableFile> {
    const commit: PageCommit = (label, work) => uow.commit(label, work);
    const owner = await commit('personal.owner', (tx) => this.ownerOf(tx, conversationId));
    const { fileName, pieces } = await this.personal.exportOf(commit, owner);
    return new StreamableFile(Readable.from(pieces), {
      type: 'application/json; charset=utf-8',
      disposition: attachmentNamed(fileName),
    });
  }

  /** Erases everything at once; it cannot be undone. The session ends with it. */
  @Post('forget')
  @ApiOperation({ summary: 'Erase everything that is stored about the candidate, for good' })
  @HttpCode(204)
  @ApiBody({
    schema: {
      type: 'object',
      required: ['confirm'],
      examples: [{ confirm: CONFIRMED }],
      properties: { confirm: { type: 'string', enum: [CONFIRMED] } },
    },
  })
  @ApiNoContentResponse({ description: 'Nothing is stored about the candidate any more' })
  @ApiBadRequestResponse({ description: 'Not confirmed: nothing has changed' })
  async forget(
    @CurrentConversation() conversationId: string,
    @CurrentSession() sessionToken: string,
    @RequestUnit() uow: UnitOfWork,
    @Body() { confirm }: ForgetBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    if (confirm !== CONFIRMED) {
      throw new ProblemError(400, 'not_confirmed', `Send "confirm": "${CONFIRMED}" to erase.`);
    }
    await uow.commit('personal.erase', async (tx) =>
      this.personal.erase(tx, await this.ownerOf(tx, conversationId)),
    );
    this.cookies.clear(request, reply, sessionToken);
  }

  /** When the candidate was erased after the guard's look-up, the session is unknown. */
  private async ownerOf(tx: Tx, conversationId: string): Promise<string> {
    const owner = await this.personal.findOwner(tx, conversationId);
    if (owner !== null) return owner;
    throw new ProblemError(401, 'session_unknown', 'There is no such session.');
  }
}
