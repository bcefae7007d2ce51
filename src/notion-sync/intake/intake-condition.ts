import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { PeerHealth } from '../../common/lifecycle';

/** What keeps changes from being heard of, until somebody acts. */
type Trouble = 'token' | 'assignee';

/** The same thing is told again after so long. */
const QUIET_MS = 600_000;
/** Some quote ids that came from outside. */
const MOST_SENTENCES = 200;

/**
 * How it is with the webhooks, in sentences for an operator. Each is logged when it begins, and
 * again every ten minutes while it goes on; what lasts until somebody acts is also shown by the
 * readiness probe as `notion_webhook`, which stays 200.
 */
@Injectable()
export class WebhookHealth {
  private readonly logger = new Logger('NotionWebhook');
  private readonly troubles = new Map<Trouble, string>();
  private readonly toldAtMs = new Map<string, number>();

  constructor(
    conditions: PeerHealth,
    private readonly clock: Clock,
  ) {
    conditions.register('notion_webhook', () => [...this.troubles.values()].at(0) ?? null);
  }

  troubled(trouble: Trouble, sentence: string): void {
    this.troubles.set(trouble, sentence);
    this.tell(sentence);
  }

  /** `sentence`: told if there was trouble. */
  isWell(trouble: Trouble, sentence: string): void {
    const told = this.troubles.get(trouble);
    if (told === undefined) return;
    this.troubles.delete(trouble);
    this.toldAtMs.delete(told);
    this.logger.log(sentence);
  }

  assigneesAreRead(): void {
    this.isWell('assignee', 'Pages say again whom they belong to.');
  }

  /** Of something that is wrong; said a moment ago, it stays unsaid. */
  tell(sentence: string): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - (this.toldAtMs.get(sentence) ?? -Infinity) < QUIET_MS) return;
    if (this.toldAtMs.size >= MOST_SENTENCES) this.toldAtMs.clear();
    this.toldAtMs.set(sentence, nowMs);
    this.logger.warn(sentence);
  }

  note(sentence: string): void {
    this.logger.log(sentence);
  }
}
