import { Injectable } from '@nestjs/common';
import {
  type AccountConversation,
  AccountConversationRepository,
  CandidateRepository,
} from '../../../candidates';
import { InvitationRepository, type PersonalInvite } from '../../../vacancies';
import { ConversationViews, type Identification, OpenLinkInterviews } from '../../../interview';
import { EventBus } from '../../../common/events';
import { TelegramAccountRepository } from '../account.repository';
import type { UpdateScope } from '../intake/update-handling';
import { inlineKeyboard, telegramTextsOf } from '../texts/texts';
import { accountName } from '../account';
import { say } from './say';

/** Data of buttons: `yes` or `no`, how the invitation was found, and its id: 54 bytes of 64. */
export const JOIN = 'join:';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** How an invitation is found in a messenger. */
const FOUND_BY = ['link', 'pin', 'username'] as const;

/**
 * Somebody who has begun without an invitation opens one. Both are one candidate's only if they say
 * so: what was begun may have come from somebody else's link.
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
    private readonly events: EventBus,
  ) {}

  /** True when there is something to ask. Once in an interview of the invitation, nothing is. */
  async asks(
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
    await say(
      scope,
      joinQuestion({ invitedTo: `${vacancy.title}, ${vacancy.company}`, titles }),
      inlineKeyboard([
        { text: joinButton, data: `${JOIN}yes:${identifiedBy}:${invitation.id}` },
        { text: notJoinButton, data: `${JOIN}no:${identifiedBy}:${invitation.id}` },
      ]),
    );
    return true;
  }

  /** Joins at the word "yes". Null: the invitation is not, or not any more, this account's. */
  async answered(
    scope: UpdateScope,
    answer: string,
  ): Promise<{ invite: PersonalInvite; identifiedBy: Identification['identifiedBy'] } | null> {
    const { tx } = scope;
    const account = accountName(scope.chatId);
    const [word = '', found = '', id = ''] = answer.split(':');
    const identifiedBy = FOUND_BY.find((way) => way === found);
    // What a button says can be made up.
    const invite = UUID.test(id) ? await this.invitations.findBound(tx, id, account) : null;
    if (invite?.state !== 'ok' || identifiedBy === undefined) return null;
    if (word !== 'yes') return { invite, identifiedBy };
    const known = await this.visitsIn(scope, await this.pairs.listOf(tx, account));
    const ids = known.map(({ conversationId }) => conversationId);
    const { candidateId } = invite.invitation;
    const joined = await this.visits.join(tx, ids, { candidateId, account });
    await this.accounts.leaveToOne(tx, scope.chatId, joined);
    for (const conversationId of joined) {
      await this.events.publish(tx, 'conversation.changed', { conversationId });
    }
    return { invite, identifiedBy };
  }

  /** What the account's person has agreed to without an invitation. */
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
