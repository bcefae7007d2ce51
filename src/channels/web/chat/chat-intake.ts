import { Injectable } from '@nestjs/common';
import { ProblemError } from '../../../common/http';
import { newId } from '../../../common/ids';
import type { Tx } from '../../../common/uow';
import { Answers, ConversationViews, InterviewService } from '../../../interview';
import { type ChatBody, type SentMessage, userMessages } from './chat-body.dto';

/** New messages of one request: they share one commit and its lock on the conversation. */
const MAX_NEW_MESSAGES = 50;
/** Their characters, altogether: four of the longest messages. */
const MAX_NEW_CHARS = 64_000;

/** The answer whose reply a request waits for. */
export interface AwaitedAnswer {
  readonly conversationId: string;
  readonly bufferId: string;
  readonly chatId: string;
  /** The newest request of this chat for this answer: a newer one takes this one's place. */
  readonly requestId: string | undefined;
}

/** Takes what a chat client posted into the conversation. Runs inside the caller's commit. */
@Injectable()
export class ChatIntake {
  constructor(
    private readonly interviews: InterviewService,
    private readonly answers: Answers,
    private readonly views: ConversationViews,
  ) {}

  /** Stores the messages with unknown ids, and answers what the request waits for. */
  async take(tx: Tx, conversationId: string, body: ChatBody): Promise<AwaitedAnswer> {
    const bufferId = await this.findBuffer(tx, conversationId, body);
    const of = { conversationId, bufferId, chatId: body.id };
    return { ...of, requestId: await this.answers.newestRequest(tx, of) };
  }

  /**
   * The buffer whose reply the request waits for: that of its newest message, or when it brings
   * none the pending or the last one.
   */
  private async findBuffer(tx: Tx, conversationId: string, body: ChatBody): Promise<string> {
    await this.assertOwnChat(tx, conversationId, body.id);
    const sent = userMessages(body);
    const known = await this.answers.knownMessages(tx, conversationId, idsOf(sent));
    const isRegenerating = body.trigger === 'regenerate-message';
    const isNew = ({ id }: SentMessage): boolean => !known.ids.has(id);
    const bufferId = isRegenerating
      ? undefined
      : await this.receive(tx, conversationId, body.id, sent.filter(isNew));
    if (bufferId !== undefined) return bufferId;
    const last = sent.findLast(({ id }) => known.ids.has(id));
    const stored = known.last;
    if (!isRegenerating && stored !== undefined && stored.text !== last?.text) {
      throw new ProblemError(
        409,
        'message_id_reused',
        'This message id was used for another text.',
      );
    }
    const pending = isRegenerating
      ? await this.answers.findOldestLive(tx, conversationId)
      : undefined;
    const found =
      pending ?? stored?.bufferId ?? (await this.answers.findToReplay(tx, conversationId));
    if (found !== undefined) return found;
    throw new ProblemError(422, 'nothing_to_answer', 'There is no message to answer.');
  }

  /** A chat may be called anything but by the name of somebody else's conversation. */
  async assertOwnChat(tx: Tx, conversationId: string, chatId: string): Promise<void> {
    if (chatId === conversationId) return;
    if (await this.views.exists(tx, chatId)) {
      throw new ProblemError(404, 'conversation_unknown', 'There is no such conversation.');
    }
  }

  private async receive(
    tx: Tx,
    conversationId: string,
    chatId: string,
    messages: readonly SentMessage[],
  ): Promise<string | undefined> {
    if (messages.length > MAX_NEW_MESSAGES) {
      throw new ProblemError(422, 'too_many_messages', 'Too many new messages at once.');
    }
    if (messages.reduce((chars, { text }) => chars + text.length, 0) > MAX_NEW_CHARS) {
      throw new ProblemError(422, 'too_much_text', 'Too much new text at once.');
    }
    let bufferId: string | undefined;
    for (const { id, text } of messages) {
      const message = { conversationId, channel: 'web', externalId: id, text } as const;
      bufferId = (await this.interviews.receive(tx, message)).bufferId;
    }
    if (messages.length > 0) {
      const request = { id: newId(), chatId, messageIds: idsOf(messages) };
      await this.answers.markRequest(tx, conversationId, request);
    }
    return bufferId;
  }
}

function idsOf(messages: readonly SentMessage[]): string[] {
  return messages.map(({ id }) => id);
}
