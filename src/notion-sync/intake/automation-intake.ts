import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Settings } from '../../common/config';
import { type Tx, UnitsOfWork } from '../../common/uow';
import { TaskWorker, Tasks } from '../../tasks';
import { describeProblem, notionIdOf } from '../board';
import { IntakeCondition } from './intake-condition';
import { type EventOutcome, IntakeMetrics } from './intake-metrics';
import { OwnBot } from './own-bot';
import { PageChanges } from './page-changes';
import { type ReadPage, readPage } from './read-page';
import { SeenEvents } from './seen-events';
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
    private readonly units: UnitsOfWork,
    private readonly tasks: Tasks,
    private readonly worker: TaskWorker,
    private readonly events: SeenEvents,
    private readonly changes: PageChanges,
    private readonly bot: OwnBot,
    private readonly condition: IntakeCondition,
    private readonly metrics: IntakeMetrics,
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
    const authorIds = call.authorId === null ? [] : [call.authorId];
    const outcome = isOwnEcho({ authorIds }, this.bot.botId) ? 'own_echo' : await this.store(call);
    this.metrics.event(outcome);
    this.tell(call, outcome);
    if (outcome === 'stored') this.worker.poke('notion-event');
    if (outcome === 'marked') this.worker.poke('notion-sync');
  }

  private store(call: AutomationCall): Promise<EventOutcome> {
    return this.units.run('notion-event', (uow) =>
      uow.commit('notion.automation', (tx) => this.takePage(tx, call)),
    );
  }

  private async takePage(tx: Tx, call: AutomationCall): Promise<EventOutcome> {
    const { key, pageId, reading } = call;
    const isKnown = await this.changes.isKnown(tx, pageId);
    if (reading.kind === 'elsewhere' && !isKnown) return 'other_data_source';
    // Without the moment at which it happened: it must not overtake what was told about the page.
    const isNew = key === null || (await this.events.add(tx, { key, pageId, happenedAt: null }));
    if (!isNew) return 'duplicate';
    switch (reading.kind) {
      case 'ours':
        return this.changes.belongsTo(tx, pageId, reading.assigneeIds);
      case 'trashed':
        return this.changes.left(tx, pageId, reading.assigneeIds);
      case 'elsewhere':
        return this.changes.left(tx, pageId);
      case 'unclear':
        return isKnown && reading.assigneeIds !== null
          ? this.changes.belongsTo(tx, pageId, reading.assigneeIds)
          : this.toRead(tx, pageId);
      case 'unreadable':
        return this.toRead(tx, pageId);
    }
  }

  private async toRead(tx: Tx, pageId: string): Promise<EventOutcome> {
    await this.tasks.upsert(tx, { lane: 'notion-event', key: `page:${pageId}`, dueInMs: 0 });
    return 'stored';
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
