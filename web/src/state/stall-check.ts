/** Checks whether a silent stream is dead while something is expected. */
import type { Platform } from '../platform';
import type { ConversationState } from './conversation';

const STALL_CHECK_MS = 20_000;

interface StallPorts {
  platform: Pick<Platform, 'wait' | 'nowMs'>;
  /** Null: the session is over, and the checks end. */
  conversation: () => ConversationState | null;
  lastHeardAtMs: () => number;
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
    if (connection === 'open' && isExpecting && silentMs > STALL_CHECK_MS) {
      void ports.refetch().then(() => {
        const known = ports.conversation()?.knownSeq ?? knownSeq;
        if (known > knownSeq) ports.reopen();
      });
    }
    checkForStall(ports);
  });
}
