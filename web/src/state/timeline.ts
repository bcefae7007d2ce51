/**
 * The transcript as the page shows it: stored messages, the reply being written and the outbox,
 * joined and gathered into groups of one speaker. Pure.
 */
import type { WireFile, WireMessage } from '../api/wire';
import type { ConversationState } from './conversation';
import type { OutboxItem } from './outbox';

export interface InterviewerLine {
  key: string;
  text: string;
  isBeingWritten: boolean;
  wasStopped: boolean;
}

export interface OwnLine {
  key: string;
  text: string;
  at: string;
  state: 'sent' | OutboxItem['state'];
  code: string;
  /** The server's id; empty for a message that has not arrived. */
  messageId: string;
  /** Null for a text message. */
  voice: 'transcribing' | 'heard' | null;
  /** Null for what is no file. */
  file: WireFile | null;
}

export type TimelineGroup =
  | { speaker: 'interviewer' | 'person'; key: string; lines: InterviewerLine[] }
  | { speaker: 'candidate'; key: string; lines: OwnLine[] }
  | { speaker: 'system'; key: string; text: string };

export function timeline(state: ConversationState, outbox: readonly OutboxItem[]): TimelineGroup[] {
  const groups: TimelineGroup[] = [];
  const reply = state.reply;
  let isReplyShown = reply === null || reply.text === '';
  const showReply = () => {
    isReplyShown = true;
    if (!reply) return;
    const { messageId: key, text } = reply;
    const line = { key, text, isBeingWritten: true, wasStopped: false };
    addInterviewerLine(groups, 'interviewer', line);
  };
  for (const message of state.messages) {
    if (!isReplyShown && reply && message.place > reply.place) showReply();
    const { id, text } = message;
    if (message.role === 'assistant') {
      const wasStopped = message.partial === true;
      const speaker = message.fromPerson === true ? 'person' : 'interviewer';
      addInterviewerLine(groups, speaker, { key: id, text, isBeingWritten: false, wasStopped });
    } else if (message.role === 'user') {
      const key = message.clientId ?? id;
      addOwnLine(groups, {
        key,
        text,
        at: message.createdAt,
        state: 'sent',
        code: '',
        messageId: id,
        voice: voiceOf(message),
        file: message.file ?? null,
      });
    } else {
      // A message of the system, or of a kind that this page does not know.
      groups.push({ speaker: 'system', key: id, text });
    }
  }
  if (!isReplyShown) showReply();
  const known = new Set(state.messages.map(({ clientId }) => clientId));
  for (const { id: key, text, writtenAt: at, state: itemState, code } of outbox) {
    if (known.has(key)) continue;
    const unsent = { messageId: '', voice: null, file: null };
    addOwnLine(groups, { key, text, at, state: itemState, code, ...unsent });
  }
  return groups;
}

function voiceOf({ contentType, transcribing }: WireMessage): OwnLine['voice'] {
  if (contentType !== 'VOICE') return null;
  return transcribing === true ? 'transcribing' : 'heard';
}

function addInterviewerLine(
  groups: TimelineGroup[],
  speaker: 'interviewer' | 'person',
  line: InterviewerLine,
): void {
  const last = groups.at(-1);
  if (last?.speaker === speaker) last.lines.push(line);
  else groups.push({ speaker, key: line.key, lines: [line] });
}

function addOwnLine(groups: TimelineGroup[], line: OwnLine): void {
  const last = groups.at(-1);
  if (last?.speaker === 'candidate') last.lines.push(line);
  else groups.push({ speaker: 'candidate', key: line.key, lines: [line] });
}
