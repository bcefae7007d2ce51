import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { PeerHealth } from '../../common/lifecycle';
import { QuietLog } from '../../common/logging';
import type { Counter } from 'prom-client';
import { Metrics } from '../../common/metrics';

/** Problems that prevent changes from being noticed until an operator acts. */
type ProblemKind = 'token' | 'assignee';

/**
 * The state of the webhooks, in sentences for an operator. A problem is logged when it begins and every
 * ten minutes while it lasts. The readiness probe shows it as `notion_webhook` and stays 200.
 */
@Injectable()
export class WebhookHealth {
  private readonly logger = new Logger('NotionWebhook');
  private readonly problems = new Map<ProblemKind, string>();
  private readonly quiet: QuietLog;

  constructor(conditions: PeerHealth, clock: Clock) {
    this.quiet = new QuietLog(this.logger, clock);
    conditions.register(
      'notion_webhook',
      () => [...this.problems.values()].at(0) ?? null,
      'The sweep finds changes meanwhile, later; docs/notion.md says how the webhook is set up.',
    );
  }

  failed(kind: ProblemKind, sentence: string): void {
    this.problems.set(kind, sentence);
    this.log(sentence);
  }

  /** `sentence` is logged if there was a problem. */
  recovered(kind: ProblemKind, sentence: string): void {
    const problem = this.problems.get(kind);
    if (problem === undefined) return;
    this.problems.delete(kind);
    this.quiet.forget(problem);
    this.logger.log(sentence);
  }

  assigneesAreRead(): void {
    this.recovered('assignee', 'Assignees of pages can be read again.');
  }

  /** Logs a problem, unless it was logged a moment ago. */
  log(sentence: string): void {
    this.quiet.warn(sentence);
  }

  note(sentence: string): void {
    this.logger.log(sentence);
  }
}

/**
 * The outcome of a request to one of the two webhooks.
 *
 *   stored               its page, or pages, will be read
 *   marked               the boards that it changes were known at once
 *   irrelevant           it names none of the properties that the sync reads or writes
 *   unassigned           its page has no assignee, and had none before
 *   duplicate            it was taken before
 *   own_echo             all of its changes are our own writes
 *   other_data_source    its page is in another data source
 *   board_changed        it is about the data source as a whole, which the sweep handles
 *   unknown_type         its type changes no ranking, or is unknown
 *   no_page              it names no page
 *   too_many_pages       it names more than are read one by one; the sweep finds those
 *   stale                it is too old to be distinguished from a replay
 *   enrolled             it contained the verification token while enrolment was open
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
 * The outcome of reading a page: `marked` boards, `unassigned`, in the `trash`, `gone` or not
 * shared, `elsewhere` (of another data source), `unreadable` (its assignee property), `refused`.
 */
export type PageOutcome =
  'marked' | 'unassigned' | 'trash' | 'gone' | 'elsewhere' | 'unreadable' | 'refused';

/** Counts requests to the webhooks, and the outcomes of the page reads that they led to. */
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
