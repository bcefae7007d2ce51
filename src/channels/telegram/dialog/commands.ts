import { Injectable } from '@nestjs/common';
import type { CallbackQuery, User } from 'telegraf/types';
import { BufferService } from '../../../buffer';
import { ChannelOffError } from '../../../channels';
import { type Language, InvitationRepository } from '../../../vacancies';
import {
  ContinuationLinks,
  type ConversationView,
  ConversationViews,
  InterviewService,
  Takeovers,
} from '../../../interview';
import { TelegramAccountRepository } from '../account.repository';
import type { UpdateScope } from '../intake/update-scopes';
import { replyWith } from '../intake/update-handling';
import { type Button, doneKeyboard, inlineKeyboard, telegramTextsOf } from '../texts/texts';
import { InterviewLookup } from './interview-lookup';
import { ConsentDialog } from './consent-dialog';
import { introductionOf, accountName } from '../account';
import { type AccountConversation, AccountConversationRepository } from '../../../candidates';
import { PersonalDataService } from '../../../privacy';

/** The bot's commands. None of them is part of an answer. */
@Injectable()
export class Commands {
  constructor(
    private readonly accounts: TelegramAccountRepository,
    private readonly interviews: InterviewService,
    private readonly takeovers: Takeovers,
    private readonly views: ConversationViews,
    private readonly buffer: BufferService,
    private readonly continuations: ContinuationLinks,
    private readonly lookup: InterviewLookup,
    private readonly consentDialog: ConsentDialog,
  ) {}

  async start(scope: UpdateScope, user: User, payload: string): Promise<void> {
    if (payload !== '') return this.lookup.byLink(scope, user, payload);
    const view = await this.viewOf(scope);
    if (view === null) return this.lookup.byUsername(scope, user);
    await this.accounts.setPaused(scope.tx, scope.chatId, false);
    await this.consentDialog.showAnew(scope, view);
    const isOver = ['completed', 'withdrawn', 'expired'].includes(view.status);
    if (isOver) await this.lookup.offerWays(scope, 'waysToAnother');
  }

  async help(scope: UpdateScope): Promise<void> {
    const view = await this.viewOf(scope);
    const { help } = telegramTextsOf(view?.language ?? scope.account.language);
    const { interviewer } = view ?? this.views;
    await replyWith(scope, help({ voices: view?.voice === true, interviewer }));
  }

  async status(scope: UpdateScope): Promise<void> {
    const view = await this.viewOf(scope);
    if (view === null) return this.lookup.sayNoInterview(scope);
    const texts = telegramTextsOf(view.language);
    if (view.status === 'new' || view.status === 'declined')
      return replyWith(scope, texts.notStarted);
    if (view.status !== 'active' || (await this.isOfOthers(scope, view)))
      return this.consentDialog.show(scope, view);
    const { progress, hasBuffer, replying } = view;
    const { isPaused } = scope.account;
    const now = { ...progress, isCollecting: hasBuffer, isReplying: replying, isPaused };
    await replyWith(scope, texts.status(now));
  }

  async pause(scope: UpdateScope): Promise<void> {
    const view = await this.activeView(scope);
    if (view === null) return;
    await this.accounts.setPaused(scope.tx, scope.chatId, true);
    await replyWith(scope, telegramTextsOf(view.language).paused);
  }

  async resume(scope: UpdateScope): Promise<void> {
    const view = await this.activeView(scope);
    if (view === null) return;
    await this.accounts.setPaused(scope.tx, scope.chatId, false);
    await this.consentDialog.repeatQuestion(scope, view, telegramTextsOf(view.language).resumed);
  }

  /** Asks for confirmation, because the interview pauses. */
  async human(scope: UpdateScope): Promise<void> {
    const view = await this.viewOf(scope);
    if (view === null) return this.lookup.offerWays(scope);
    if (view.status === 'withdrawn' || (await this.isOfOthers(scope, view)))
      return this.consentDialog.show(scope, view);
    const texts = telegramTextsOf(view.language);
    const back: Button = { text: texts.humanTakeBack, data: HUMAN_BACK };
    if (view.status === 'handed_over') {
      return replyWith(scope, texts.humanAlready, inlineKeyboard([back]));
    }
    const buttons: Button[] = [
      { text: texts.humanYes, data: HUMAN_YES },
      { text: texts.humanNo, data: HUMAN_NO },
    ];
    await replyWith(scope, texts.humanQuestion, inlineKeyboard(buttons));
  }

