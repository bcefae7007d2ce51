/** All that the components draw of a conversation, as one immutable value. */
import type { ConversationView } from '../api/wire';
import { silentStart } from './announcements';
import type { Announcer } from './announcements';
import { initialState } from './conversation';
import type { ConversationState } from './conversation';
import type { OutboxItem } from './outbox';
import type { RecorderState } from './recorder';

export interface SessionSnapshot {
  conversation: ConversationState;
  outbox: readonly OutboxItem[];
  announcer: Announcer;
  /** The server no longer knows this browser: the page must open the link again. */
  isSessionLost: boolean;
  recorder: RecorderState;
  /** This browser can record, and the server listens. */
  canRecord: boolean;
  /** Done was pressed and the answer has not been taken up yet. */
  isFinishing: boolean;
}

export function initialSnapshot(
  view: ConversationView,
  { outbox, hasMicrophone }: { outbox: readonly OutboxItem[]; hasMicrophone: boolean },
): SessionSnapshot {
  const conversation = initialState(view);
  return {
    conversation,
    outbox,
    announcer: silentStart(conversation),
    isSessionLost: false,
    recorder: { kind: 'idle' },
    canRecord: hasMicrophone && view.voice,
    isFinishing: false,
  };
}
