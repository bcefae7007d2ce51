import { Injectable } from '@nestjs/common';
import type { User } from 'telegraf/types';
import { type FoundInvite, Invitations, readPin, Vacancies } from '../../../hiring';
import {
  ContinuationLinks,
  ConversationViews,
  type Identification,
  Interviews,
} from '../../../interview';
import { TelegramAccounts } from '../accounts';
import type { UpdateScope } from '../intake/update-scope';
import { inlineKeyboard, telegramTextsOf } from '../texts';
import { InterviewDoor } from './interview-door';
import { say } from './saying';

/** Data of buttons. */
export const WAY_BY_PIN = 'way:pin';
export const WAY_BY_SEARCH = 'way:search';
export const VACANCY = 'vacancy:';

const PIN_LIMIT = { limit: 5, lockMs: 15 * 60_000 } as const;
const MINUTE_MS = 60_000;
/** Vacancies offered at a time. */
const MAX_FOUND = 6;

type KnownInvite = Exclude<FoundInvite, { state: 'unknown' }>;

/**
 * How somebody who writes to the bot gets to their interview: by a link's payload, a user name that
 * a recruiter knows, a PIN, or a vacancy's name. Which of the last two is under way is the account's
 * dialog.
 */
@Injectable()
export class Finding {
  constructor(
    private readonly accounts: TelegramAccounts,
    private readonly invitations: Invitations,
    private readonly vacancies: Vacancies,
    private readonly interviews: Interviews,
    private readonly views: ConversationViews,
    private readonly continuations: ContinuationLinks,
    private readonly door: InterviewDoor,
  ) {}

  /** `/start` with a payload: an invitation's token, a vacancy's, or a continuation's. */
  async byLink(scope: UpdateScope, user: User, token: string): Promise<void> {
    const { tx, account } = scope;
    const texts = telegramTextsOf(account.language);
    const continued = await this.continuations.redeem(tx, token, 'telegram');
    if (typeof continued === 'object') {
      return this.door.enter(scope, continued.conversationId, user);
    }
    if (continued === 'used' || continued === 'expired') return say(scope, texts.linkUsed);
    const invite = await this.invitations.findByToken(tx, token);
    if (invite.state === 'unknown') {
      await say(scope, texts.linkUnknown);
      return account.conversationId === null ? this.offerWays(scope) : undefined;
    }
    if (invite.state === 'expired') return say(scope, texts.linkExpired);
    return this.begin(scope, user, invite, { identifiedBy: 'link' });
  }

  /** Somebody whom no link has led here: a recruiter may have noted their user name. */
  async byUsername(scope: UpdateScope, user: User): Promise<void> {
    if (user.username === undefined) return this.offerWays(scope);
    const [invite] = await this.invitations.findForUsername(scope.tx, user.username);
    if (invite === undefined) return this.offerWays(scope);
    return this.begin(scope, user, invite, { identifiedBy: 'username' });
  }

  /** What is written by somebody who is in no interview. */
  async byText(scope: UpdateScope, user: User, text: string): Promise<void> {
    switch (scope.account.dialog.kind) {
      case 'pin':
        return this.byPin(scope, user, text);
      case 'search':
        return this.search(scope, text);
      case 'none':
        return this.byUsername(scope, user);
    }
  }

  async askPin(scope: UpdateScope): Promise<void> {
    await this.accounts.setDialog(scope.tx, scope.chatId, { kind: 'pin' });
    const { account } = scope;
    const texts = telegramTextsOf(account.language);
    await say(scope, account.pinLockedForMs > 0 ? lockedText(scope) : texts.askPin);
  }

  async askVacancy(scope: UpdateScope): Promise<void> {
    await this.accounts.setDialog(scope.tx, scope.chatId, { kind: 'search' });
    await say(scope, telegramTextsOf(scope.account.language).askVacancy);
  }

  /** A vacancy that the search has offered. */
  async choose(scope: UpdateScope, user: User, vacancyId: string): Promise<void> {
    const { tx, account } = scope;
    const vacancy = await this.vacancies.find(tx, vacancyId);
    if (vacancy === null) return say(scope, telegramTextsOf(account.language).noVacancy);
    const query = account.dialog.kind === 'search' ? account.dialog.query : undefined;
    return this.begin(
      scope,
      user,
      { state: 'ok', kind: 'open', vacancy },
      { identifiedBy: 'search', ...(query === undefined ? {} : { searchQuery: query }) },
    );
  }

  async offerWays(scope: UpdateScope): Promise<void> {
    const texts = telegramTextsOf(scope.account.language);
    await say(
      scope,
      texts.waysIn,
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
    if (account.pinLockedForMs > 0) return say(scope, lockedText(scope));
    const pin = readPin(text);
    if (pin === null || pinKey === null) return say(scope, texts.notAPin);
    const invite = await this.invitations.findByPin(tx, pinKey);
    if (invite.state === 'ok') {
      return this.begin(scope, user, invite, { identifiedBy: 'pin', pinCode: pin });
    }
    const { isLocked } = await this.accounts.pinFailed(tx, chatId, PIN_LIMIT);
    const minutes = Math.ceil(PIN_LIMIT.lockMs / MINUTE_MS);
    return say(scope, isLocked ? texts.pinLocked(minutes) : texts.pinWrong);
  }

  private async search(scope: UpdateScope, query: string): Promise<void> {
    const texts = telegramTextsOf(scope.account.language);
    const found = await this.vacancies.search(scope.tx, query, { limit: MAX_FOUND });
    if (found.length === 0) return say(scope, texts.noVacancy);
    await this.accounts.setDialog(scope.tx, scope.chatId, { kind: 'search', query });
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
    if (invite.kind === 'personal') {
      const bound = await this.invitations.bind(tx, invite.invitation.id, accountName(chatId));
      if (bound === 'taken') return say(scope, telegramTextsOf(account.language).linkTaken);
    }
    const own = await this.ownFor(scope, invite);
    const id = own ?? (await this.interviews.beginAs(tx, invite, how)).id;
    return this.door.enter(scope, id, user);
  }

  /** An open link opened again leads back to the interview that it began. */
  private async ownFor({ tx, account }: UpdateScope, invite: KnownInvite): Promise<string | null> {
    const { conversationId } = account;
    if (invite.kind === 'personal' || conversationId === null) return null;
    return (await this.views.isOfInvite(tx, conversationId, invite)) ? conversationId : null;
  }
}

/** As an invitation is bound to it. */
export function accountName(userId: number): string {
  return `telegram:${String(userId)}`;
}

function lockedText({ account }: UpdateScope): string {
  const minutes = Math.ceil(account.pinLockedForMs / MINUTE_MS);
  return telegramTextsOf(account.language).pinLocked(minutes);
}
