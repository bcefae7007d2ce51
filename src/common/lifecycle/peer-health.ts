import { Injectable } from '@nestjs/common';

/** What is wrong with a peer, in words for an operator; null: nothing that is known. */
type Condition = () => string | null;

/**
 * Peers that this process talks to and can do without for a while: whoever talks to one says here
 * how it is, and the readiness probe shows it. A peer's trouble never makes the process unready.
 */
@Injectable()
export class PeerHealth {
  private readonly conditions = new Map<string, Condition>();

  register(peer: string, condition: Condition): void {
    this.conditions.set(peer, condition);
  }

  all(): readonly { readonly peer: string; readonly trouble: string | null }[] {
    return [...this.conditions].map(([peer, condition]) => ({ peer, trouble: condition() }));
  }
}
