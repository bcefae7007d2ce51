import { isUuid, sha256 } from '../../../common/ids';
import { Injectable } from '@nestjs/common';
import type { User } from 'telegraf/types';
import { type AccountConversation, AccountConversationRepository } from '../../../candidates';
import { InvitationRepository } from '../../../vacancies';
import {
  ContinuationLinks,
  ConversationViews,
  type ConversationView,
  InterviewService,
} from '../../../interview';
import { TelegramAccountRepository } from '../account.repository';
import { formattedParts } from '../message-format';
import type { UpdateScope } from '../intake/update-scopes';
import { type ButtonOutcome, replyWith } from '../intake/update-handling';
import { doneKeyboard, inlineKeyboard, telegramTextsOf } from '../texts/texts';
import { accountName, introductionOf } from '../account';

/**
 * Takes a person into an interview that was found: disclosure, consent, first question.
 *
 * A link, a PIN or a user name may lead to an interview that is open elsewhere, perhaps for somebody
 * who wants to read what the person writes. So the account is linked with it only after the person has
 * said that it is theirs and has agreed to its disclosure here.
 */
@Injectable()
export class ConsentDialog {
  constructor(
    private readonly accounts: TelegramAccountRepository,
    private readonly interviews: InterviewService,
    private readonly views: ConversationViews,
    private readonly continuations: ContinuationLinks,
    private readonly invitations: InvitationRepository,
    private readonly pairs: AccountConversationRepository,
  ) {}

  /** Moves the interview to this chat, unless it may be somebody else's. */
  async enter(scope: UpdateScope, conversationId: string, user: User): Promise<void> {
    const { tx } = scope;
    const view = await this.views.view(tx, conversationId);
    if (view.isTooLate) return this.sayClosed(scope, view);
    if (await this.mayBeOthers(scope, view)) return this.askWhetherMine(scope, view, view.id);
    await this.moveHere(scope, view.id, { origin: 'begun', hasAgreed: hasAgreed(view) });
    if (!hasAgreed(view)) return this.showAnew(scope, view);
    // Before consent nothing of the account is stored. A new interview begins here.
    await this.interviews.introduce(tx, conversationId, introductionOf(user));
    if (view.status !== 'new') await this.sayStatus(scope, view);
  }

  /** By a link from another channel that works once, and is used up when the person says yes. */
  async enterByContinuation(
    scope: UpdateScope,
    token: string,
    conversationId: string,
    user: User,
  ): Promise<void> {
    const { tx } = scope;
    const view = await this.views.view(tx, conversationId);
    const isOwn = (await this.pairOf(scope, conversationId))?.hasAgreed === true;
    if (!isOwn) return this.askWhetherMine(scope, view, token);
    await this.continuations.redeem(tx, token, 'telegram');
    return this.enter(scope, conversationId, user);
  }

  /** Shows where the interview stands to somebody who is in it. */
  async show(scope: UpdateScope, view: ConversationView): Promise<void> {
    const { conversationId, hasAgreed: isAgreedHere } = scope.account;
    if (view.id !== conversationId || isAgreedHere) return this.sayStatus(scope, view);
    if (!(await this.isOpen(scope, view.id)))
      return replyWith(scope, telegramTextsOf(view.language).linkExpired);
    return hasAgreed(view)
      ? this.askWhetherMine(scope, view, view.id)
      : this.sayStatus(scope, view);
  }

  /** To somebody who opens the interview: the disclosure also after it was declined. */
  async showAnew(scope: UpdateScope, view: ConversationView): Promise<void> {
    return view.status === 'declined' ? this.disclose(scope, view) : this.show(scope, view);
  }

  /** To whoever writes after they have withdrawn. `isStored`: what they wrote is kept for people. */
  async sayWithdrawn(scope: UpdateScope, id: string, isStored: boolean): Promise<void> {
    const words = await this.views.afterWithdrawal(scope.tx, id, { isStored });
    if (words !== null) await replyWith(scope, words, { remove_keyboard: true });
  }

