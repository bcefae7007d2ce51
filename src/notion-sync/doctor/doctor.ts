import { Injectable } from '@nestjs/common';
import { COMMAND } from '../../common/command-name';
import { Settings } from '../../common/config';
import { UnitOfWorkFactory } from '../../common/uow';
import { NotionNotFoundError, NotionRefusedError, NotionUnauthorizedError } from '../api/errors';
import { type NewColumn, NotionApi } from '../api/notion-api';
import { NotionRetries, NO_LEASE, NotionCalls } from '../api/notion-calls';
import {
  type BoardSchema,
  readSchema,
  PROPERTY_TYPES,
  type PropertyKey,
  describeProblem,
} from '../board/board-schema';
import { EnrolmentRepository } from '../intake/enrolment.repository';
import { readReviewBoard } from '../reviews/review-board';

/**
 * The result of one check.
 *
 *   ok     as it should be
 *   note   boards are ranked without it; something is left out
 *   wrong  boards are not ranked
 */
export interface CheckResult {
  readonly kind: 'ok' | 'note' | 'wrong';
  readonly sentence: string;
  /** The missing property, if it can be created. */
  readonly missing?: MissingProperty;
}

export interface MissingProperty {
  readonly name: string;
  readonly type: PropertyType;
}

type PropertyType = (typeof PROPERTY_TYPES)[PropertyKey] | 'rich_text' | 'url';

/** Checks whether Notion is set up for the sync. */
@Injectable()
export class NotionDoctor {
  private readonly calls: NotionCalls;

  constructor(
    private readonly settings: Settings,
    private readonly api: NotionApi,
    private readonly units: UnitOfWorkFactory,
    private readonly enrolment: EnrolmentRepository,
    retries: NotionRetries,
  ) {
    this.calls = new NotionCalls(NO_LEASE, retries);
  }

  /** In the order of their dependencies; a wrong result may end the checks. */
  async examine(): Promise<CheckResult[]> {
    const token = await this.token();
    if (token.kind === 'wrong') return [token];
    return [token, ...(await this.boards()), await this.webhook()];
  }

  /** Creates a missing property; an existing one is never changed. */
  async create({ name, type }: MissingProperty): Promise<void> {
    const { dataSourceId } = this.settings.notionSync;
    const column = columnOf(type, dataSourceId);
    if (column === null) return;
    await this.calls.make((holder) => this.api.addProperty(holder, { dataSourceId, name, column }));
  }

  private async token(): Promise<CheckResult> {
    try {
      const { botId, name } = await this.calls.make((holder) => this.api.whoAmI(holder));
      return well(`NOTION_TOKEN is the integration "${name ?? 'without a name'}", bot ${botId}.`);
    } catch (error) {
      if (error instanceof NotionUnauthorizedError) {
        return wrong(error.message);
      }
      return this.refusedRight(error, 'read its own user');
    }
  }

  private async boards(): Promise<CheckResult[]> {
    const { dataSourceId } = this.settings.notionSync;
    try {
      const { properties } = await this.calls.make((holder) =>
        this.api.retrieveDataSource(holder, dataSourceId),
      );
      const schema = readSchema(properties, this.settings.notionBoard.names);
      return [
        well(`The data source ${dataSourceId} is shared with the integration.`),
        ...this.properties(schema),
        ...this.reviews(properties),
      ];
    } catch (error) {
      if (!(error instanceof NotionNotFoundError)) {
        return [this.refusedRight(error, 'read the board')];
      }
      return [
        wrong(
          `There is no data source ${dataSourceId}, or it is not shared with the integration: ` +
            'add the connection to the database in Notion, or check NOTION_DATA_SOURCE_ID.',
        ),
      ];
    }
  }

  /** Notion knows the token and refuses the call. Throws any other error again. */
  private refusedRight(error: unknown, what: string): CheckResult {
    if (!(error instanceof NotionRefusedError)) throw error;
    return wrong(
      `NOTION_TOKEN has no right to ${what} (${String(error.fields['notionCode'])}): turn on reading, ` +
        "updating and inserting content among the integration's capabilities in Notion.",
    );
  }

  private properties({ problems }: BoardSchema): CheckResult[] {
    const { names } = this.settings.notionBoard;
    return (Object.keys(PROPERTY_TYPES) as PropertyKey[]).map((key) => {
      const name = names[key];
      const type = PROPERTY_TYPES[key];
      if (name === null) return well(`No property is used for ${key}.`);
      const problem = problems.find((one) => one.key === key);
      if (problem === undefined) return well(`The property "${name}" exists (${type}).`);
      const finding = wrong(describeProblem(problem));
      const canBeMade = problem.found === 'missing' && columnOf(type, '') !== null;
      return canBeMade ? { ...finding, missing: { name, type } } : finding;
    });
  }

  /** The properties that only finished interviews need and that are missing. */
  private reviews(properties: Readonly<Record<string, unknown>>): CheckResult[] {
    const { names, status } = this.settings.notionReview;
    const board = this.settings.notionBoard.names;
    const wanted = { ...NO_NAMES, ...names, status: board.status };
    const { left } = readReviewBoard(properties, wanted, status);
    return left
      .filter(({ missing }) => missing?.name !== board.status)
      .map(({ sentence, missing }) => ({
        kind: 'note',
        sentence,
        ...(missing === null ? {} : { missing }),
      }));
  }

  private async webhook(): Promise<CheckResult> {
    if (this.settings.notionSync.webhookToken !== '') {
      return well('The webhook is verified with NOTION_WEBHOOK_TOKEN.');
    }
    const { token, enrolledAt } = await this.units.run('notion.doctor', (uow) =>
      uow.commit('notion.enrolment', (tx) => this.enrolment.state(tx)),
    );
    return token === null
      ? note(
          `No webhook is enrolled, so only the sweep finds changes: run ${COMMAND} notion enrol.`,
        )
      : well(`The webhook was enrolled on ${enrolledAt?.toISOString().slice(0, 10) ?? 'a day'}.`);
  }
}

const NO_NAMES = { name: null, assignee: null, importance: null, estimate: null } as const;

/** Null for a title: every database has one, so it cannot be added. */
function columnOf(type: PropertyType, dataSourceId: string): NewColumn | null {
  switch (type) {
    case 'title':
      return null;
    case 'number':
      return { type, number: {} };
    case 'date':
      return { type, date: {} };
    case 'checkbox':
      return { type, checkbox: {} };
    case 'people':
      return { type, people: {} };
    case 'status':
      return { type, status: {} };
    case 'rich_text':
      return { type, rich_text: {} };
    case 'url':
      return { type, url: {} };
    case 'relation':
      return { type, relation: { data_source_id: dataSourceId, single_property: {} } };
  }
}

function well(sentence: string): CheckResult {
  return { kind: 'ok', sentence };
}

function note(sentence: string): CheckResult {
  return { kind: 'note', sentence };
}

function wrong(sentence: string): CheckResult {
  return { kind: 'wrong', sentence };
}
