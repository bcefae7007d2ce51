import { isUuid } from '../../../common/ids';
import { Injectable } from '@nestjs/common';
import type { User } from 'telegraf/types';
import { storable } from '../../../common/text';
import { InvitationRepository, readPin, VacancyRepository } from '../../../vacancies';
import { ContinuationLinks, ConversationViews } from '../../../interview';
import { TelegramAccountRepository } from '../account.repository';
import type { UpdateScope } from '../intake/update-scopes';
import { replyWith } from '../intake/update-handling';
import { PinLimits } from '../intake/pin-limits.repository';
import { type Button, inlineKeyboard, telegramTextsOf } from '../texts/texts';
import { ConsentDialog } from './consent-dialog';
import { InterviewEntry } from './invitation-join';
import { accountName } from '../account';

/**
 * Finds the interview of somebody who writes to the bot: by a link's payload, a user name that a
 * recruiter has stored, a PIN, or a job title. `account.dialog` says which of the last two was asked
 * for; without it, a text that is no PIN is a job title.
 */
@Injectable()
export class InterviewLookup {
  constructor(
    private readonly accounts: TelegramAccountRepository,
    private readonly invitations: InvitationRepository,
    private readonly vacancies: VacancyRepository,
    private readonly views: ConversationViews,
    private readonly continuations: ContinuationLinks,
    private readonly consentDialog: ConsentDialog,
    private readonly entry: InterviewEntry,
    private readonly limits: PinLimits,
  ) {}

  /**
   * `/start` with a payload: an invitation's token, a vacancy's, a continuation's, or the id of an
   * interview of this account (see TelegramOutbox).
   */
  async byLink(scope: UpdateScope, user: User, token: string): Promise<void> {
    const { tx, account } = scope;
    if (isUuid(token) && (await this.consentDialog.isOpen(scope, token))) {
      return this.consentDialog.enter(scope, token, user);
    }
    const texts = telegramTextsOf(account.language);
    const continued = await this.continuations.find(tx, token, 'telegram');
    if (continued?.state === 'ok') {
      return this.consentDialog.enterByContinuation(scope, token, continued.conversationId, user);
    }
    if (continued !== null) {
      const isHere = continued.conversationId === account.conversationId;
      return isHere ? this.showAgain(scope) : replyWith(scope, texts.linkOver);
    }
    const invite = await this.invitations.findByToken(tx, token);
    if (invite.state === 'unknown') {
      await replyWith(scope, texts.linkUnknown);
      return account.conversationId === null ? this.offerWays(scope) : undefined;
    }
    if (invite.state === 'ok')
      return this.entry.begin(scope, user, invite, { identifiedBy: 'link' });
    const { conversationId } = account;
    const isHere =
      conversationId !== null && (await this.views.isOfInvite(tx, conversationId, invite));
    return isHere ? this.showAgain(scope) : replyWith(scope, texts.linkExpired);
  }

  /**
   * Without a link: a recruiter may have stored the person's user name. If not, `text` is searched
   * for among the vacancies.
   */
  async byUsername(scope: UpdateScope, user: User, text = ''): Promise<void> {
    const { username } = user;
    const invites =
      username === undefined ? [] : await this.invitations.findForUsername(scope.tx, username);
    const mine = [null, accountName(scope.chatId)];
    const own = invites.filter(({ invitation }) => mine.includes(invitation.boundTo));
    // Words of somebody whose only invitation is to a closed vacancy may name another one.
    const invite = own.find(({ vacancy }) => vacancy.closedAt === null) ?? own[0];
    if (invite === undefined) return this.byWords(scope, text);
    if (invite.vacancy.closedAt !== null && WORD.test(text)) {
      const begun = await this.views.findInvited(scope.tx, invite);
      if (begun?.isTooLate !== false) return this.byWords(scope, text);
    }
    return this.entry.begin(scope, user, invite, { identifiedBy: 'username' });
  }

  /** Whether the text is a search or a PIN, even if the person is in an interview. */
  expects({ account: { dialog } }: UpdateScope, text: string): boolean {
    if (dialog.kind === 'pin') return readPin(text) !== null;
    return dialog.kind === 'search' && dialog.isDone !== true;
  }

  /** Ends the dialog, because the person goes on with their interview. */
  async giveUp(scope: UpdateScope): Promise<void> {
    if (scope.account.dialog.kind === 'none') return;
    await this.entry.awaitPin(scope, false);
    await this.accounts.setDialog(scope.tx, scope.chatId, { kind: 'none' });
  }

  /** A text of somebody who is in no interview or looks for another one. */
  async byText(scope: UpdateScope, user: User, text: string): Promise<void> {
    switch (scope.account.dialog.kind) {
      case 'pin':
        return this.byPin(scope, user, text);
      case 'search':
        return this.search(scope, text);
      case 'none':
        if (readPin(text) !== null) return this.byPin(scope, user, text);
        return this.byUsername(scope, user, text);
    }
  }

  /** An edit may correct a mistyped PIN. Other edits before an interview are ignored. */
  async byEdit(scope: UpdateScope, user: User, text: string): Promise<void> {
    if (scope.pinKey === null || scope.account.dialog.kind === 'search') return;
    await this.byPin(scope, user, text);
  }

  async askPin(scope: UpdateScope): Promise<void> {
    await this.accounts.setDialog(scope.tx, scope.chatId, { kind: 'pin' });
    await this.entry.awaitPin(scope, true);
    const texts = telegramTextsOf(scope.account.language);
    const { lockedForMs } = await this.limits.stateOf(scope.tx, scope.chatId);
    await replyWith(
      scope,
      lockedForMs > 0 ? texts.pinLocked(minutesOf(lockedForMs)) : texts.askPin,
    );
  }

