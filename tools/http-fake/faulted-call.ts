import type { Faults, TransportFault, When } from './faults';
import type { CallOutcome } from './journal';
import type { BrokenReply } from './reply';

/** An error of the server's own protocol. */
interface StatusFault {
  readonly kind: 'status';
  readonly when?: When;
}

/**
 * Lets a planned fault happen before or after the call's effect. Null: the call goes on. `refuse` makes
 * the reply of the server's own error.
 */
export async function happen<Status extends StatusFault, Refusal>(
  fault: Status | TransportFault,
  now: When,
  faults: Pick<Faults<unknown>, 'delay' | 'hold'>,
  refuse: (fault: Status) => Refusal,
): Promise<Refusal | BrokenReply | null> {
  if ((fault.when ?? 'before') !== now) return null;
  switch (fault.kind) {
    case 'delay':
      await faults.delay(fault.ms);
      return null;
    case 'hang':
      await faults.hold();
      return null;
    case 'drop':
      return { kind: 'drop' };
    case 'body':
      return { kind: 'garble', status: fault.status, body: fault.body };
    case 'status':
      return refuse(fault);
  }
}

/** How the call ended, as its sender sees it. */
export function outcomeOf<Body>(
  reply: BrokenReply | { readonly kind: 'response'; readonly status: number; readonly body: Body },
): CallOutcome<Body> {
  switch (reply.kind) {
    case 'response':
      return { kind: 'responded', status: reply.status, body: reply.body };
    case 'garble':
      return { kind: 'garbled', status: reply.status };
    case 'drop':
      return { kind: 'dropped', by: 'server' };
  }
}
