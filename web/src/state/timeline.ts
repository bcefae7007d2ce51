/**
 * The transcript as the page shows it: stored messages, the reply being written and the outbox,
 * joined and gathered into groups of one speaker. Pure.
 */
import type { WireFile, WireMessage } from '../api/wire';
import type { ConversationState } from './conversation';
import type { OutboxItem } from './outbox';
import { isAway, isStopped, openQuestion } from './answer-status';

export interface InterviewerLine {
  key: string;
  text: string;
  /** Where its question begins; null: it asks none. */
  questionAt: number | null;
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
  /** `isAway`: the interviewer is away now. */
  | { speaker: 'system'; key: string; text: string; isAway: boolean }
  /** The open question once more, because a reply was stopped. */
  | { speaker: 'question'; key: string; text: string };

export function timeline(state: ConversationState, outbox: readonly OutboxItem[]): TimelineGroup[] {
  const groups: TimelineGroup[] = [];
  const reply = state.reply;
  const awayNotice = isAway(state)
    ? state.messages.findLast(({ notice }) => notice === 'interviewer_away')
    : null;
  let isReplyShown = reply === null || reply.text === '';
  const showReply = () => {
    isReplyShown = true;
    if (!reply) return;
    const { messageId: key, text } = reply;
    const questionAt = reply.question?.start ?? null;
    const line = { key, text, questionAt, isBeingWritten: true, wasStopped: false };
    addInterviewerLine(groups, 'interviewer', line);
  };
  for (const message of state.messages) {
    if (!isReplyShown && reply && message.place > reply.place) showReply();
    const { id, text } = message;
    if (message.role === 'assistant') {
      const wasStopped = message.partial === true;
      const speaker = message.fromPerson === true ? 'person' : 'interviewer';
      const questionAt = message.question?.start ?? null;
      const line = { key: id, text, questionAt, isBeingWritten: false, wasStopped };
      addInterviewerLine(groups, speaker, line);
    } else if (message.role === 'user') {
      const key = keyOf(message);
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
      const isAwayNow = message.notice === 'interviewer_away' && message === awayNotice;
      groups.push({ speaker: 'system', key: id, text, isAway: isAwayNow });
    }
  }
  if (!isReplyShown) showReply();
  const known = new Set(state.messages.map(({ clientId }) => clientId));
  for (const { id: key, text, writtenAt: at, state: itemState, code } of outbox) {
    if (known.has(key)) continue;
    const unsent = { messageId: '', voice: null, file: null };
    addOwnLine(groups, { key, text, at, state: itemState, code, ...unsent });
  }
  const question = isStopped(state, outbox) ? openQuestion(state) : null;
  if (question) groups.push({ speaker: 'question', key: 'open-question', text: question.text });
  return withLastingKeys(groups, state);
}

/**
 * A group keeps its key, and what is open in it, when a line joins it: a new one at its end, or an older
 * one before its first. So its key is that of its first line on the page as it was opened; a group of older
 * lines alone, to whose end nothing comes, has that of its last.
 */
function withLastingKeys(
  groups: TimelineGroup[],
  { messages, firstPlace }: ConversationState,
): TimelineGroup[] {
  const older = new Set<string>();
  for (const message of messages) if (message.place < firstPlace) older.add(keyOf(message));
  if (older.size === 0) return groups;
  return groups.map((group) => {
    if (!('lines' in group)) return group;
    const keys = group.lines.map(({ key }) => key);
    const key = keys.find((one) => !older.has(one)) ?? keys.at(-1) ?? group.key;
    return { ...group, key };
  });
}

/** The same before and after a message has arrived. */
function keyOf({ role, clientId, id }: WireMessage): string {
  return role === 'user' ? (clientId ?? id) : id;
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
