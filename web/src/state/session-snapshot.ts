/** All that the components show of a conversation, as one immutable value. */
import type { ConversationView, InviteView } from '../api/wire';
import { announce, silenced, silentStart } from './announcements';
import type { Announcer } from './announcements';
import { initialState, reduce } from './conversation';
import type { ConversationAction, ConversationState } from './conversation';
import type { AttachmentItem } from './attachments';
import type { OutboxItem } from './outbox';
import type { RecorderState } from './recorder';

export interface SessionSnapshot {
  conversation: ConversationState;
  outbox: readonly OutboxItem[];
  /** Files that are being sent. */
  attachments: readonly AttachmentItem[];
  announcer: Announcer;
  /** The server no longer knows this session: the page must open the link again. */
  isSessionLost: boolean;
  recorder: RecorderState;
  /** This browser can record, and the server transcribes. */
  canRecord: boolean;
  /** Done was pressed, and the reply has not begun yet. */
  isFinishing: boolean;
  /** The last Done did not reach the server, and nothing was written since. */
  hasDoneFailed: boolean;
  /** When the answer is taken, by this browser's clock; null when that is not known. */
  due: { atMs: number } | null;
}

export type SessionEnd = 'erased' | 'left';

export interface SessionEnds {
  /** How the candidate came in, and can come back. */
  wayBack: InviteView['kind'];
  /** Nothing of the conversation is left in this browser. */
  onEnded: (how: SessionEnd) => void;
}

export function initialSnapshot(
  view: ConversationView,
  {
    outbox,
    hasMicrophone,
    nowMs,
  }: { outbox: readonly OutboxItem[]; hasMicrophone: boolean; nowMs: number },
): SessionSnapshot {
  const conversation = initialState(view);
  return {
    conversation,
    outbox,
    attachments: [],
    announcer: silentStart(conversation),
    isSessionLost: false,
    recorder: { kind: 'idle' },
    canRecord: hasMicrophone && view.voice,
    isFinishing: false,
    hasDoneFailed: false,
    due: dueAfter(view.dueInMs, nowMs),
  };
}

function dueAfter(dueInMs: number | null, nowMs: number): SessionSnapshot['due'] {
  return dueInMs === null ? null : { atMs: nowMs + dueInMs };
}

/** What changes on the page, and what a screen reader announces of it. */
export function advanced(
  snapshot: SessionSnapshot,
  action: ConversationAction,
  nowMs: number,
): Pick<SessionSnapshot, 'conversation' | 'announcer' | 'isFinishing' | 'due'> {
  const { conversation: before, announcer } = snapshot;
  const conversation = reduce(before, action);
  const isOld = action.type === 'olderViewed';
  const heard = isOld ? silenced(announcer, action.page.messages) : announcer;
  const dueInMs = dueInMsOf(action);
  return {
    conversation,
    announcer: announce(heard, conversation),
    isFinishing: snapshot.isFinishing && isStillWaiting(before, conversation),
    due: dueInMs === undefined ? snapshot.due : dueAfter(dueInMs, nowMs),
  };
}

/** Whether what follows Done has still to come: a reply, a notice, or the end of the interview. */
function isStillWaiting(before: ConversationState, after: ConversationState): boolean {
  const { view, reply, messages } = after;
  if (view.status !== 'active' || (reply !== null && reply.text !== '')) return false;
  const others = (list: ConversationState['messages']) =>
    list.filter(({ role }) => role !== 'user').length;
  if (others(messages) > others(before.messages)) return false;
  const isPending = ({ hasBuffer, replying }: ConversationState['view']) => hasBuffer || replying;
  return isPending(view) || !isPending(before.view);
}

/** Undefined: the action says nothing about it. */
function dueInMsOf(action: ConversationAction): number | null | undefined {
  if (action.type === 'viewed') return action.view.dueInMs;
  if (action.type !== 'heard') return undefined;
  const { event } = action;
  return event.type === 'state' || event.type === 'hello' ? (event.dueInMs ?? null) : undefined;
}
