import { Injectable } from '@nestjs/common';
import {
  AccountConversationRepository,
  ContinuationRepository,
  type FoundContinuation,
} from '../../candidates';
import { ProblemError } from '../../common/http';
import type { Tx } from '../../common/uow';
import {
  ContinuationLinks,
  type ConversationView,
  ConversationViews,
  type InterviewSubject,
  InterviewStart,
} from '../../interview';
import { type InviteLookup, InvitationRepository, minutesOf } from '../../vacancies';
import { type InviteJson, subjectJson } from './conversation.dto';

type KnownInvite = Exclude<InviteLookup, { state: 'unknown' }>;

/** What a link leads to: an invitation, or an interview that is continued from another channel. */
export type FoundLink =
  | { readonly to: 'invite'; readonly invite: KnownInvite }
  | { readonly to: 'conversation'; readonly continuation: FoundContinuation };

/** The links that candidates open in a browser. Its methods throw ProblemError. */
@Injectable()
export class CandidateLinks {
  constructor(
    private readonly invitations: InvitationRepository,
    private readonly continuations: ContinuationRepository,
    private readonly pairs: AccountConversationRepository,
    private readonly links: ContinuationLinks,
    private readonly starts: InterviewStart,
    private readonly views: ConversationViews,
  ) {}

  async find(tx: Tx, token: string): Promise<FoundLink> {
    const invite = await this.invitations.findByToken(tx, token);
    if (invite.state !== 'unknown') return { to: 'invite', invite };
    const continuation = await this.continuations.find(tx, token, 'web');
    if (continuation !== null) return { to: 'conversation', continuation };
    throw unknownLink();
  }

  /** What the person who opens the link is shown. Reads only. */
  async describe(tx: Tx, token: string): Promise<InviteJson> {
    const link = await this.find(tx, token);
    if (link.to === 'conversation') {
      const { conversationId, state } = link.continuation;
      const about = subjectJson(await this.views.about(tx, conversationId));
      const { disclosure, isTooLate, isPreview } = await this.views.view(tx, conversationId);
      const shown = { kind: 'continuation', ...about, isPreview } as const;
      if (state === 'ok' && !isTooLate) {
        return { ...shown, state: 'open', disclosure: isPreview ? null : disclosure };
      }
      const over = state === 'ok' ? 'closed' : state;
      return { ...shown, state: over, disclosure: null };
    }
    const { invite } = link;
    const about = {
      kind: invite.kind,
      ...subjectJson({ ...subjectOf(invite), interviewer: this.views.interviewer }),
      isPreview: false,
    };
    if (invite.state === 'expired') return { ...about, state: 'expired', disclosure: null };
    const view = invite.kind === 'personal' ? await this.views.findInvited(tx, invite) : null;
    const isTooLate = view === null ? invite.vacancy.closedAt !== null : view.isTooLate;
    if (isTooLate) return { ...about, state: 'closed', disclosure: null };
    return { ...about, state: 'open', disclosure: await this.disclosureToConfirm(tx, view) };
  }

  /** Somebody else may be in the interview: this browser has no session of it. */
  mayBeOpenElsewhere(tx: Tx, { id, consent }: ConversationView): Promise<boolean> {
    if (consent?.accepted === true) return Promise.resolve(true);
    return this.pairs.isOpenElsewhere(tx, null, id);
  }

  async leadsTo(tx: Tx, link: FoundLink, conversationId: string): Promise<boolean> {
    if (link.to === 'invite') return this.views.isOfInvite(tx, conversationId, link.invite);
    return link.continuation.conversationId === conversationId;
  }

  /** Uses up a continuation of a browser that has a session already: it must not work again. */
  async useUp(tx: Tx, link: FoundLink, token: string): Promise<void> {
    if (link.to === 'conversation') await this.links.redeem(tx, token, 'web');
  }

  /** The link's conversation: begins the one of an invitation, redeems a continuation. */
  open(tx: Tx, link: FoundLink, token: string): Promise<string> {
    return link.to === 'conversation' ? this.redeem(tx, token) : this.begin(tx, link.invite);
  }

  /** The disclosure to agree to when the person has to confirm that the interview is theirs. */
  private async disclosureToConfirm(
    tx: Tx,
    view: ConversationView | null,
  ): Promise<InviteJson['disclosure']> {
    return view !== null && (await this.mayBeOpenElsewhere(tx, view)) ? view.disclosure : null;
  }

  private async begin(tx: Tx, invite: KnownInvite): Promise<string> {
    if (invite.state === 'expired') {
      throw new ProblemError(410, 'invite_expired', 'This invitation has expired.');
    }
    return (await this.starts.beginAs(tx, invite, { identifiedBy: 'web_link' })).id;
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
}

function subjectOf({ vacancy }: KnownInvite): Omit<InterviewSubject, 'interviewer'> {
  const { language, company, title, brand, plan } = vacancy;
  return {
    language,
    company,
    vacancyTitle: title,
    brand,
    questions: plan.questions.length,
    minutes: minutesOf(plan),
  };
}

function unknownLink(): ProblemError {
  return new ProblemError(404, 'invite_unknown', 'This link does not work.');
}
