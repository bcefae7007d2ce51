import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { clientId } from '../conversation-bodies.dto';
import { Injectable } from '@nestjs/common';
import { BufferService } from '../../../buffer';
import { ProblemError } from '../../../common/http';
import { newId } from '../../../common/ids';
import type { Tx } from '../../../common/uow';
import { PendingAnswers, ConversationViews } from '../../../interview';

/** Stores what a chat client posted in the conversation. Runs inside the caller's commit. */
@Injectable()
export class ChatIntake {
  constructor(
    private readonly buffer: BufferService,
    private readonly answers: PendingAnswers,
    private readonly views: ConversationViews,
  ) {}

  /** Stores the messages with unknown ids; returns the answer that the request waits for. */
  async take(tx: Tx, conversationId: string, body: ChatBody): Promise<AwaitedAnswer> {
    const answerId = await this.findBuffer(tx, conversationId, body);
    const of = { conversationId, answerId, chatId: body.id };
    return { ...of, requestId: await this.answers.newestRequest(tx, of) };
  }

  /**
   * The buffer whose reply the request waits for: the one of its newest message. Without a message:
   * the pending one, else the last one.
   */
  private async findBuffer(tx: Tx, conversationId: string, body: ChatBody): Promise<string> {
    await this.assertOwnChat(tx, conversationId, body.id);
    const sent = userMessages(body);
    const known = await this.answers.knownMessages(tx, conversationId, idsOf(sent));
    const isRegenerating = body.trigger === 'regenerate-message';
    const isNew = ({ id }: SentMessage): boolean => !known.ids.has(id);
    const answerId = isRegenerating
      ? undefined
      : await this.receive(tx, conversationId, body.id, sent.filter(isNew));
    if (answerId !== undefined) return answerId;
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
      pending ?? stored?.answerId ?? (await this.answers.findToReplay(tx, conversationId));
    if (found !== undefined) return found;
    throw new ProblemError(422, 'nothing_to_answer', 'There is no message to reply to.');
  }

  /** Throws ProblemError when the chat's id is the id of somebody else's conversation. */
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
    let answerId: string | undefined;
    for (const { id, text } of messages) {
      const message = { conversationId, channel: 'web', externalId: id, text } as const;
      answerId = (await this.buffer.append(tx, message)).answerId;
    }
    if (messages.length > 0) {
      const request = { id: newId(), chatId, messageIds: idsOf(messages) };
      await this.answers.markRequest(tx, conversationId, request);
    }
    return answerId;
  }
}

/** New messages of one request, which share one commit and its lock on the conversation. */
const MAX_NEW_MESSAGES = 50;
/** Characters of all of them together: four of the longest messages. */
const MAX_NEW_CHARS = 64_000;

const part = z.looseObject({ type: z.string(), text: z.string().optional() });

const userMessage = z.looseObject({
  role: z.literal('user'),
  id: clientId,
  parts: z.array(part).max(1000),
});

/** The client's copy of messages that are not the user's. Its content is not read. */
const otherMessage = z.looseObject({ role: z.string().refine((role) => role !== 'user') });

/**
 * What the AI SDK's transport posts: the whole history each time. Only new user messages are used;
 * the rest is ignored, because the client may have changed it. Extra fields are allowed.
 */
export class ChatBody extends createZodDto(
  z.looseObject({
    id: clientId,
    messages: z.array(z.union([userMessage, otherMessage])).max(5000),
    trigger: z.string().optional(),
  }),
) {}

/** The answer whose reply a request waits for. */
export interface AwaitedAnswer {
  readonly conversationId: string;
  readonly answerId: string;
  readonly chatId: string;
  /** The newest request of this chat for this answer; a newer one supersedes it. */
  readonly requestId: string | undefined;
}

/** The user's messages in the client's order, each with its text. */
export function userMessages({ messages }: ChatBody): SentMessage[] {
  return messages.filter(isOfUser).map(({ id, parts }) => ({
    id,
    text: parts
      .filter(({ type }) => type === 'text')
      .map(({ text }) => text ?? '')
      .join('\n'),
  }));
}

export interface SentMessage {
  readonly id: string;
  readonly text: string;
}

function isOfUser(message: { role: string }): message is z.infer<typeof userMessage> {
  return message.role === 'user';
}

function idsOf(messages: readonly SentMessage[]): string[] {
  return messages.map(({ id }) => id);
}

/** A request that waits for a reply which has not begun. */
export interface PendingRequest {
  /** A newer request of the same chat waits for the same reply: this one must end. */
  readonly isSuperseded: boolean;
  /** The request waits no longer. */
  release(): void;
}

interface Waiting {
  isSuperseded: boolean;
  readonly wakeSignal: { wake(signal: 'rows'): void };
}

/**
 * Requests of this process that wait for a reply which has not begun. Several messages of one answer
 * get one reply, once: of one chat only the newest request for an answer waits, and the older ones
 * end. A request for an earlier answer keeps waiting, because no other would stream that reply.
 */
@Injectable()
export class PendingRequests {
  private readonly waiting = new Map<string, Waiting>();

  add(
    answer: {
      readonly conversationId: string;
      readonly chatId: string;
      readonly answerId: string;
    },
    wakeSignal: Waiting['wakeSignal'],
  ): PendingRequest {
    const key = JSON.stringify([answer.conversationId, answer.answerId, answer.chatId]);
    const older = this.waiting.get(key);
    if (older !== undefined) {
      older.isSuperseded = true;
      older.wakeSignal.wake('rows');
    }
    const added: Waiting = { isSuperseded: false, wakeSignal };
    this.waiting.set(key, added);
    return {
      get isSuperseded() {
        return added.isSuperseded;
      },
      release: () => {
        if (this.waiting.get(key) === added) this.waiting.delete(key);
      },
    };
  }
}
