import { Injectable } from '@nestjs/common';
import { type AccountConversation, AccountConversationRepository } from '../../../candidates';
import { InvitationRepository } from '../../../vacancies';
import type { ConversationView } from '../../../interview';
import { PersonalDataService } from '../../../privacy';
import { TelegramAccountRepository } from '../account.repository';
import { type UpdateScope, replyWith } from '../intake/update-handling';
import { inlineKeyboard, telegramTextsOf } from '../texts/texts';
import { accountName } from '../account';

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
    const buttons = [{ text: texts.myDataButton, data: SEND_MY_DATA }];
    await replyWith(scope, texts.myDataQuestion, inlineKeyboard(buttons));
  }

  async send(scope: UpdateScope): Promise<void> {
    const pairs = await this.pairs.listOf(scope.tx, accountName(scope.chatId));
    for (const candidateId of candidatesOf(pairs, scope.account)) {
      await scope.reply({ method: 'sendMyData', params: { candidateId } });
    }
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
    const isAll = !pairs.some(({ hasLost }) => hasLost);
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