  /**
   * Replies to a message sent before consent: that consent comes first; if the hiring team has the
   * conversation, that the team does not see the message; after a refusal, where the interview stands.
   */
  async remind(scope: UpdateScope, id: string): Promise<void> {
    const view = await this.views.view(scope.tx, id);
    const isToAgree = view.status === 'new';
    const isAgreedElsewhere = view.consent?.accepted === true;
    const { consentFirst, notKeptForPerson } = telegramTextsOf(view.language);
    if (view.isTooLate) return this.sayClosed(scope, view);
    if (view.status === 'handed_over' && !isAgreedElsewhere)
      return replyWith(scope, notKeptForPerson);
    if (!isToAgree && !isAgreedElsewhere) return this.show(scope, view);
    await replyWith(scope, consentFirst);
    if (isAgreedElsewhere) return this.show(scope, view);
    return this.disclose(scope, view);
  }

  async disclose(scope: UpdateScope, view: ConversationView): Promise<void> {
    if (view.isTooLate) return this.sayClosed(scope, view);
    const { agreeButton, declineButton, howToAnswer } = telegramTextsOf(view.language);
    const { version, text } = view.disclosure;
    const mark = markOf(version);
    const heading = `${view.vacancyTitle}, ${view.company}`;
    await replyWith(
      scope,
      `${heading}\n\n${text}\n\n${howToAnswer}`,
      inlineKeyboard([
        { text: agreeButton, data: `${AGREE}${mark}:${view.id}` },
        { text: declineButton, data: `${DECLINE}${mark}:${view.id}` },
      ]),
    );
  }

  /** To somebody who has not begun the interview of a vacancy that is closed now. */
  private sayClosed(
    scope: UpdateScope,
    { language, vacancyTitle, company }: ConversationView,
  ): Promise<void> {
    return replyWith(scope, telegramTextsOf(language).vacancyClosed(`${vacancyTitle}, ${company}`));
  }

  /** Repeats the last message of the interviewer. */
  async repeatQuestion(scope: UpdateScope, view: ConversationView, before: string): Promise<void> {
    const last = await this.views.lastSaid(scope.tx, view.id);
    await replyWith(scope, before, doneKeyboard(view.language));
    for (const { plain } of formattedParts(last?.text ?? '')) await replyWith(scope, plain);
  }

  /** The person has agreed or declined; for an older version, the current disclosure is shown. */
  async answer(
    scope: UpdateScope,
    view: ConversationView,
    { mark, accepted, user }: { mark: string; accepted: boolean; user: User },
  ): Promise<ButtonOutcome> {
    const isOpen = view.status === 'declined' || view.status === 'new';
    // Pressed twice: the first press was handled.
    if (!isOpen && accepted && hasAgreed(view) && scope.account.hasAgreed) return 'done';
    if (view.status === 'declined' && !accepted) return 'done';
    if (!isOpen) return this.refuseOrShow(scope, view, accepted);
    // Locked until the commit, because another account may agree at the same time.
    await this.interviews.lock(scope.tx, view.id);
    if (accepted && (await this.interviews.isTooLate(scope.tx, view.id))) {
      await this.sayClosed(scope, view);
      return 'done';
    }
    if (!(await this.isOpen(scope, view.id))) {
      await replyWith(scope, telegramTextsOf(view.language).linkExpired);
      return 'outdated';
    }
    const { version } = view.disclosure;
    if (mark !== markOf(version)) {
      await this.disclose(scope, view);
      return 'outdated';
    }
    // Who says no to what somebody else has agreed to may mean that it is not theirs.
    if ((accepted || hasAgreed(view)) && (await this.mayBeOthers(scope, view))) {
      await this.askWhetherMine(scope, view, view.id);
      return 'done';
    }
    const { tx, chatId } = scope;
    await this.interviews.enter(tx, view.id, 'telegram');
    if (accepted) {
      const account = accountName(chatId);
      const pair = { account, conversationId: view.id, origin: 'begun', hasAgreed: true } as const;
      await this.pairs.record(tx, pair);
      await this.accounts.agreed(tx, chatId);
      await this.interviews.introduce(tx, view.id, introductionOf(user));
    } else
      await replyWith(scope, telegramTextsOf(view.language).declined, { remove_keyboard: true });
    await this.interviews.consent(tx, view.id, { version, accepted });
    return accepted ? 'agreed' : 'done';
  }

