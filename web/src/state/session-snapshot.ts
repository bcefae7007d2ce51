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
  { outbox, hasMicrophone }: { outbox: readonly OutboxItem[]; hasMicrophone: boolean },
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
  };
}

/** What changes on the page, and what a screen reader announces of it. */
export function advanced(
  { conversation: before, announcer }: SessionSnapshot,
  action: ConversationAction,
): Pick<SessionSnapshot, 'conversation' | 'announcer'> {
  const conversation = reduce(before, action);
  const isOld = action.type === 'olderViewed';
  const heard = isOld ? silenced(announcer, action.page.messages) : announcer;
  return { conversation, announcer: announce(heard, conversation) };
}
