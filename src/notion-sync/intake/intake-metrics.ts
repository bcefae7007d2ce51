import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../../common/metrics';

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
