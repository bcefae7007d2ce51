import { isStorable } from '../common/text';
import {
  BlankMessageError,
  InvalidTextError,
  MessageTooLongError,
  AudioFullError,
  ConversationFullError,
  FilesFullError,
  MessageIdReusedError,
} from './errors';
import { Injectable } from '@nestjs/common';
import { type ChannelName, ChannelRegistry } from '../channels';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { newId } from '../common/ids';
import type { Tx } from '../common/uow';

import { ReplicaId } from '../jobs';
import * as sql from './buffer.repository';
import { run } from './debounce.repository';
import { limitsOf, messageWindowMs } from './debounce-windows';

/** Longest message, in UTF-16 units. */
export const MAX_MESSAGE_UNITS = 16_000;

/** Anything but white space, control, zero-width and other invisible characters. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** What a message weighs in its buffer. */
export function weightOf(text: string): number {
  return text.length;
}

/** Throws InvalidTextError, MessageTooLongError or BlankMessageError. */
export function assertMessageText(text: string): void {
  assertStorable(text, 'text');
  if (text.length > MAX_MESSAGE_UNITS) {
    throw new MessageTooLongError(`a message has at most ${MAX_MESSAGE_UNITS} characters`, {
      fields: { length: text.length, max: MAX_MESSAGE_UNITS },
    });
  }
  if (isBlank(text)) throw new BlankMessageError('the message is blank');
}

/** Throws InvalidTextError. */
export function assertStorable(value: string, name: 'text' | 'id' | 'question'): void {
  if (isStorable(value)) return;
  throw new InvalidTextError(`the ${name} of the message has characters that cannot be stored`, {
    fields: { name },
  });
}

/** Nothing in it that anybody could see. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** A text; a voice, whose text is its transcript; a file, whose text is its name. */
export type ContentType = 'TEXT' | 'VOICE' | 'FILE';

export interface NewMessage {
  readonly conversationId: string;
  readonly channel: ChannelName;
  /** The channel's own id of the message; with the conversation and channel it names it for ever. */
  readonly externalId: string;
  readonly text: string;
  readonly contentType?: ContentType;
  /** The question that was waiting when it came. */
  readonly questionContext?: string | null;
  /** A voice whose transcript comes later by `settleHold`; its text counts as empty until then. */
  readonly isHeld?: boolean;
  /** Of a voice or a file: its size, as far as it is known. */
  readonly audioBytes?: number;
}

export interface AppendedMessage {
  readonly messageId: string;
  readonly seq: number;
  readonly bufferId: string;
  /** When the buffer is due; of a redelivery after its claim a time that has passed. */
  readonly dueAt: Date;
  /** False for a redelivery, which changed nothing. */
  readonly isNew: boolean;
}

/** How messages get into buffers. */
@Injectable()
export class MessageIntake {
  private readonly settings;
  private readonly limits;
  private readonly conversationLimits;

  constructor(
    settings: Settings,
    private readonly clock: Clock,
    private readonly replica: ReplicaId,
    private readonly channels: ChannelRegistry,
  ) {
    this.settings = settings.buffer;
    this.limits = limitsOf(settings.buffer);
    this.conversationLimits = settings.conversationLimits;
  }

  /** A new message, or with `amends` the correction of one that was claimed already. */
  async store(tx: Tx, message: NewMessage, amends: string | null): Promise<AppendedMessage> {
    const stored = await this.append(tx, message, { amends, fromCandidate: false });
    if (typeof stored !== 'string') return stored;
    throw new Error('a message for a conversation that does not exist');
  }

  /** A candidate's message, in one statement: only into an interview that is open. */
  receive(tx: Tx, message: NewMessage): Promise<AppendedMessage | sql.NotOpen> {
    return this.append(tx, message, { amends: null, fromCandidate: true });
  }

  private async append(
    tx: Tx,
    message: NewMessage,
    { amends, fromCandidate }: { amends: string | null; fromCandidate: boolean },
  ): Promise<AppendedMessage | sql.NotOpen> {
    const { conversationId, channel, externalId, isHeld = false } = message;
    const text = isHeld ? '' : message.text;
    if (!isHeld) assertMessageText(text);
    assertStorable(externalId, 'id');
    const [row] = await run<sql.AppendedRow>(
      tx,
      sql.append(
        {
          id: newId(),
          conversationId,
          channel,
          externalId,
          contentType: isHeld ? 'VOICE' : (message.contentType ?? 'TEXT'),
          text,
          questionContext: message.questionContext ?? null,
          amends,
          audioBytes: message.audioBytes ?? 0,
          fromCandidate,
        },
        this.joining(channel, weightOf(text), isHeld),
        this.conversationLimits,
      ),
    );
    if (row === undefined) return 'unknown';
    if (row.refusedBy !== null) return notOpen(row.refusedBy, message);
    // A text under the id of a voice or a file would be taken for its redelivery, and lost.
    if (row.hasOtherText) throw reused(row.messageId);
    const { messageId, seq, bufferId, dueAt, isNew } = row;
    return { messageId, seq, bufferId, dueAt, isNew };
  }

  /** The buffer that a stored message of this weight joins. Under the conversation's lock. */
  async join(
    tx: Tx,
    message: { conversationId: string; channel: ChannelName; weight: number },
  ): Promise<{ bufferId: string }> {
    const joining = this.joining(message.channel, message.weight, false);
    const [row] = await run<{ bufferId: string }>(tx, sql.join(message.conversationId, joining));
    if (row === undefined) throw new Error('a buffer was neither found nor opened');
    return row;
  }

  private joining(channel: ChannelName, weight: number, isHeld: boolean): sql.InvitationJoin {
    return {
      weight,
      holds: isHeld ? 1 : 0,
      windowMs: messageWindowMs(this.settings, this.channels.get(channel)),
      limits: this.limits,
      replica: this.replica.value,
      now: this.clock.databaseNow(),
    };
  }
}

/** Throws for a limit: the message's own refusal. */
function notOpen(
  refusedBy: NonNullable<sql.AppendedRow['refusedBy']>,
  { contentType }: NewMessage,
): sql.NotOpen {
  switch (refusedBy) {
    case 'audio':
      if (contentType === 'FILE') {
        throw new FilesFullError('this conversation takes no more files; text is still welcome');
      }
      throw new AudioFullError('this conversation takes no more audio; text is still welcome');
    case 'messages':
    case 'chars':
      throw new ConversationFullError('this conversation takes no more messages like this one', {
        fields: { limit: refusedBy },
      });
    case 'unknown':
    case 'closed':
    case 'consent':
    case 'profile':
      return refusedBy;
  }
}

function reused(messageId: string): MessageIdReusedError {
  return new MessageIdReusedError('this message id was used for another message', {
    fields: { messageId },
  });
}
