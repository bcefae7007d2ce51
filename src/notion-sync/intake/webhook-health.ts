import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { PeerHealth } from '../../common/lifecycle';
import type { Counter } from 'prom-client';
import { Metrics } from '../../common/metrics';

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

/**
 * What became of a request to one of the two webhooks.
 *
 *   stored               its page, or pages, will be read
 *   marked               whose boards it changes was known at once
 *   irrelevant           it names none of the properties that the sync reads or writes
 *   unassigned           its page belongs to nobody, and did not before
 *   duplicate            it was taken before
 *   own_echo             all of it was written by ourselves
 *   other_data_source    it is about a page that is none of ours
 *   board_changed        it is about the data source as a whole: the sweep sees to that
 *   unknown_type         its type changes no ranking, or nobody has heard of it
 *   no_page              it names no page
 *   too_many_pages       it names more than are read one by one: the sweep sees to those
 *   stale                it happened so long ago that it cannot be told from a replay
 *   enrolled             it brought the verification token while enrolment was open
 *
 * Refused: unsigned, wrongly_signed, wrong_secret, not_enrolling, malformed, too_many, not_stored.
 */
export type EventOutcome =
  | 'stored'
  | 'marked'
  | 'irrelevant'
  | 'unassigned'
  | 'duplicate'
  | 'own_echo'
  | 'other_data_source'
  | 'board_changed'
  | 'unknown_type'
  | 'no_page'
  | 'too_many_pages'
  | 'stale'
  | 'enrolled'
  | 'unsigned'
  | 'wrongly_signed'
  | 'wrong_secret'
  | 'not_enrolling'
  | 'malformed'
  | 'too_many'
  | 'not_stored';

/**
 * What the reading of a page came to: `marked` boards, `unassigned`, in the `trash`, `gone` or not
 * shared, `elsewhere` (of another data source), `unreadable` (its assignee property), `refused`.
 */
export type PageOutcome =
  'marked' | 'unassigned' | 'trash' | 'gone' | 'elsewhere' | 'unreadable' | 'refused';

/** Counts what Notion tells, and what was found when it was looked into. */
@Injectable()
export class WebhookMetrics {
  private readonly events: Counter<'outcome'>;
  private readonly pages: Counter<'outcome'>;

  constructor(metrics: Metrics) {
    this.events = metrics.counter(
      'notion_events_total',
      "Requests to Notion's webhooks, by what became of them",
      ['outcome'],
    );
    this.pages = metrics.counter(
      'notion_event_pages_total',
      'Pages that were read because of an event, by what was found',
      ['outcome'],
    );
  }

  event(outcome: EventOutcome): void {
    this.events.inc({ outcome });
  }

  page(outcome: PageOutcome): void {
    this.pages.inc({ outcome });
  }
}