  async answerHuman(
    scope: UpdateScope,
    view: ConversationView,
    press: CallbackQuery,
  ): Promise<void> {
    if (await this.isOfOthers(scope, view)) return this.consentDialog.show(scope, view);
    const data = 'data' in press ? press.data : '';
    const texts = telegramTextsOf(view.language);
    const back: Button = { text: texts.humanTakeBack, data: HUMAN_BACK };
    await this.showButtons(scope, press, data === HUMAN_YES ? [back] : []);
    if (data === HUMAN_YES) return this.handOver(scope, view, press.from);
    if (data === HUMAN_BACK) return this.takeBack(scope, view);
    const goesOn = view.status === 'active' || view.status === 'new';
    if (!goesOn) return this.consentDialog.show(scope, view);
    await replyWith(scope, texts.humanNotAsked);
  }

  /**
   * Works without consent too. Stores the account's name and user name, because the team has to know
   * whom to write to.
   */
  private async handOver(scope: UpdateScope, view: ConversationView, user: User): Promise<void> {
    if (view.status === 'withdrawn' || view.status === 'handed_over') {
      return this.consentDialog.show(scope, view);
    }
    await this.interviews.enter(scope.tx, view.id, 'telegram');
    await this.interviews.introduce(scope.tx, view.id, introductionOf(user));
    await this.takeovers.requestPerson(scope.tx, view.id);
  }

  private async takeBack(scope: UpdateScope, view: ConversationView): Promise<void> {
    await this.interviews.enter(scope.tx, view.id, 'telegram');
    if (!(await this.takeovers.takeBack(scope.tx, view.id)))
      return this.consentDialog.show(scope, view);
    const now = await this.views.view(scope.tx, view.id);
    // If the interview goes on, the question was repeated.
    if (now.status !== 'active') await this.consentDialog.show(scope, now);
  }

  /** Replaces the buttons that were pressed. */
  private async showButtons(
    scope: UpdateScope,
    { message }: CallbackQuery,
    buttons: readonly Button[],
  ): Promise<void> {
    if (message === undefined) return;
    const reply_markup = buttons.length === 0 ? {} : { reply_markup: inlineKeyboard(buttons) };
    const params = { chat_id: scope.chatId, message_id: message.message_id, ...reply_markup };
    await scope.reply({ method: 'editMessageReplyMarkup', params });
  }

  async done(scope: UpdateScope): Promise<void> {
    const collecting = await this.viewOf(scope);
    // An addition to a finished interview is also sent at once.
    const isOwn = collecting?.hasBuffer === true && !(await this.isOfOthers(scope, collecting));
    const view = isOwn ? collecting : await this.activeView(scope);
    if (view === null) return;
    const { dueAt } = await this.buffer.finish(scope.tx, { conversationId: view.id });
    const texts = telegramTextsOf(view.language);
    if (dueAt === null && !view.replying) return replyWith(scope, texts.nothingToFinish);
  }

  /** Whether the open question may be left now; if not, the bot has said why. */
  async maySkip(scope: UpdateScope): Promise<boolean> {
    const view = await this.viewOf(scope);
    if (view?.status === 'new' || view?.status === 'declined') {
      await replyWith(scope, telegramTextsOf(view.language).notStarted);
      return false;
    }
    const active = await this.activeView(scope);
    if (active?.replying !== true) return active !== null;
    await replyWith(scope, telegramTextsOf(active.language).skipTooEarly);
    return false;
  }

  async web(scope: UpdateScope): Promise<void> {
    const view = await this.viewOf(scope);
    if (view === null) return this.lookup.sayNoInterview(scope);
    if (await this.isOfOthers(scope, view)) return this.consentDialog.show(scope, view);
    const texts = telegramTextsOf(view.language);
    const link = await this.continuations.continueOn(scope.tx, view.id, 'web');
    if (link === null) throw new ChannelOffError('no address leads to the page');
    await replyWith(scope, texts.continueOnWeb(link.url));
  }

  async language(scope: UpdateScope): Promise<void> {
    const view = await this.viewOf(scope);
    const texts = telegramTextsOf(view?.language ?? scope.account.language);
    const buttons: Button[] = [
      { text: 'Русский', data: `${CHOOSE_LANGUAGE}ru` },
      { text: 'English', data: `${CHOOSE_LANGUAGE}en` },
    ];
    await replyWith(scope, texts.chooseLanguage, inlineKeyboard(buttons));
  }

  async setLanguage(scope: UpdateScope, language: Language): Promise<void> {
    const { tx, chatId } = scope;
    await this.accounts.setLanguage(tx, chatId, language);
    const view = await this.viewOf(scope);
    if (view !== null && !(await this.isOfOthers(scope, view)))
      await this.interviews.setLanguage(tx, view.id, language);
    const keyboard = view?.status === 'active' ? doneKeyboard(language) : undefined;
    await replyWith(scope, telegramTextsOf(language).languageChosen, keyboard);
  }

  /** An unknown command is not part of an answer. */
  async unknown(scope: UpdateScope): Promise<void> {
    const view = await this.viewOf(scope);
    await replyWith(
      scope,
      telegramTextsOf(view?.language ?? scope.account.language).unknownCommand,
    );
  }

