import type { ButtonOutcome } from '../intake/update-handling';
import type { UpdateScope } from '../intake/update-scopes';
import { Injectable } from '@nestjs/common';
import type { CallbackQuery } from 'telegraf/types';
import type { ConversationView } from '../../../interview';
import { telegramTextsOf } from '../texts/texts';
import {
  Commands,
  HUMAN,
  CHOOSE_LANGUAGE,
  FORGET_ME,
  KEEP_ME,
  PersonalDataDialog,
  SEND_MY_DATA,
} from './commands';
import { InterviewLookup, VACANCY, WAY_BY_PIN, WAY_BY_SEARCH } from './interview-lookup';
import { AGREE, DECLINE, ConsentDialog, MINE, NOT_MINE } from './consent-dialog';
import { InterviewEntry, JOIN } from './invitation-join';

/** Buttons under messages. A press may come late or twice, so each is checked again. */
@Injectable()
export class ButtonHandler {
  constructor(
    private readonly commands: Commands,
    private readonly lookup: InterviewLookup,
    private readonly entry: InterviewEntry,
    private readonly consentDialog: ConsentDialog,
    private readonly personalData: PersonalDataDialog,
  ) {}

  async take(scope: UpdateScope, press: CallbackQuery): Promise<void> {
    const data = 'data' in press ? press.data : '';
    // Before the erasure, which deletes the interview.
    const view = await this.commands.viewOf(scope);
    const texts = telegramTextsOf(view?.language ?? scope.account.language);
    const end = await this.route(scope, view, press, data);
    const shown = end === 'outdated' ? texts.pressOutdated : end === 'agreed' ? texts.agreed : null;
    await scope.reply({
      method: 'answerCallbackQuery',
      params: { callback_query_id: press.id, ...(shown === null ? {} : { text: shown }) },
    });
  }

  private async route(
    scope: UpdateScope,
    view: ConversationView | null,
    press: CallbackQuery,
    data: string,
  ): Promise<ButtonOutcome> {
    if (data === WAY_BY_PIN) await this.lookup.askPin(scope);
    else if (data === WAY_BY_SEARCH) await this.lookup.askVacancy(scope);
    else if (data.startsWith(VACANCY)) {
      await this.lookup.choose(scope, press.from, data.slice(VACANCY.length));
    } else if (data === `${CHOOSE_LANGUAGE}ru` || data === `${CHOOSE_LANGUAGE}en`) {
      await this.commands.setLanguage(scope, data === `${CHOOSE_LANGUAGE}ru` ? 'ru' : 'en');
    } else if (data.startsWith(AGREE) || data.startsWith(DECLINE)) {
      return this.answerDisclosure(scope, view, press, data);
    } else if (data.startsWith(MINE) || data.startsWith(NOT_MINE)) {
      return this.answerWhetherMine(scope, press, data);
    } else if (data.startsWith(JOIN)) {
      return this.entry.join(scope, press.from, data.slice(JOIN.length));
    } else if (data.startsWith(HUMAN) && view !== null) {
      await this.commands.answerHuman(scope, view, press);
    } else return this.answerAboutData(scope, view, data);
    return 'done';
  }

  private async answerWhetherMine(
    scope: UpdateScope,
    { from: user, message }: CallbackQuery,
    data: string,
  ): Promise<ButtonOutcome> {
    if (data.startsWith(NOT_MINE))
      return this.consentDialog.disown(scope, data.slice(NOT_MINE.length));
    const [, mark = '', reference = ''] = data.split(':');
    const end = await this.consentDialog.claim(scope, { mark, reference, user });
    if (end === 'agreed') await this.removeButtons(scope, message);
    return end;
  }

  private async answerAboutData(
    scope: UpdateScope,
    view: ConversationView | null,
    data: string,
  ): Promise<ButtonOutcome> {
    if (data === FORGET_ME) await this.personalData.forget(scope, view);
    else if (data === KEEP_ME) await this.personalData.keep(scope, view);
    else if (data !== SEND_MY_DATA || view === null) return 'outdated';
    else return (await this.personalData.send(scope)) ? 'done' : 'outdated';
    return 'done';
  }

  /** Ignores the disclosure of another interview, which may be another company's. */
  private async answerDisclosure(
    scope: UpdateScope,
    view: ConversationView | null,
    { from: user, message }: CallbackQuery,
    data: string,
  ): Promise<ButtonOutcome> {
    const [answer = '', mark = '', conversationId = ''] = data.split(':');
    if (view?.id !== conversationId) return 'outdated';
    const accepted = AGREE.startsWith(answer);
    const end = await this.consentDialog.answer(scope, view, { mark, accepted, user });
    if (end === 'agreed') await this.removeButtons(scope, message);
    return end;
  }

  private async removeButtons(
    scope: UpdateScope,
    message: CallbackQuery['message'],
  ): Promise<void> {
    if (message === undefined) return;
    const params = { chat_id: scope.chatId, message_id: message.message_id };
    await scope.reply({ method: 'editMessageReplyMarkup', params });
  }
}
