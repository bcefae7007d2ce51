import { Injectable } from '@nestjs/common';
import type { User } from 'telegraf/types';
import { type AccountConversation, AccountConversationRepository } from '../../../candidates';
import { storable } from '../../../common/text';
import {
  type InviteLookup,
  InvitationRepository,
  readPin,
  VacancyRepository,
} from '../../../vacancies';
import {
  ContinuationLinks,
  ConversationViews,
  type Identification,
  InterviewService,
} from '../../../interview';
import { TelegramAccountRepository } from '../account.repository';
import type { UpdateScope } from '../intake/update-handling';
import { PinLimits } from '../intake/pin-limits.repository';
import { inlineKeyboard, telegramTextsOf } from '../texts/texts';
import { ConsentDialog } from './consent-dialog';
import { InvitationJoin } from './invitation-join';
import { accountName } from '../account';
import { type ButtonOutcome, say } from './say';

/** Data of buttons. */
export const WAY_BY_PIN = 'way:pin';
export const WAY_BY_SEARCH = 'way:search';
export const VACANCY = 'vacancy:';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MINUTE_MS = 60_000;
/** More is no name of a vacancy. */
const MAX_QUERY = 200;
/** Vacancies offered at a time. */
const MAX_FOUND = 6;

type KnownInvite = Exclude<InviteLookup, { state: 'unknown' }>;

/**
 * How somebody who writes to the bot gets to their interview: by a link's payload, a user name that
 * a recruiter knows, a PIN, or a vacancy's name. Which of the last two is under way is the account's
 * dialog.
 */
@Injectable()
export class InterviewLookup {
  constructor(
    private readonly accounts: TelegramAccountRepository,
    private readonly invitations: InvitationRepository,
    private readonly vacancies: VacancyRepository,
    private readonly interviews: InterviewService,
    private readonly views: ConversationViews,
    private readonly continuations: ContinuationLinks,
    private readonly pairs: AccountConversationRepository,
    private readonly door: ConsentDialog,
    private readonly joining: InvitationJoin,
    private readonly limits: PinLimits,
  ) {}

  /** `/start` with a payload: an invitation's token, a vacancy's, or a continuation's. */
  async byLink(scope: UpdateScope, user: User, token: string): Promise<void> {
    const { tx, account } = scope;
    const texts = telegramTextsOf(account.language);
    const continued = await this.continuations.find(tx, token);
    if (continued?.state === 'ok') {
      return this.door.enterByContinuation(scope, token, continued.conversationId, user);
    }
    if (continued !== null) {
      const isHere = continued.conversationId === account.conversationId;
      return isHere ? this.showAgain(scope) : say(scope, texts.linkOver);
    }
    const invite = await this.invitations.findByToken(tx, token);
    if (invite.state === 'unknown') {
      await say(scope, texts.linkUnknown);
      return account.conversationId === null ? this.offerWays(scope) : undefined;
    }
    if (invite.state === 'ok') return this.begin(scope, user, invite, { identifiedBy: 'link' });
    const { conversationId } = account;
    const isHere =
      conversationId !== null && (await this.views.isOfInvite(tx, conversationId, invite));
    return isHere ? this.showAgain(scope) : say(scope, texts.linkExpired);
  }

  /** Somebody whom no link has led here: a recruiter may have noted their user name. */
  async byUsername(scope: UpdateScope, user: User): Promise<void> {
    if (user.username === undefined) return this.offerWays(scope);
    const invites = await this.invitations.findForUsername(scope.tx, user.username);
    const own = [null, accountName(scope.chatId)];
    const invite = invites.find(({ invitation }) => own.includes(invitation.boundTo));
    if (invite === undefined) return this.offerWays(scope);
    return this.begin(scope, user, invite, { identifiedBy: 'username' });
  }

  /** Whether the text goes to a search or is a PIN, also of somebody who is in an interview. */
  expects({ account: { dialog } }: UpdateScope, text: string): boolean {
    if (dialog.kind === 'pin') return readPin(text) !== null;
    return dialog.kind === 'search' && dialog.isDone !== true;
  }

  /** The person goes on with the interview that they are in. */
  async giveUp(scope: UpdateScope): Promise<void> {
    if (scope.account.dialog.kind === 'none') return;
    await this.awaitPin(scope, false);
    await this.accounts.setDialog(scope.tx, scope.chatId, { kind: 'none' });
  }

  /** What is written by somebody who is in no interview, or looks for another one. */
  async byText(scope: UpdateScope, user: User, text: string): Promise<void> {
    switch (scope.account.dialog.kind) {
      case 'pin':
        return this.byPin(scope, user, text);
      case 'search':
        return this.search(scope, text);
      case 'none':
        if (readPin(text) !== null) return this.byPin(scope, user, text);
        return this.byUsername(scope, user);
    }
  }

  /** A mistyped PIN that was corrected. Any other edit before an interview says nothing. */
  async byEdit(scope: UpdateScope, user: User, text: string): Promise<void> {
    if (scope.pinKey === null || scope.account.dialog.kind === 'search') return;
    await this.byPin(scope, user, text);
  }

