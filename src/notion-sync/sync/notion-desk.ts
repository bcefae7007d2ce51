import type { Tx } from '../../common/uow';

/**
 * Where a person sees what the sync does not decide alone. Declared here, provided by an upper layer
 * under this very token; the application does not start without it.
 */
export abstract class NotionDesk {
  /** In front of a person, once as long as nobody has dealt with it. */
  abstract raise(tx: Tx, item: DeskItem): Promise<void>;
  /** What was about this subject came right by itself. */
  abstract settle(tx: Tx, subject: string): Promise<void>;
}

export interface DeskItem {
  /** braked: to be approved. dead: nobody tries any more. stalled: tried, but in vain. */
  readonly kind: 'braked' | 'dead' | 'stalled';
  /** See `boardSubject`, `LIMITER_SUBJECT` and `WALK_SUBJECT`. */
  readonly subject: string;
  /** A sentence for a person. */
  readonly reason: string;
}

export const BOARD_SUBJECT = 'board:';

/** Calls of Notion in general, not one board. */
export const LIMITER_SUBJECT = 'notion:limiter';

/** The walk through all open tasks, which finds what no event told of. */
export const WALK_SUBJECT = 'notion:walk';

export function boardSubject(userId: string): string {
  return `${BOARD_SUBJECT}${userId}`;
}
