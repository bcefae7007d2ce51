/** Reads again after a failed read, and when a stream is silent while something is expected. */
import type { Platform } from '../platform';
import type { ConversationState } from './conversation';

const STALL_CHECK_MS = 20_000;
/** A person may write at any time, so a silent stream is checked for that, but less often. */
const PERSON_CHECK_MS = 60_000;

interface StallPorts {
  platform: Pick<Platform, 'wait' | 'nowMs'>;
  /** Null: the session is over, and the checks end. */
  conversation: () => ConversationState | null;
  lastHeardAtMs: () => number;
  /** The last read has failed. */
  isStale: () => boolean;
  refetch: () => Promise<void>;
  reopen: () => void;
}

/**
 * Checks every 20 s, as long as there is a conversation. `readAtMs`: when it last read because a
 * person may have written.
 */
export function checkForStall(ports: StallPorts, readAtMs = 0): void {
  ports.platform.wait(STALL_CHECK_MS, () => {
    const now = ports.conversation();
    if (now === null) return;
    const { connection, view, knownSeq } = now;
    const nowMs = ports.platform.nowMs();
    const silentMs = nowMs - ports.lastHeardAtMs();
    const isReplyDue = (view.hasBuffer || view.replying) && silentMs > STALL_CHECK_MS;
    const unreadMs = Math.min(silentMs, nowMs - readAtMs);
    const isPersonDue = view.owner !== 'model' && unreadMs >= PERSON_CHECK_MS;
    const isSilent = connection === 'open' && (isReplyDue || isPersonDue);
    if (isSilent || ports.isStale()) {
      void ports.refetch().then(() => {
        const known = ports.conversation()?.knownSeq ?? knownSeq;
        // The stream is dead if it has not said what the read found.
        if (isSilent && known > knownSeq) ports.reopen();
      });
    }
    checkForStall(ports, isSilent ? nowMs : readAtMs);
  });
}
