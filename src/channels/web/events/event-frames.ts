import type { ConversationSnapshot, MessageRow } from '../../../interview';
import type { ReplyPart, StoredReply } from '../../../streams';
import { messageJson, timeJson } from '../conversation.dto';
import type { EventData, EventName } from './event-schemas';

/**
 * The frames of `/events` and their ids. Only frames of a reply carry an id, because a reader resumes
 * only inside a reply.
 *
 * An id is `<turn>.<epoch>.<offset in UTF-16 units>.<number of the last message that was sent>`. The
 * turn's id is unique, so an id of another conversation never names a place in this one. The last part
 * is needed because the text of a new reply can be sent before the messages that were stored before it.
 */
export interface EventId {
  readonly turnId: string;
  readonly epoch: number;
  readonly offset: number;
  /** Undefined in an id of an older version. */
  readonly lastSeq: number | undefined;
}

/** So many digits fit a bigint, and so many an exact number. */
const FORM = /^([1-9]\d{0,17})\.(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?$/;

function formatEventId(place: ReplyPlace, offset: number, lastSeq: number): string {
  return `${place.turnId}.${place.epoch}.${offset}.${lastSeq}`;
}

/** Undefined for anything that this server cannot have sent. */
export function parseEventId(raw: string | undefined): EventId | undefined {
  const [, turnId, epoch, offset, lastSeq] = FORM.exec(raw ?? '') ?? [];
  if (turnId === undefined) return undefined;
  return {
    turnId,
    epoch: Number(epoch),
    offset: Number(offset),
    lastSeq: lastSeq === undefined ? undefined : Number(lastSeq),
  };
}

/** One generation of a reply's text. */
export interface ReplyPlace {
  readonly messageId: string;
  readonly turnId: string;
  readonly epoch: number;
}

export function helloFrame(conversationId: string, snapshot: ConversationSnapshot): string {
  const { lastSeq } = snapshot;
  return frame('hello', { conversationId, lastSeq, ...stateOf(snapshot) });
}

export function stateFrame(snapshot: ConversationSnapshot): string {
  return frame('state', stateOf(snapshot));
}

export function messageFrame(line: MessageRow): string {
  return frame('message', messageJson(line));
}

/** A reply begins. For a message that has begun before: it begins again, without its earlier text. */
export function startFrame(place: ReplyPlace, lastSeq: number): string {
  const { messageId, turnId, epoch } = place;
  const data = { messageId, turnSeq: Number(turnId), epoch };
  return frame('start', data, formatEventId(place, 0, lastSeq));
}

export function deltaFrame(
  place: ReplyPlace,
  offset: number,
  text: string,
  lastSeq: number,
): string {
  if (text === '') return '';
  const id = formatEventId(place, offset + text.length, lastSeq);
  return frame('delta', { messageId: place.messageId, offset, text }, id);
}

/**
 * The agent that speaks, a tool call or its result: the reply may not have begun yet. Or which part of
 * the text is a question of the plan: after `start`, before that part is written.
 */
export function partFrame({ messageId }: ReplyPlace, part: ReplyPart): string {
  return frame('part', { messageId, ...part });
}

/** Only for a stored reply: its text is complete. */
export function finishFrame(messageId: string, stored: StoredReply): string {
  const { seq, createdAt, isPartial, question } = stored;
  return frame('finish', {
    messageId,
    seq,
    createdAt: createdAt.toISOString(),
    ...(isPartial ? { partial: true } : {}),
    ...(question === null ? {} : { question }),
  });
}

/** The last frame: the reader's session has ended. */
export function endedFrame(): string {
  return frame('ended', { reason: 'session_ended' });
}

function stateOf(snapshot: ConversationSnapshot): EventData<'state'> {
  const { lastSeq: _, dueAt, progress, ...state } = snapshot;
  return { ...state, progress: { ...progress }, dueAt: timeJson(dueAt) };
}

function frame<Name extends EventName>(event: Name, data: EventData<Name>, id?: string): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return `${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
