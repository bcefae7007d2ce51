import { isUuid } from '../../../common/ids';
import { Injectable } from '@nestjs/common';
import {
  type AccountConversation,
  AccountConversationRepository,
  CandidateRepository,
} from '../../../candidates';
import {
  type InviteLookup,
  InvitationRepository,
  OpenLinkFullError,
  type PersonalInvite,
  VacancyClosedError,
} from '../../../vacancies';
import type { User } from 'telegraf/types';
import type { Tx } from '../../../common/uow';
import {
  ConversationViews,
  type Identification,
  InterviewStart,
  OpenLinkInterviews,
} from '../../../interview';
import { ConsentDialog } from './consent-dialog';
import type { ButtonOutcome } from '../intake/update-handling';
import { DomainEvents } from '../../../common/events';
import { TelegramAccountRepository } from '../account.repository';
import type { UpdateScope } from '../intake/update-scopes';
import { replyWith } from '../intake/update-handling';
import { inlineKeyboard, telegramTextsOf } from '../texts/texts';
import { accountName } from '../account';

/**
 * Connects an invitation with interviews that the person has begun without one. The person is asked
 * first, because those may have come from somebody else's link.
 */
@Injectable()
export class InvitationJoin {
  constructor(
    private readonly accounts: TelegramAccountRepository,
    private readonly pairs: AccountConversationRepository,
    private readonly candidates: CandidateRepository,
    private readonly invitations: InvitationRepository,
    private readonly views: ConversationViews,
    private readonly visits: OpenLinkInterviews,
    private readonly events: DomainEvents,
  ) {}

  /** Asks if there is something to connect; not once the person is in the invitation's interview. */
  async askIfNeeded(
    scope: UpdateScope,
    { invitation, vacancy }: PersonalInvite,
    known: readonly AccountConversation[],
    { identifiedBy }: Identification,
  ): Promise<boolean> {
    if (known.some(({ candidateId }) => candidateId === invitation.candidateId)) return false;
    const titles: string[] = [];
    for (const { conversationId } of await this.visitsIn(scope, known)) {
      const { vacancyTitle, company } = await this.views.about(scope.tx, conversationId);
      titles.push(`${vacancyTitle}, ${company}`);
    }
    if (titles.length === 0) return false;
    const { joinQuestion, joinButton, notJoinButton } = telegramTextsOf(scope.account.language);
    await replyWith(
      scope,
      joinQuestion({ invitedTo: `${vacancy.title}, ${vacancy.company}`, titles }),
      inlineKeyboard([
        { text: joinButton, data: `${JOIN}yes:${identifiedBy}:${invitation.id}` },
        { text: notJoinButton, data: `${JOIN}no:${identifiedBy}:${invitation.id}` },
      ]),
    );
    return true;
  }

  /** Connects them if the person said yes. Null: the invitation is not bound to this account. */
  async decide(
    scope: UpdateScope,
    answer: string,
  ): Promise<{ invite: PersonalInvite; identifiedBy: Identification['identifiedBy'] } | null> {
    const { tx } = scope;
    const account = accountName(scope.chatId);
    const [word = '', found = '', id = ''] = answer.split(':');
    const identifiedBy = FOUND_BY.find((way) => way === found);
    // A client can forge the data of a button.
    const invite = isUuid(id) ? await this.invitations.findBound(tx, id, account) : null;
    if (invite?.state !== 'ok' || identifiedBy === undefined) return null;
    if (word !== 'yes') return { invite, identifiedBy };
    const known = await this.visitsIn(scope, await this.pairs.listOf(tx, account));
    const ids = known.map(({ conversationId }) => conversationId);
    const isBegun = known.some(({ vacancyId }) => vacancyId === invite.vacancy.id);
    // Nothing is joined to an interview that begins no more.
    if (!isBegun && (await this.isTooLate(tx, invite))) return { invite, identifiedBy };
    const { candidateId } = invite.invitation;
    const joined = await this.visits.join(tx, ids, { candidateId, account });
    await this.accounts.leaveToOne(tx, scope.chatId, joined);
    for (const conversationId of joined) {
      await this.events.publish(tx, 'conversation.changed', { conversationId });
    }
    return { invite, identifiedBy };
  }

  private async isTooLate(tx: Tx, invite: PersonalInvite): Promise<boolean> {
    const invited = await this.views.findInvited(tx, invite);
    return invited === null ? invite.vacancy.closedAt !== null : invited.isTooLate;
  }

