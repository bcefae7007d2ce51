import { Injectable } from '@nestjs/common';

/** What is wrong with a peer, in words for an operator; null: nothing is known to be wrong. */
type Condition = () => string | null;

/**
 * The health of peers that this process can do without for a while. The client of a peer registers
 * its health here, and the readiness probe shows it. A failing peer never makes the process unready.
 */
@Injectable()
export class PeerHealth {
  private readonly conditions = new Map<string, { condition: Condition; advice: string }[]>();

  /**
   * `advice`: one sentence about what waits meanwhile and what an operator can do. A peer may have several
   * conditions; one trouble at a time is shown.
   */
  register(peer: string, condition: Condition, advice: string): void {
    this.conditions.set(peer, [...(this.conditions.get(peer) ?? []), { condition, advice }]);
  }

  /**
   * `trouble`: what is wrong, followed by the advice; null: nothing is known to be wrong. The name is
   * public, as a field of /health/ready, so it stays.
   */
  all(): readonly { readonly peer: string; readonly trouble: string | null }[] {
    return [...this.conditions].map(([peer, conditions]) => {
      const troubles = conditions.flatMap(({ condition, advice }) => {
        const wrong = condition();
        return wrong === null ? [] : [`${wrong.replace(/\.$/, '')}. ${advice}`];
      });
      return { peer, trouble: troubles[0] ?? null };
    });
  }
}
