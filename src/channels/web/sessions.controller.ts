import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ZodResponse } from 'nestjs-zod';
import {
  AccountConversationRepository,
  ContinuationRepository,
  type FoundContinuation,
  WebSessionRepository,
} from '../../candidates';
import { ApiProblems, ProblemError } from '../../common/http';
import { RequestUnit, type Tx, UnitOfWork } from '../../common/uow';
import { type InviteLookup, InvitationRepository } from '../../vacancies';
import {
  ContinuationLinks,
  type ConversationView,
  ConversationViews,
  InterviewService,
} from '../../interview';
import { BeginBody, InviteDto, type InviteJson, SessionDto } from './conversation.dto';
import { EndedSessions } from './ended-sessions';
import {
  SessionCookies,
  SessionLookup,
  CurrentConversation,
  CurrentSession,
  SessionGuard,
} from './session-access';

type KnownInvite = Exclude<InviteLookup, { state: 'unknown' }>;

/** What the secret of a link can be: an invitation, or an interview carried over from a messenger. */
type FoundLink =
  | { readonly to: 'invite'; readonly invite: KnownInvite }
  | { readonly to: 'conversation'; readonly continuation: FoundContinuation };

interface Begun {
  readonly conversationId: string;
  readonly sessionToken: string;
  readonly isNew: boolean;
}

/**
 * Where a candidate comes in: from a link to a session of their own.
 *
 * A link may lead to an interview that is open elsewhere, perhaps by somebody who wants to read what
 * the person writes. A browser without a session of that interview gets one only with the words that
 * it is the person's own, and that they agree to its disclosure here.
 */
@ApiTags('Candidate')
@ApiProblems()
@Controller('api/v1')
export class SessionsController {
  constructor(
    private readonly invitations: InvitationRepository,
    private readonly continuations: ContinuationRepository,
    private readonly pairs: AccountConversationRepository,
    private readonly links: ContinuationLinks,
    private readonly interviews: InterviewService,
    private readonly views: ConversationViews,
    private readonly sessions: WebSessionRepository,
    private readonly lookup: SessionLookup,
    private readonly cookies: SessionCookies,
    private readonly ended: EndedSessions,
  ) {}

  /** What a link leads to. Makes nothing. */
  @Get('invites/:token')
  @ZodResponse({ status: 200, type: InviteDto })
  async invite(@Param('token') token: string, @RequestUnit() uow: UnitOfWork): Promise<InviteJson> {
    return uow.commit('invite.find', async (tx) => {
      const link = await this.find(tx, token);
      if (link.to === 'conversation') {
        const { conversationId, state } = link.continuation;
        const about = await this.views.about(tx, conversationId);
        const { disclosure } = await this.views.view(tx, conversationId);
        return state === 'ok'
          ? { kind: 'continuation', ...about, state: 'open', disclosure }
          : { kind: 'continuation', ...about, state, disclosure: null };
      }
      const { kind, vacancy, state } = link.invite;
      const isOpen = state === 'ok';
      return {
        kind,
        language: vacancy.language,
        company: vacancy.company,
        vacancyTitle: vacancy.title,
        state: isOpen ? 'open' : 'expired',
        disclosure: isOpen ? await this.askedWith(tx, link.invite) : null,
      };
    });
  }

  /**
   * Starts the conversation of an invitation, takes over the one of a continuation (which works
   * once), or returns this browser to its own. 409 `confirmation_needed`: the interview is open
   * elsewhere; show what the link leads to, with its disclosure, and send `mine` with its version once
   * the person has said that it is theirs.
   */
  @Post('sessions')
  @ApiCreatedResponse({ type: SessionDto.Output, description: 'A new session' })
  @ApiOkResponse({ type: SessionDto.Output, description: "This browser's own session" })
  async begin(
    @RequestUnit() uow: UnitOfWork,
    @Body() { invite, mine }: BeginBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ conversationId: string; sessionToken: string }> {
    const shown = this.cookies.tokensFor(request, invite);
    const { isNew, ...session } = await uow.commit('session.begin', (tx) =>
      this.beginOrReturn(tx, { token: invite, mine }, shown),
    );
    void reply.code(isNew ? 201 : 200);
    this.cookies.set(request, reply, invite, session.sessionToken);
    return session;
  }