  /** The interviews to which the account's person has agreed without an invitation. */
  private async visitsIn(
    { tx }: UpdateScope,
    known: readonly AccountConversation[],
  ): Promise<AccountConversation[]> {
    const visits: AccountConversation[] = [];
    for (const pair of known) {
      const isVisit = pair.hasAgreed && (await this.candidates.isVisitor(tx, pair.candidateId));
      if (isVisit) visits.push(pair);
    }
    return visits;
  }
}

/** Data of buttons: `yes` or `no`, how the invitation was found, and its id: 54 bytes of 64. */
export const JOIN = 'join:';

/** The ways in which Telegram finds an invitation. */
const FOUND_BY = ['link', 'pin', 'username'] as const;

type KnownInvite = Exclude<InviteLookup, { state: 'unknown' }>;

/** Enters an interview that has been found, and connects what was begun before with an invitation. */
@Injectable()
export class InterviewEntry {
  constructor(
    private readonly invitations: InvitationRepository,
    private readonly starts: InterviewStart,
    private readonly pairs: AccountConversationRepository,
    private readonly joining: InvitationJoin,
    private readonly consentDialog: ConsentDialog,
  ) {}

  async begin(
    scope: UpdateScope,
    user: User,
    invite: KnownInvite,
    how: Identification,
  ): Promise<void> {
    const { tx, account, chatId } = scope;
    const known = await this.pairs.listOf(tx, accountName(chatId));
    if (invite.kind === 'open') {
      return this.enter(scope, user, invite, { ...how, ...sameAs(invite.vacancy.id, known) });
    }
    const bound = await this.invitations.bind(tx, invite.invitation.id, accountName(chatId));
    if (bound === 'taken') return replyWith(scope, telegramTextsOf(account.language).linkTaken);
    const isClosed = invite.vacancy.closedAt !== null;
    if (!isClosed && (await this.joining.askIfNeeded(scope, invite, known, how))) return;
    return this.enter(scope, user, invite, how);
  }

  /** The person has answered whether earlier interviews belong to the invitation. */
  async join(scope: UpdateScope, user: User, answer: string): Promise<ButtonOutcome> {
    const answered = await this.joining.decide(scope, answer);
    if (answered === null) return 'outdated';
    const { invite, identifiedBy } = answered;
    await this.enter(scope, user, invite, { identifiedBy });
    return 'done';
  }

  private async enter(
    scope: UpdateScope,
    user: User,
    invite: KnownInvite,
    how: Identification,
  ): Promise<void> {
    await this.awaitPin(scope, false);
    try {
      const { id } = await this.starts.beginAs(scope.tx, invite, how);
      await this.consentDialog.enter(scope, id, user);
    } catch (error) {
      // Nothing was written for it.
      const refusal = refusalOf(error, invite, scope);
      if (refusal === null) throw error;
      await replyWith(scope, refusal);
    }
  }

  /** Notes in the account's interview, if there is one, whether a PIN is expected. */
  async awaitPin(scope: UpdateScope, isAwaited: boolean): Promise<void> {
    const { conversationId, dialog } = scope.account;
    if (conversationId === null || (!isAwaited && dialog.kind !== 'pin')) return;
    // An interview that is closed to this account may be somebody else's by now.
    if (!(await this.consentDialog.isOpen(scope, conversationId))) return;
    await this.starts.awaitPin(scope.tx, conversationId, isAwaited);
  }
}

/** Why nobody begins this interview now, in words; null: it is another error. */
function refusalOf(
  error: unknown,
  { vacancy }: KnownInvite,
  { account }: UpdateScope,
): string | null {
  const texts = telegramTextsOf(account.language);
  if (error instanceof OpenLinkFullError) return texts.openLinkFull;
  if (!(error instanceof VacancyClosedError)) return null;
  return texts.vacancyClosed(`${vacancy.title}, ${vacancy.company}`);
}

/**
 * An open link leads back to the account's interview for the vacancy. Without one, the new interview
 * gets the candidate of an interview that was begun in this account; not of one that was claimed or has
 * moved to another account, because somebody else may have created it.
 */
function sameAs(
  vacancyId: string,
  known: readonly AccountConversation[],
): Pick<Identification, 'sameAs'> {
  const open = known.filter(({ isOpen }) => isOpen);
  const pair =
    open.find((one) => one.vacancyId === vacancyId) ??
    open.find(({ origin }) => origin === 'begun');
  return pair === undefined ? {} : { sameAs: pair.conversationId };
}
