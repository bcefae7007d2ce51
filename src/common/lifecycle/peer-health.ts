import { Injectable } from '@nestjs/common';

/** What is wrong with a peer, in words for an operator; null: nothing is known to be wrong. */
type Condition = () => string | null;

/**
 * The health of peers that this process can do without for a while. The client of a peer registers
 * its health here, and the readiness probe shows it. A failing peer never makes the process unready.
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
