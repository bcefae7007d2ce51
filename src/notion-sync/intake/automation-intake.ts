import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Settings } from '../../common/config';
import { describeProblem } from '../board/property-problem';
import { notionIdOf } from '../board/notion-id';
import { EventBatcher } from './event-batcher';
import { WebhookHealth } from './intake-condition';
import { type EventOutcome, WebhookMetrics } from './intake-metrics';
import { OwnBot } from './own-bot';
import { type ReadPage, readPage } from './read-page';
import { isOwnEcho, otherSentence } from './sort-event';

const CALL = z.object({
  source: z
    .object({
      event_id: z
        .string()
        .regex(/^[\w-]{1,100}$/)
        .nullish()
        .catch(null),
      attempt: z.number().nullish().catch(null),
      user_id: z.string().nullish().catch(null),
    })
    .nullish()
    .catch(null),
  data: z.unknown(),
});

/** What the automation "Send webhook" sends: a page with its properties. */
export interface AutomationCall extends ReadPage {
  /** Null: the payload has no id, and a second one of it cannot be told from the first. */
  readonly key: string | null;
  /** Who set it off; null: it does not say. */
  readonly authorId: string | null;
}

/**
 * Calls of automations. They bring the page's properties along: whose boards change is known
 * without reading it, unless the assignee property cannot be found in them.
 */
@Injectable()
export class AutomationIntake {
  private readonly board;

  constructor(
    settings: Settings,
    private readonly batcher: EventBatcher,
    private readonly bot: OwnBot,
    private readonly condition: WebhookHealth,
    private readonly metrics: WebhookMetrics,
  ) {
    const { dataSourceId } = settings.notionSync;
    this.board = { dataSourceId, names: settings.notionBoard.names };
  }

  /** Null: this is no call of an automation. */
  callIn(json: unknown): AutomationCall | null {
    const { data: call } = CALL.safeParse(json);
    const page = readPage(call?.data, this.board);
    if (call === undefined || page === null) return null;
    const { event_id: id, attempt, user_id: userId } = call.source ?? {};
    return {
      ...page,
      key: id == null ? null : `automation:${id}:${String(attempt ?? 1)}`,
      authorId: notionIdOf(userId ?? ''),
    };
  }

  async take(call: AutomationCall): Promise<void> {
    const { authorId, key, pageId, reading } = call;
    const isEcho = isOwnEcho({ authorIds: authorId === null ? [] : [authorId] }, this.bot.botId);
    const outcome = isEcho
      ? 'own_echo'
      : await this.batcher.take({
          key,
          happenedAt: null,
          author: authorId ?? '',
          about: { kind: 'page', pageId, reading },
        });
    this.metrics.event(outcome);
    this.tell(call, outcome);
  }

  private tell({ reading }: AutomationCall, outcome: EventOutcome): void {
    if (outcome === 'other_data_source' && reading.kind === 'elsewhere') {
      this.condition.tell(otherSentence(reading.dataSourceId));
    }
    if (reading.kind === 'ours') this.condition.assigneesAreRead();
    if (reading.kind === 'unreadable') {
      this.condition.tell(
        `An automation sends pages without whom they belong to, so each is read. ${describeProblem(reading.problem)} The automation has to send it, too.`,
      );
    }
  }
}