  /** A press below an earlier disclosure, once the interview has begun. */
  private async refuseOrShow(
    scope: UpdateScope,
    view: ConversationView,
    accepted: boolean,
  ): Promise<ButtonOutcome> {
    const isGiven = scope.account.hasAgreed && view.status !== 'withdrawn';
    if (!accepted && isGiven) await replyWith(scope, telegramTextsOf(view.language).consentGiven);
    return this.showAgain(scope, view);
  }

  /** “Yes, this is mine”, to the question about what `reference` leads to. */
  async claim(
    scope: UpdateScope,
    { mark, reference, user }: { mark: string; reference: string; user: User },
  ): Promise<ButtonOutcome> {
    const { tx } = scope;
    const conversationId = await this.claimable(scope, reference);
    if (conversationId === null) return 'outdated';
    const view = await this.views.view(tx, conversationId);
    if ((await this.pairOf(scope, conversationId))?.hasAgreed === true) return 'done';
    const { version } = view.disclosure;
    if (mark !== markOf(version)) {
      await this.askWhetherMine(scope, view, reference);
      return 'outdated';
    }
    if (await this.interviews.isTooLate(tx, conversationId)) {
      await this.sayClosed(scope, view);
      return 'done';
    }
    if (!isUuid(reference)) {
      // Of two presses at once, one comes too late.
      const redeemed = await this.continuations.redeem(tx, reference, 'telegram');
      if (typeof redeemed === 'string') return 'outdated';
    }
    await this.moveHere(scope, conversationId, { origin: 'claimed', hasAgreed: true });
    await this.interviews.introduce(tx, conversationId, introductionOf(user));
    await this.interviews.consent(tx, conversationId, { version, accepted: true, isAgain: true });
    const isToBegin = view.status === 'new' || view.status === 'declined';
    if (!isToBegin) await this.sayStatus(scope, await this.views.view(tx, conversationId));
    return 'agreed';
  }

  /** “No, it is not mine”: the account is not linked with the interview. */
  async disown(scope: UpdateScope, reference: string): Promise<ButtonOutcome> {
    const { tx, chatId, account } = scope;
    const conversationId = await this.claimable(scope, reference);
    if (conversationId === null) return 'outdated';
    if ((await this.pairOf(scope, conversationId))?.hasAgreed === true) return 'outdated';
    const owner = await this.views.ownerOf(tx, conversationId);
    await this.pairs.remove(tx, accountName(chatId), conversationId);
    await this.invitations.release(tx, accountName(chatId), owner.candidateId);
    await this.accounts.leave(tx, chatId, conversationId);
    await replyWith(scope, telegramTextsOf(account.language).notMine);
    return 'done';
  }

  /** Whether the account may continue in this interview. */
  async isOpen(scope: UpdateScope, conversationId: string): Promise<boolean> {
    return (await this.pairOf(scope, conversationId))?.isOpen === true;
  }

  /** Whether this moment, in whole seconds as Telegram dates messages, is before the person came to the interview. */
  async isBeforeJoining(
    { tx, chatId }: UpdateScope,
    conversationId: string,
    atS: number,
  ): Promise<boolean> {
    const joinedAt = await this.pairs.joinedAt(tx, accountName(chatId), conversationId);
    return joinedAt !== null && atS < Math.floor(joinedAt.getTime() / 1000);
  }

  /** The interview that this account may claim. A client can forge the data of a button. */
  private async claimable(scope: UpdateScope, reference: string): Promise<string | null> {
    const { tx } = scope;
    if (!isUuid(reference)) {
      const found = await this.continuations.find(tx, reference, 'telegram');
      return found?.state === 'ok' ? found.conversationId : null;
    }
    if (!(await this.views.exists(tx, reference))) return null;
    const pair = await this.pairOf(scope, reference);
    if (pair !== undefined) return pair.isOpen ? reference : null;
    const owner = await this.views.ownerOf(tx, reference);
    const isBound = await this.invitations.isBound(tx, accountName(scope.chatId), owner);
    return isBound ? reference : null;
  }

