import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { NotionApi } from '../api/notion-api';
import { NotionRetries } from '../api/notion-retries';
import { type BoardPlan, BoardPlanner } from '../diff/plan-board';
import { BoardReader } from '../run/board-reader';
import { NO_LEASE, NotionCalls } from '../run/run-calls';
import { describePlan } from './describe-plan';
import { describeRank } from './describe-rank';
import { People } from './people';

/** What somebody who looks at a board is told, a line each. Nothing is written. */
@Injectable()
export class BoardInspection {
  private readonly planner: BoardPlanner;
  private readonly calls: NotionCalls;

  /** Throws UnknownPlaceError. */
  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly api: NotionApi,
    private readonly reader: BoardReader,
    private readonly people: People,
    retries: NotionRetries,
  ) {
    this.planner = new BoardPlanner(settings.notionBoard);
    this.calls = new NotionCalls(NO_LEASE, retries);
  }

  /** What a run would do now on the board of whoever has this id, name or e-mail address. */
  async plan(wanted: string): Promise<string[]> {
    const found = await this.people.find(this.calls, wanted);
    const [person] = found;
    if (person === undefined) return [`Nobody in the workspace is called ${wanted}.`];
    if (found.length > 1) {
      const ids = found.map(({ id, email }) => `  ${id}  ${email ?? ''}`.trimEnd());
      return [`Several people are called ${wanted}; name one by the id:`, ...ids];
    }
    const plan = await this.planOf(person.id);
    const who = person.name === null ? person.id : `${person.name} (${person.id})`;
    if (typeof plan === 'string') return [`The board of ${who} cannot be ranked. ${plan}`];
    const { maxPerSecond, maxPerMinute } = this.settings.notion;
    const writesPerSecond = Math.min(maxPerSecond, maxPerMinute / 60);
    return [`The board of ${who}`, ...describePlan(plan, writesPerSecond)];
  }

  /** Why a page has its place on the board of the first person it belongs to. */
  async why(pageId: string): Promise<string[]> {
    const page = await this.calls.make((holder) => this.api.retrievePage(holder, pageId));
    const { parent } = page;
    const { dataSourceId } = this.settings.notionSync;
    if (!('data_source_id' in parent) || parent.data_source_id !== dataSourceId) {
      return ['This page is not in the data source of the tasks (NOTION_DATA_SOURCE_ID).'];
    }
    const { assignee } = this.settings.notionBoard.names;
    const property = page.properties[assignee];
    const people = property?.type === 'people' ? property.people : [];
    if (people.length === 0) return ['This page belongs to nobody, so it is not ranked.'];
    const boards: string[] = [];
    if (people.length > 1)
      boards.push('Several people have this task: it is ranked on the board of the first.');
    for (const person of people.slice(0, 1)) {
      const name = ('name' in person ? person.name : null) ?? person.id;
      const plan = await this.planOf(person.id);
      boards.push(`The board of ${name}`);
      if (typeof plan === 'string') boards.push(`  It cannot be ranked. ${plan}`);
      else boards.push(...describeRank(plan, page.id).map((line) => `  ${line}`));
    }
    return boards;
  }

  /** Or why there is none. */
  private async planOf(userId: string): Promise<BoardPlan | string> {
    const read = await this.reader.read(this.calls, userId);
    if (read.kind === 'refused') return read.reason;
    // Only a run lets other boards pass.
    if (read.kind === 'paused') throw new Error('the query of an inspection is never paused');
    return this.planner.planFor(userId, read.tasks, this.clock.now());
  }
}
