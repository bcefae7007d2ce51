import { AttentionRepository, AttentionService } from '../../src/attention';
import type { Clock } from '../../src/common/clock';
import { DomainEvents } from '../../src/common/events';

interface AttentionRig {
  readonly attention: AttentionService;
  /** The bus to which the service publishes replays, and whose attention events it handles. */
  readonly events: DomainEvents;
  readonly items: AttentionRepository;
}

/** The attention list as AttentionModule wires it, without its timers. */
export function attentionRig(clock: Clock, { events = new DomainEvents() } = {}): AttentionRig {
  const items = new AttentionRepository(clock);
  const attention = new AttentionService(items, events);
  events.register(attention);
  return { attention, events, items };
}
