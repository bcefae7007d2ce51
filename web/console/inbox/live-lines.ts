/**
 * What a watcher of an interview knows of it, changed only by these functions: the stored lines without doubles, and
 * the reply that is being written, which is no line before it is stored.
 */
import type { Owner, StreamEvent, WireMessage } from '../../src/api/wire';
import type { Transcript } from './calls';

export interface Line {
  id: string;
  seq: number;
  role: 'user' | 'assistant' | 'system';
  text: string;
  at: string;
  /** A person of the hiring team wrote it. */
  isFromPerson: boolean;
  /** A reply that was stopped: this is the part that was sent. */
  isPartial: boolean;
  kind: 'text' | 'voice' | 'file';
}

export interface LiveLines {
  lines: readonly Line[];
  /** Asks for what is older; null: these are the first lines. */
  olderCursor: number | null;
  reply: { messageId: string; text: string } | null;
  /** Null: not known yet. */
  owner: Owner | null;
  /** An answer is being collected. */
  hasBuffer: boolean;
  /** Something was missed, so that the lines have to be read again. */
  isBehind: boolean;
}

export function liveLinesOf(transcript: Transcript): LiveLines {
  return {
    lines: transcript.lines.map(lineOf),
    olderCursor: transcript.olderCursor,
    ...{ reply: null, owner: null, hasBuffer: false, isBehind: false },
  };
}

/** The newest lines were read again; what was shown before them stays. */
export function readAgain(live: LiveLines, transcript: Transcript): LiveLines {
  const fresh = transcript.lines.map(lineOf);
  const isTornOff = (transcript.olderCursor ?? 0) > lastSeqOf(live.lines);
  const isReplyStored = fresh.some(({ id }) => id === live.reply?.messageId);
  return {
    ...live,
    lines: isTornOff ? fresh : merged(live.lines, fresh),
    olderCursor: isTornOff ? transcript.olderCursor : live.olderCursor,
    reply: isReplyStored ? null : live.reply,
    isBehind: false,
  };
}

export function withOlder(live: LiveLines, transcript: Transcript): LiveLines {
  const { olderCursor } = transcript;
  return { ...live, lines: merged(transcript.lines.map(lineOf), live.lines), olderCursor };
}

export function heard(live: LiveLines, event: StreamEvent): LiveLines {
  switch (event.type) {
    case 'hello':
    case 'state': {
      const { owner, hasBuffer, replying } = event;
      const isBehind =
        live.isBehind || (event.type === 'hello' && event.lastSeq > lastSeqOf(live.lines));
      // A reply that was dropped, because a person has taken over, has no other end.
      return { ...live, owner, hasBuffer, isBehind, reply: replying ? live.reply : null };
    }
    case 'message': {
      const reply = live.reply?.messageId === event.message.id ? null : live.reply;
      return { ...live, reply, lines: merged(live.lines, [lineOfMessage(event.message)]) };
    }
    case 'start':
      if (isStored(live, event.messageId)) return live;
      return { ...live, reply: { messageId: event.messageId, text: '' } };
    case 'delta':
      return extended(live, event);
    case 'finish':
      return finished(live, event);
    case 'ended':
    case 'part':
    case 'typing':
      return live;
  }
}

function extended(
  live: LiveLines,
  { messageId, offset, text }: { messageId: string; offset: number; text: string },
): LiveLines {
  const { reply } = live;
  if (isStored(live, messageId)) return live;
  if (reply?.messageId !== messageId || offset > reply.text.length) {
    return { ...live, isBehind: true };
  }
  return { ...live, reply: { messageId, text: reply.text.slice(0, offset) + text } };
}

function finished(
  live: LiveLines,
  { messageId, seq, createdAt, partial }: Extract<StreamEvent, { type: 'finish' }>,
): LiveLines {
  const { reply } = live;
  if (isStored(live, messageId)) return live;
  if (reply?.messageId !== messageId) return { ...live, isBehind: true };
  const line: Line = {
    id: messageId,
    seq,
    role: 'assistant',
    text: reply.text,
    at: createdAt,
    isFromPerson: false,
    isPartial: partial === true,
    kind: 'text',
  };
  return { ...live, reply: null, lines: merged(live.lines, [line]) };
}

function isStored({ lines }: LiveLines, messageId: string): boolean {
  return lines.some(({ id }) => id === messageId);
}

/** What is known by its id is replaced. */
function merged(known: readonly Line[], more: readonly Line[]): Line[] {
  const byId = new Map(known.map((line) => [line.id, line]));
  for (const line of more) byId.set(line.id, line);
  return [...byId.values()].sort((a, b) => a.seq - b.seq);
}

function lastSeqOf(lines: readonly Line[]): number {
  return lines.at(-1)?.seq ?? 0;
}

function lineOf(line: Transcript['lines'][number]): Line {
  const { id, seq, role, text, at, isFromPerson, isPartial, voice, file } = line;
  const kind = voice !== null ? 'voice' : file !== null ? 'file' : 'text';
  return { id, seq, role, text, at, isFromPerson, isPartial, kind };
}

const KINDS = { TEXT: 'text', VOICE: 'voice', FILE: 'file' } as const;

function lineOfMessage(message: WireMessage): Line {
  const { id, seq, role, text, createdAt, contentType, fromPerson, partial } = message;
  return {
    ...{ id, seq, role, text, at: createdAt, kind: KINDS[contentType] },
    ...{ isFromPerson: fromPerson === true, isPartial: partial === true },
  };
}
