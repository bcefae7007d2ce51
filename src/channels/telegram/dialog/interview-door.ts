import { Injectable } from '@nestjs/common';
import type { User } from 'telegraf/types';
import { ConversationViews, type ConversationView, Interviews } from '../../../interview';
import { LiveReplies } from '../../../streams';
import { TelegramAccounts } from '../accounts';
import { formattedParts } from '../delivery/formatted-parts';
import type { UpdateScope } from '../intake/update-scope';
import { doneKeyboard, inlineKeyboard, telegramTextsOf } from '../texts';
import { introductionOf } from './person';
import type { PressEnd } from './press-end';
import { say } from './saying';

/** Buttons below the disclosure; its version and the conversation's id follow, 52 bytes of 64. */
export const AGREE = 'agree:';
export const DECLINE = 'decline:';

/** How a person gets into an interview that has been found: disclosure, consent, first question. */
@Injectable()
export class InterviewDoor {
  constructor(
    private readonly accounts: TelegramAccounts,
    private readonly interviews: Interviews,
    private readonly views: ConversationViews,
    private readonly live: LiveReplies,
  ) {}

  /** This chat is where the interview is held from now on. */
  async enter(scope: UpdateScope, conversationId: string, user: User): Promise<void> {
    const { tx, chatId } = scope;
    await this.interviews.enter(tx, conversationId, 'telegram');
    await this.accounts.enter(tx, chatId, conversationId);
    const view = await this.views.view(tx, conversationId);
    this.ringAfter(scope, conversationId);
    if (!hasAgreed(view)) return this.show(scope, view);
    // Before consent nothing of the account is kept. A new one begins here with its first question.
    await this.interviews.introduce(tx, conversationId, introductionOf(user));
    if (view.status !== 'new') await this.show(scope, view);
  }

  /** Where the interview stands, to somebody who has just come in. */
  async show(scope: UpdateScope, view: ConversationView): Promise<void> {
    const texts = telegramTextsOf(view.language);
    switch (view.status) {
      case 'new':
      case 'declined':
        return this.disclose(scope, view);
      case 'active':
        return this.repeatQuestion(scope, view, texts.welcomeBack);
      case 'completed':
        return say(scope, texts.completed, { remove_keyboard: true });
      case 'handed_over':
        return say(scope, texts.humanAlready, { remove_keyboard: true });
      case 'withdrawn':
        return say(scope, texts.closed, { remove_keyboard: true });
    }
  }

  async disclose(scope: UpdateScope, view: ConversationView): Promise<void> {
    const { agreeButton, declineButton, howToAnswer } = telegramTextsOf(view.language);
    const { version, text } = view.disclosure;
    const heading = `${view.vacancyTitle}, ${view.company}`;
    await say(
      scope,
      `${heading}\n\n${text}\n\n${howToAnswer}`,
      inlineKeyboard([
        { text: agreeButton, data: `${AGREE}${version}:${view.id}` },
        { text: declineButton, data: `${DECLINE}${version}:${view.id}` },
      ]),
    );
  }

  /** The last thing the interviewer said, again. */
  async repeatQuestion(scope: UpdateScope, view: ConversationView, before: string): Promise<void> {
    const last = await this.views.lastSaid(scope.tx, view.id);
    await say(scope, before, doneKeyboard(view.language));
    for (const { plain } of formattedParts(last?.text ?? '')) await say(scope, plain);
  }

  /** The answer to the disclosure of a version; an older one is shown anew. */
  async answer(
    scope: UpdateScope,
    view: ConversationView,
    { version, accepted, user }: { version: string; accepted: boolean; user: User },
  ): Promise<PressEnd> {
    const isOpen = view.status === 'declined' || view.status === 'new';
    // Pressed twice: the first press has had its answer.
    if (!isOpen && accepted && hasAgreed(view)) return 'done';
    if (!isOpen) return this.showAgain(scope, view);
    if (version !== view.disclosure.version) {
      await this.disclose(scope, view);
      return 'outdated';
    }
    const { tx } = scope;
    await this.interviews.enter(tx, view.id, 'telegram');
    if (accepted) await this.interviews.introduce(tx, view.id, introductionOf(user));
    else await say(scope, telegramTextsOf(view.language).declined, { remove_keyboard: true });
    await this.interviews.consent(tx, view.id, { version, accepted });
    this.ringAfter(scope, view.id);
    return accepted ? 'agreed' : 'done';
  }

  private async showAgain(scope: UpdateScope, view: ConversationView): Promise<PressEnd> {
    await this.show(scope, view);
    return 'done';
  }

  private ringAfter(scope: UpdateScope, conversationId: string): void {
    scope.afterCommit(() => {
      this.live.committed(conversationId);
    });
  }
}

function hasAgreed({ consent }: ConversationView): boolean {
  return consent?.accepted === true;
}
