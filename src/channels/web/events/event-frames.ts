import type { ConversationSnapshot, MessageRow } from '../../../interview';
import type { ReplyPart, StoredReply } from '../../../streams';
import { messageJson } from '../conversation.dto';

/**
 * Where a reader of `/events` is inside a reply: `<turn>.<epoch>.<offset in UTF-16 units>`. The
 * turn's id is unique, so an id of another conversation is never mistaken for one of this.
 */
export interface EventId {
  readonly turnId: string;
  readonly epoch: number;
  readonly offset: number;
}

/** Digits that are sure to fit a bigint, and numbers that are exact. */
const FORM = /^([1-9]\d{0,17})\.(\d{1,9})\.(\d{1,9})$/;

export function formatEventId({ turnId, epoch, offset }: EventId): string {
  return `${turnId}.${epoch}.${offset}`;
}

/** Undefined for anything that this server did not send. */
export function parseEventId(raw: string | undefined): EventId | undefined {
  const [, turnId, epoch, offset] = FORM.exec(raw ?? '') ?? [];
  if (turnId === undefined) return undefined;
  return { turnId, epoch: Number(epoch), offset: Number(offset) };
}

/** The frames of `/events`. Only frames of a reply carry an id: only inside a reply is resumed. */

/** One generation of a reply's text. */
export interface ReplyPlace {
  readonly messageId: string;
  readonly turnId: string;
  readonly epoch: number;
}

export function helloFrame(conversationId: string, moment: ConversationSnapshot): string {
  const { lastSeq } = moment;
  return frame('hello', { conversationId, lastSeq, ...stateOf(moment) });
}

export function stateFrame(moment: ConversationSnapshot): string {
  return frame('state', stateOf(moment));
}

export function messageFrame(line: MessageRow): string {
  return frame('message', messageJson(line));
}

/** A reply begins; of a message that was begun before, it begins again. */
export function startFrame({ messageId, turnId, epoch }: ReplyPlace): string {
  const data = { messageId, turnSeq: Number(turnId), epoch };
  return frame('start', data, formatEventId({ turnId, epoch, offset: 0 }));
}

export function deltaFrame(place: ReplyPlace, offset: number, text: string): string {
  if (text === '') return '';
  const { messageId, turnId, epoch } = place;
  const id = formatEventId({ turnId, epoch, offset: offset + text.length });
  return frame('delta', { messageId, offset, text }, id);
}

/** Who speaks, a tool that is called, what it gave; of a reply that may not have begun yet. */
export function partFrame({ messageId }: ReplyPlace, part: ReplyPart): string {
  return frame('part', { messageId, ...part });
}

/** Only of a reply that is stored: its text is whole. */
export function finishFrame(messageId: string, stored: StoredReply): string {
  const { seq, createdAt, isPartial } = stored;
  return frame('finish', { messageId, seq, createdAt, ...(isPartial ? { partial: true } : {}) });
}

/** The last one: the reader's session has ended, and nothing more is theirs to read. */
export function endedFrame(): string {
  return frame('ended', { reason: 'session_ended' });
}

function stateOf(moment: ConversationSnapshot) {
  const { lastSeq: _, ...state } = moment;
  return state;
}

function frame(event: string, data: object, id?: string): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return `${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
