/** Reads again after a failed read, and when a stream is silent while something is expected. */
import type { Platform } from '../platform';
import type { ConversationState } from './conversation';

const STALL_CHECK_MS = 20_000;

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

/** Checks every 20 s, as long as there is a conversation. */
export function checkForStall(ports: StallPorts): void {
  ports.platform.wait(STALL_CHECK_MS, () => {
    const now = ports.conversation();
    if (now === null) return;
    const { connection, view, knownSeq } = now;
    const silentMs = ports.platform.nowMs() - ports.lastHeardAtMs();
    const isExpecting = view.hasBuffer || view.replying;
    const isSilent = connection === 'open' && isExpecting && silentMs > STALL_CHECK_MS;
    if (isSilent || ports.isStale()) {
      void ports.refetch().then(() => {
        const known = ports.conversation()?.knownSeq ?? knownSeq;
        // The stream is dead if it has not said what the read found.
        if (isSilent && known > knownSeq) ports.reopen();
      });
    }
    checkForStall(ports);
  });
}