  private async pairOf(
    { tx, chatId }: UpdateScope,
    conversationId: string,
  ): Promise<AccountConversation | undefined> {
    const pairs = await this.pairs.listOf(tx, accountName(chatId));
    return pairs.find((pair) => pair.conversationId === conversationId);
  }

  /** Whether somebody other than this account's person may be in the interview. */
  private async mayBeOthers(scope: UpdateScope, view: ConversationView): Promise<boolean> {
    if ((await this.pairOf(scope, view.id))?.hasAgreed === true) return false;
    const account = accountName(scope.chatId);
    return hasAgreed(view) || this.pairs.isOpenElsewhere(scope.tx, account, view.id);
  }

  private async askWhetherMine(
    scope: UpdateScope,
    view: ConversationView,
    reference: string,
  ): Promise<void> {
    if (view.isTooLate) return this.sayClosed(scope, view);
    const { language, vacancyTitle, company, disclosure } = view;
    const { openElsewhere, howToAnswer, mineButton, notMineButton } = telegramTextsOf(language);
    const heading = `${vacancyTitle}, ${company}`;
    await replyWith(
      scope,
      `${heading}\n\n${openElsewhere}\n\n${disclosure.text}\n\n${howToAnswer}`,
      inlineKeyboard([
        { text: mineButton, data: `${MINE}${markOf(disclosure.version)}:${reference}` },
        { text: notMineButton, data: `${NOT_MINE}${reference}` },
      ]),
    );
  }

  private async moveHere(
    scope: UpdateScope,
    conversationId: string,
    how: { origin: 'begun' | 'claimed'; hasAgreed: boolean },
  ): Promise<void> {
    const { tx, chatId } = scope;
    await this.interviews.enter(tx, conversationId, 'telegram');
    await this.pairs.record(tx, { account: accountName(chatId), conversationId, ...how });
    await this.accounts.enter(tx, chatId, conversationId, how);
  }

  private async sayStatus(scope: UpdateScope, view: ConversationView): Promise<void> {
    const texts = telegramTextsOf(view.language);
    switch (view.status) {
      case 'new':
        return this.disclose(scope, view);
      case 'declined':
        return replyWith(scope, texts.declinedBefore);
      case 'active':
        return this.repeatQuestion(scope, view, texts.welcomeBack);
      case 'completed':
        return replyWith(scope, texts.completed, { remove_keyboard: true });
      case 'handed_over':
        return replyWith(scope, texts.humanAlready, { remove_keyboard: true });
      case 'expired':
        return replyWith(scope, texts.expired, { remove_keyboard: true });
      case 'withdrawn':
        // Without consent nothing was kept.
        return hasAgreed(view)
          ? this.sayWithdrawn(scope, view.id, true)
          : replyWith(scope, texts.closed, { remove_keyboard: true });
    }
  }

  private async showAgain(scope: UpdateScope, view: ConversationView): Promise<ButtonOutcome> {
    await this.show(scope, view);
    return 'done';
  }
}

/** Buttons below the disclosure; its mark (`markOf`) and the conversation's id follow, at most 61 bytes of 64. */
export const AGREE = 'agree:';
export const DECLINE = 'decline:';
/**
 * Buttons below the question whether an interview is the person's own. The disclosure's mark follows,
 * then the token of a continuation or the conversation's id: at most 58 bytes of 64.
 */
export const MINE = 'mine:';
export const NOT_MINE = 'notmine:';

/**
 * A disclosure's version as buttons carry it. One that names notices is too long for a button and is marked
 * by its hash: whoever presses agrees to the version in force, or is shown it when the marks differ.
 */
function markOf(version: string): string {
  return version.includes('+') ? sha256(version).slice(0, 16) : version;
}

function hasAgreed({ consent }: ConversationView): boolean {
  return consent?.accepted === true;
}
