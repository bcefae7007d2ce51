import { Injectable } from '@nestjs/common';
import type { Message } from 'telegraf/types';
import type { AppendedMessage, ContentType } from '../../../buffer';
import { storable } from '../../../common/text';
import type { Tx } from '../../../common/uow';
import { type Attachment, type MessageContext, RetainedMessages } from '../../../interview';
import { BotIdentity } from '../account';
import { TelegramAccountRepository } from '../account.repository';
import type { UpdateScope } from '../intake/update-scopes';
import { authorOf, referenceOf } from './message-context';
import { CHANNEL, type MessageName, joinerOf, longTextOf } from './message-text';

/**
 * What a message has besides its text: its name in the transcript, whose words it has, what it refers to,
 * what came with it, and the long text that it continues.
 */
@Injectable()
export class MessageDetails {
  constructor(
    private readonly kept: RetainedMessages,
    private readonly accounts: TelegramAccountRepository,
    private readonly identity: BotIdentity,
  ) {}

  nameOf({ chatId }: UpdateScope, conversationId: string, message: Message): MessageName {
    const externalId = this.identity.externalIdOf(chatId, message.message_id);
    return { conversationId, channel: CHANNEL, externalId };
  }

  isKnown(tx: Tx, named: MessageName): Promise<boolean> {
    return this.kept.isKnown(tx, named);
  }

  /** Nothing of its album is stored yet, as a message of that type. */
  async isFirst(
    tx: Tx,
    conversationId: string,
    attachment: Attachment,
    contentType: ContentType,
  ): Promise<boolean> {
    return !(await this.kept.isOfKnownGroup(tx, conversationId, attachment, contentType));
  }

  /** To a message that is stored. */
  async attach(
    scope: UpdateScope,
    { conversationId, messageId }: { conversationId: string; messageId: string },
    message: Message,
    attachment: Attachment | null = null,
  ): Promise<void> {
    const all = await this.allOf(scope, conversationId, message, attachment);
    if (all !== null) await this.kept.attach(scope.tx, messageId, all);
  }

  /** To a text that was received. A client splits a long text: its parts are one text again for the model. */
  async attachToText(
    scope: UpdateScope,
    conversationId: string,
    { messageId, isNew }: AppendedMessage,
    message: Message,
  ): Promise<void> {
    await this.attach(scope, { conversationId, messageId }, message);
    if (!isNew || !('text' in message) || authorOf(message) !== null) return;
    const { tx, chatId, account } = scope;
    const sent = { messageId: message.message_id, date: message.date, text: message.text };
    const joiner = joinerOf(account.longText, sent);
    if (joiner !== null) await this.kept.joinToPrevious(tx, messageId, joiner);
    const longText = longTextOf(sent, joiner);
    if (longText !== null) await this.accounts.setLongText(tx, chatId, longText);
  }

  /** Keeps for people what gets no reply. */
  async keep(
    scope: UpdateScope,
    named: MessageName,
    message: Message,
    { text, attachment = null }: { text: string; attachment?: Attachment | null },
  ): Promise<void> {
    const all = await this.allOf(scope, named.conversationId, message, attachment);
    const kept = { ...named, text: storable(text, ' '), attachment: all };
    await this.kept.keep(scope.tx, kept);
  }

  /** Null: there is nothing besides the text. */
  private async allOf(
    scope: UpdateScope,
    conversationId: string,
    message: Message,
    attachment: Attachment | null,
  ): Promise<Attachment | null> {
    const context = await this.contextOf(scope, conversationId, message);
    if (attachment === null && Object.keys(context).length === 0) return null;
    const stored = JSON.parse(storable(JSON.stringify(context), ' ')) as object;
    return { kind: 'text', ...attachment, ...stored };
  }

  /** Whose words a message has, and what it refers to, as far as that is not what it always is. */
  private async contextOf(
    { tx, chatId }: UpdateScope,
    conversationId: string,
    message: Message,
  ): Promise<Partial<MessageContext>> {
    const author = authorOf(message);
    const reference = referenceOf(message);
    if (reference === null) return author === null ? {} : { author };
    const { messageId, quote } = reference;
    const seq =
      messageId === null
        ? null
        : await this.kept.findSeq(tx, {
            conversationId,
            channel: CHANNEL,
            externalId: this.identity.externalIdOf(chatId, messageId),
            sentId: String(messageId),
          });
    return { ...(author === null ? {} : { author }), reference: { seq, quote } };
  }
}