  async askPin(scope: UpdateScope): Promise<void> {
    await this.accounts.setDialog(scope.tx, scope.chatId, { kind: 'pin' });
    await this.awaitPin(scope, true);
    const texts = telegramTextsOf(scope.account.language);
    const { lockedForMs } = await this.limits.stateOf(scope.tx, scope.chatId);
    await say(scope, lockedForMs > 0 ? texts.pinLocked(minutesOf(lockedForMs)) : texts.askPin);
  }

  async askVacancy(scope: UpdateScope): Promise<void> {
    await this.awaitPin(scope, false);
    await this.accounts.setDialog(scope.tx, scope.chatId, { kind: 'search' });
    await say(scope, telegramTextsOf(scope.account.language).askVacancy);
  }

  /** A vacancy that the search has offered. */
  async choose(scope: UpdateScope, user: User, vacancyId: string): Promise<void> {
    const { tx, account } = scope;
    // What a button says can be made up.
    const vacancy = UUID.test(vacancyId) ? await this.vacancies.find(tx, vacancyId) : null;
    if (vacancy === null) return say(scope, telegramTextsOf(account.language).noVacancy);
    const invite = { state: 'ok', kind: 'open', vacancy } as const;
    return this.begin(scope, user, invite, { identifiedBy: 'search' });
  }

  async offerWays(scope: UpdateScope, to: 'first' | 'another' = 'first'): Promise<void> {
    const texts = telegramTextsOf(scope.account.language);
    await say(
      scope,
      to === 'first' ? texts.waysIn : texts.waysToAnother,
      inlineKeyboard([
        { text: texts.havePinButton, data: WAY_BY_PIN },
        { text: texts.findVacancyButton, data: WAY_BY_SEARCH },
      ]),
    );
  }

  /** Text that does not read as a PIN is no guess. */
  private async byPin(scope: UpdateScope, user: User, text: string): Promise<void> {
    const { tx, account, pinKey, chatId } = scope;
    const texts = telegramTextsOf(account.language);
    const state = await this.limits.stateOf(tx, chatId);
    if (state.lockedForMs > 0) return say(scope, texts.pinLocked(minutesOf(state.lockedForMs)));
    const pin = readPin(text);
    if (pin === null) return say(scope, texts.notAPin);
    if (state.pausedForMs > 0) return say(scope, texts.pinsPaused(minutesOf(state.pausedForMs)));
    // They were not taken when it came in, and are now.
    if (pinKey === null) return say(scope, texts.askPin);
    const invite = await this.invitations.findByPin(tx, pinKey);
    if (invite.state === 'ok') {
      return this.begin(scope, user, invite, { identifiedBy: 'pin', pinCode: pin });
    }
    const { lockedForMs } = await this.limits.failed(tx, chatId);
    return say(scope, lockedForMs > 0 ? texts.pinLocked(minutesOf(lockedForMs)) : texts.pinWrong);
  }

  private async search(scope: UpdateScope, text: string): Promise<void> {
    const texts = telegramTextsOf(scope.account.language);
    const query = storable(text.slice(0, MAX_QUERY), ' ').trim();
    const found = await this.vacancies.search(scope.tx, query, { limit: MAX_FOUND });
    // The words of a search are not kept beyond it.
    await this.accounts.setDialog(scope.tx, scope.chatId, { kind: 'search', isDone: true });
    if (found.length === 0) return say(scope, texts.noVacancy);
    const buttons = found.map(({ id, title, company }) => ({
      text: `${title}, ${company}`,
      data: `${VACANCY}${id}`,
    }));
    await say(scope, texts.chooseVacancy, inlineKeyboard(buttons));
  }

  private async begin(
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
    if (bound === 'taken') return say(scope, telegramTextsOf(account.language).linkTaken);
    if (await this.joining.asks(scope, invite, known, how)) return;
    return this.enter(scope, user, invite, how);
  }

  /** The answer to the question whether what was begun without an invitation belongs to one. */
  async join(scope: UpdateScope, user: User, answer: string): Promise<ButtonOutcome> {
    const answered = await this.joining.answered(scope, answer);
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
    const { id } = await this.interviews.beginAs(scope.tx, invite, how);
    return this.door.enter(scope, id, user);
  }

  private async showAgain(scope: UpdateScope): Promise<void> {
    const { conversationId } = scope.account;
    if (conversationId === null) return this.offerWays(scope);
    return this.door.show(scope, await this.views.view(scope.tx, conversationId));
  }

  /** Noted where there is an interview to note it in. */
  private async awaitPin({ tx, account }: UpdateScope, isAwaited: boolean): Promise<void> {
    const { conversationId, dialog } = account;
    if (conversationId === null || (!isAwaited && dialog.kind !== 'pin')) return;
    await this.interviews.awaitPin(tx, conversationId, isAwaited);
  }
}

/**
 * An open link leads back to the account's interview for the vacancy. A first one is the same
 * candidate's as what was begun in this account, but not as what was claimed, or what is another
 * account's by now: somebody else may have made that.
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

function minutesOf(ms: number): number {
  return Math.ceil(ms / MINUTE_MS);
}