  /** Null: there is no interview yet. */
  async viewOf({ tx, account }: UpdateScope): Promise<ConversationView | null> {
    return account.conversationId === null ? null : this.views.view(tx, account.conversationId);
  }

  /** Null: no interview is running, and the bot has said so. */
  private async activeView(scope: UpdateScope): Promise<ConversationView | null> {
    const view = await this.viewOf(scope);
    if (view === null) await this.lookup.sayNoInterview(scope);
    else if (view.status === 'active' && !(await this.isOfOthers(scope, view))) return view;
    else await this.consentDialog.show(scope, view);
    return null;
  }

  /**
   * Whether it may be somebody else's interview: its candidate has agreed, but not from this account, or the
   * invitation was revoked or issued again since this account opened it.
   */
  private async isOfOthers(scope: UpdateScope, view: ConversationView): Promise<boolean> {
    if (scope.account.hasAgreed) return false;
    return view.consent?.accepted === true || !(await this.consentDialog.isOpen(scope, view.id));
  }
}

/** The data of the buttons of /language begin with this. */
export const CHOOSE_LANGUAGE = 'speak:';

/** Data of the buttons of /human. */
export const HUMAN = 'human:';

const HUMAN_YES = `${HUMAN}yes` as const;
const HUMAN_NO = `${HUMAN}no` as const;
const HUMAN_BACK = `${HUMAN}back` as const;

/** Data of buttons. */
export const SEND_MY_DATA = 'mydata:yes';
export const FORGET_ME = 'forget:yes';
export const KEEP_ME = 'forget:no';

/** `/mydata` and `/forget`: each asks for confirmation and then acts at once. */
@Injectable()
export class PersonalDataDialog {
  constructor(
    private readonly personalData: PersonalDataService,
    private readonly accounts: TelegramAccountRepository,
    private readonly pairs: AccountConversationRepository,
    private readonly invitations: InvitationRepository,
  ) {}

  async askToSend(scope: UpdateScope, { language }: ConversationView): Promise<void> {
    const texts = telegramTextsOf(language);
    const button: Button = { text: texts.myDataButton, data: SEND_MY_DATA };
    await replyWith(scope, texts.myDataQuestion, inlineKeyboard([button]));
  }

  /** False: none of it is this account's any more, so that nothing is sent. */
  async send(scope: UpdateScope): Promise<boolean> {
    const pairs = await this.pairs.listOf(scope.tx, accountName(scope.chatId));
    const candidateIds = candidatesOf(pairs, scope.account);
    for (const candidateId of candidateIds) {
      await scope.reply({ method: 'sendMyData', params: { candidateId } });
    }
    return candidateIds.size > 0;
  }

  /** Also for somebody without an interview, because their account is stored. */
  async askToForget(scope: UpdateScope, view: ConversationView | null): Promise<void> {
    const texts = telegramTextsOf(view?.language ?? scope.account.language);
    await replyWith(
      scope,
      texts.forgetQuestion,
      inlineKeyboard([
        { text: texts.forgetButton, data: FORGET_ME },
        { text: texts.keepButton, data: KEEP_ME },
      ]),
    );
  }

  async forget(scope: UpdateScope, view: ConversationView | null): Promise<void> {
    const texts = telegramTextsOf(view?.language ?? scope.account.language);
    const pairs = await this.pairs.listOf(scope.tx, accountName(scope.chatId));
    for (const candidateId of candidatesOf(pairs, scope.account)) {
      await this.personalData.erase(scope.tx, candidateId);
    }
    // An interview that was opened but not entered.
    await this.invitations.release(scope.tx, accountName(scope.chatId));
    await this.pairs.delete(scope.tx, [accountName(scope.chatId)]);
    await this.accounts.forget(scope.tx, scope.account);
    const isAll = !pairs.some(({ hasLostAccess }) => hasLostAccess);
    await replyWith(scope, isAll ? texts.forgotten : texts.forgottenHere, {
      remove_keyboard: true,
    });
  }

  async keep(scope: UpdateScope, view: ConversationView | null): Promise<void> {
    await replyWith(scope, telegramTextsOf(view?.language ?? scope.account.language).kept);
  }
}

/**
 * A person may have been invited several times, each time as somebody new. What they opened without
 * agreeing is theirs only while they are in it and nobody has agreed: somebody else may have it.
 */
function candidatesOf(
  pairs: readonly AccountConversation[],
  account: UpdateScope['account'],
): Set<string> {
  const own = pairs.filter(
    ({ hasAgreed, isOpen, isCandidateInterviewed, conversationId }) =>
      hasAgreed || (conversationId === account.conversationId && isOpen && !isCandidateInterviewed),
  );
  return new Set(own.map(({ candidateId }) => candidateId));
}