  async askVacancy(scope: UpdateScope): Promise<void> {
    await this.entry.awaitPin(scope, false);
    await this.accounts.setDialog(scope.tx, scope.chatId, { kind: 'search' });
    await replyWith(scope, telegramTextsOf(scope.account.language).askVacancy);
  }

  /** The person has pressed the button of a vacancy that was found. */
  async choose(scope: UpdateScope, user: User, vacancyId: string): Promise<void> {
    const { tx, account } = scope;
    // A client can forge the data of a button.
    const vacancy = isUuid(vacancyId) ? await this.vacancies.find(tx, vacancyId) : null;
    if (vacancy === null) return replyWith(scope, telegramTextsOf(account.language).noVacancy);
    const invite = { state: 'ok', kind: 'open', vacancy } as const;
    return this.entry.begin(scope, user, invite, { identifiedBy: 'search' });
  }

  async offerWays(
    scope: UpdateScope,
    text: 'waysIn' | 'waysToAnother' | 'noVacancyAtFirst' = 'waysIn',
  ): Promise<void> {
    const texts = telegramTextsOf(scope.account.language);
    await replyWith(
      scope,
      text === 'waysIn' ? texts.waysIn[this.views.interviewer] : texts[text],
      inlineKeyboard([
        { text: texts.havePinButton, data: WAY_BY_PIN },
        { text: texts.findVacancyButton, data: WAY_BY_SEARCH },
      ]),
    );
  }

  /** A command that needs an interview, from somebody without one. */
  async sayNoInterview(scope: UpdateScope): Promise<void> {
    await replyWith(scope, telegramTextsOf(scope.account.language).noInterview);
  }

  /** Text that does not read as a PIN does not count as a wrong PIN. */
  private async byPin(scope: UpdateScope, user: User, text: string): Promise<void> {
    const { tx, account, pinKey, chatId } = scope;
    const texts = telegramTextsOf(account.language);
    const state = await this.limits.stateOf(tx, chatId);
    if (state.lockedForMs > 0)
      return replyWith(scope, texts.pinLocked(minutesOf(state.lockedForMs)));
    const pin = readPin(text);
    if (pin === null) return replyWith(scope, texts.notAPin);
    if (state.pausedForMs > 0)
      return replyWith(scope, texts.pinsPaused(minutesOf(state.pausedForMs)));
    // PINs were refused when the update arrived, so it has no key.
    if (pinKey === null) return replyWith(scope, texts.askPin);
    const invite = await this.invitations.findByPin(tx, pinKey);
    if (invite.state === 'ok') {
      return this.entry.begin(scope, user, invite, { identifiedBy: 'pin', pinCode: pin });
    }
    const { lockedForMs } = await this.limits.failed(tx, chatId);
    return replyWith(
      scope,
      lockedForMs > 0 ? texts.pinLocked(minutesOf(lockedForMs)) : texts.pinWrong,
    );
  }

  /** The person has asked for a search. */
  private async search(scope: UpdateScope, text: string): Promise<void> {
    const texts = telegramTextsOf(scope.account.language);
    const buttons = await this.vacancyButtons(scope, text);
    // The text of a search is not stored.
    await this.accounts.setDialog(scope.tx, scope.chatId, { kind: 'search', isDone: true });
    if (buttons.length === 0) return replyWith(scope, texts.noVacancy);
    await replyWith(scope, texts.chooseVacancy, inlineKeyboard(buttons));
  }

  /** The first words of somebody without an interview, who was asked for nothing. */
  private async byWords(scope: UpdateScope, text: string): Promise<void> {
    // A search without words would find every vacancy.
    if (!WORD.test(text)) return this.offerWays(scope);
    const buttons = await this.vacancyButtons(scope, text);
    if (buttons.length === 0) return this.offerWays(scope, 'noVacancyAtFirst');
    const { vacanciesAtFirst, havePinButton } = telegramTextsOf(scope.account.language);
    const byPin: Button = { text: havePinButton, data: WAY_BY_PIN };
    await replyWith(scope, vacanciesAtFirst, inlineKeyboard([...buttons, byPin]));
  }

  private async vacancyButtons({ tx }: UpdateScope, text: string): Promise<Button[]> {
    const query = storable(text.slice(0, MAX_QUERY), ' ').trim();
    const found = await this.vacancies.search(tx, query, { limit: MAX_FOUND });
    return found.map(({ id, title, company }) => ({
      text: `${title}, ${company}`,
      data: `${VACANCY}${id}`,
    }));
  }

  private async showAgain(scope: UpdateScope): Promise<void> {
    const { conversationId } = scope.account;
    if (conversationId === null) return this.offerWays(scope);
    return this.consentDialog.show(scope, await this.views.view(scope.tx, conversationId));
  }
}

/** Data of buttons. */
export const WAY_BY_PIN = 'way:pin';
export const WAY_BY_SEARCH = 'way:search';
export const VACANCY = 'vacancy:';
const WORD = /[\p{L}\p{N}]/u;
/** Longer texts are cut before the search. */
const MAX_QUERY = 200;
/** Vacancies offered at a time. */
const MAX_FOUND = 5;

const MINUTE_MS = 60_000;

function minutesOf(ms: number): number {
  return Math.ceil(ms / MINUTE_MS);
}
