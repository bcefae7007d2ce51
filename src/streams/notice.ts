import type { Tx } from '../common/uow';
import { noticeWithCommit } from '../persistence';
/**
 * What replicas tell each other. `text`: a piece of a reply that is being written, from `offset`
 * (UTF-16 units) on. `rows`: something of the conversation was committed. `lost`: notices of the
 * sender were lost, of whichever conversations.
 */
export type Notice =
  | {
      readonly kind: 'text';
      readonly conversationId: string;
      readonly turnId: string;
      readonly epoch: number;
      readonly offset: number;
      readonly text: string;
    }
  | { readonly kind: 'rows'; readonly conversationId: string }
  | { readonly kind: 'lost' };

/** In place of a conversation's id: earlier versions take it for one that nobody reads. */
const LOST = '*';

/** PostgreSQL takes less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;
/** A unit takes at most 6 bytes of JSON (`\u0001`), and the rest of a piece less than 200. */
const MAX_PIECE_UNITS = 1_200;

/** Notices in as few payloads as hold them, in order; long texts in several pieces. */
export function packNotices(notices: readonly Notice[]): string[] {
  const payloads: string[] = [];
  let items: string[] = [];
  let bytes = 2;
  for (const item of notices.flatMap(piecesOf).map(encode)) {
    const itemBytes = Buffer.byteLength(item) + 1;
    if (items.length > 0 && bytes + itemBytes > MAX_PAYLOAD_BYTES) {
      payloads.push(`[${items.join(',')}]`);
      items = [];
      bytes = 2;
    }
    items.push(item);
    bytes += itemBytes;
  }
  if (items.length > 0) payloads.push(`[${items.join(',')}]`);
  return payloads;
}

/** What cannot be read is nothing: a replica of another version may be talking. */
export function unpackNotices(payload: string): Notice[] {
  let items: unknown;
  try {
    items = JSON.parse(payload);
  } catch {
    return [];
  }
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown) => decode(item) ?? []);
}

/** Every piece ends on a whole code point. */
function piecesOf(notice: Notice): Notice[] {
  if (notice.kind !== 'text' || notice.text.length <= MAX_PIECE_UNITS) return [notice];
  const pieces: Notice[] = [];
  for (let from = 0; from < notice.text.length;) {
    let end = Math.min(from + MAX_PIECE_UNITS, notice.text.length);
    if (end < notice.text.length && isHighSurrogate(notice.text.charCodeAt(end - 1))) end -= 1;
    const text = notice.text.slice(from, end);
    pieces.push({ ...notice, offset: notice.offset + from, text });
    from = end;
  }
  return pieces;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function encode(notice: Notice): string {
  if (notice.kind === 'lost') return JSON.stringify([LOST]);
  if (notice.kind === 'rows') return JSON.stringify([notice.conversationId]);
  const { conversationId, turnId, epoch, offset, text } = notice;
  return JSON.stringify([conversationId, turnId, epoch, offset, text]);
}

function decode(item: unknown): Notice | null {
  if (!Array.isArray(item)) return null;
  const [conversationId, turnId, epoch, offset, text] = item as unknown[];
  if (typeof conversationId !== 'string') return null;
  if (item.length === 1) {
    return conversationId === LOST ? { kind: 'lost' } : { kind: 'rows', conversationId };
  }
  const isText =
    typeof turnId === 'string' &&
    Number.isSafeInteger(epoch) &&
    Number.isSafeInteger(offset) &&
    typeof text === 'string';
  if (!isText) return null;
  const [atEpoch, atOffset] = [epoch as number, offset as number];
  return { kind: 'text', conversationId, turnId, epoch: atEpoch, offset: atOffset, text };
}

/** With the commit, readers of the conversation on every replica look at its rows again. */
export function tellWithCommit(tx: Tx, conversationId: string): Promise<void> {
  return noticeWithCommit(tx, packNotices([{ kind: 'rows', conversationId }]));
}