  /** Signs this browser out; the interview stays, and its link opens it again. */
  @Delete('sessions/current')
  @HttpCode(204)
  @UseGuards(SessionGuard)
  @ApiBearerAuth()
  @ApiNoContentResponse({ description: 'The session has ended' })
  async leave(
    @CurrentConversation() conversationId: string,
    @CurrentSession() sessionToken: string,
    @RequestUnit() uow: UnitOfWork,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await uow.commitOne('session.end', (tx) => this.sessions.end(tx, sessionToken));
    this.lookup.forget([conversationId]);
    this.ended.closeStreamsOf(sessionToken);
    this.cookies.clear(request, reply, sessionToken);
  }

  private async beginOrReturn(
    tx: Tx,
    { token, mine }: { token: string; mine: BeginBody['mine'] },
    shown: readonly string[],
  ): Promise<Begun> {
    const link = await this.find(tx, token);
    for (const sessionToken of shown) {
      const conversationId = await this.sessions.resolve(tx, sessionToken);
      if (conversationId === null || !(await this.leadsTo(tx, link, conversationId))) continue;
      // The link was handed over all the same: it opens nothing a second time.
      if (link.to === 'conversation') await this.links.redeem(tx, token, 'web');
      return { conversationId, sessionToken, isNew: false };
    }
    const conversationId =
      link.to === 'conversation'
        ? await this.redeem(tx, token)
        : await this.beginByInvite(tx, link.invite);
    // The conversation's lock is held since: of two who come in at once, one is asked.
    const view = await this.views.view(tx, conversationId);
    if (link.to === 'conversation' || (await this.mayBeOthers(tx, view))) {
      await this.claim(tx, conversationId, mine);
    }
    const { sessionToken } = await this.sessions.create(tx, conversationId);
    return { conversationId, sessionToken, isNew: true };
  }

  /** What has to be agreed to again with the word that an invitation's interview is one's own. */
  private async askedWith(tx: Tx, invite: KnownInvite): Promise<InviteJson['disclosure']> {
    const view = invite.kind === 'personal' ? await this.views.findInvited(tx, invite) : null;
    return view !== null && (await this.mayBeOthers(tx, view)) ? view.disclosure : null;
  }

  /** Somebody may be in it who is not the person at this browser, which has no session of it. */
  private mayBeOthers(tx: Tx, { id, consent }: ConversationView): Promise<boolean> {
    if (consent?.accepted === true) return Promise.resolve(true);
    return this.pairs.isOpenElsewhere(tx, null, id);
  }

  /** At the person's word, and with a consent of today. Otherwise nothing of this commit stays. */
  private async claim(tx: Tx, conversationId: string, mine: BeginBody['mine']): Promise<void> {
    if (mine === undefined) {
      throw new ProblemError(409, 'confirmation_needed', 'This interview is open elsewhere.');
    }
    await this.interviews.enter(tx, conversationId, 'web');
    const consent = { version: mine.version, accepted: true, isAgain: true };
    await this.interviews.consent(tx, conversationId, consent);
  }

  private async leadsTo(tx: Tx, link: FoundLink, conversationId: string): Promise<boolean> {
    if (link.to === 'invite') return this.views.isOfInvite(tx, conversationId, link.invite);
    return link.continuation.conversationId === conversationId;
  }

  private async beginByInvite(tx: Tx, invite: KnownInvite): Promise<string> {
    if (invite.state === 'expired') {
      throw new ProblemError(410, 'invite_expired', 'This invitation has expired.');
    }
    return (await this.interviews.beginAs(tx, invite, { identifiedBy: 'web_link' })).id;
  }

  private async redeem(tx: Tx, token: string): Promise<string> {
    const redeemed = await this.links.redeem(tx, token, 'web');
    switch (redeemed) {
      case 'unknown':
        throw unknownLink();
      case 'used':
        throw new ProblemError(410, 'continuation_used', 'This link has been used; it works once.');
      case 'expired':
        throw new ProblemError(410, 'continuation_expired', 'This link has expired.');
      default:
        return redeemed.conversationId;
    }
  }

  private async find(tx: Tx, token: string): Promise<FoundLink> {
    const invite = await this.invitations.findByToken(tx, token);
    if (invite.state !== 'unknown') return { to: 'invite', invite };
    const continuation = await this.continuations.find(tx, token, 'web');
    if (continuation !== null) return { to: 'conversation', continuation };
    throw unknownLink();
  }
}

function unknownLink(): ProblemError {
  return new ProblemError(404, 'invite_unknown', 'This link leads nowhere.');
}
