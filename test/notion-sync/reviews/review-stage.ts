import { ErasedFlows, PersonalData } from '../../../src/privacy';
import { LoggedLines } from './logged-lines';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { FakeClock } from '../../support/clock';
import { NotionServer } from '../../support/notion';
import type { Board } from '../../support/notion/people/board';
import type { NotionPage } from '../../support/notion/people/notion-page';
import type { NotionUser } from '../../support/notion/people/notion-user';
import type { NewBoard } from '../../support/notion/people/workspace';
import { vacancyDraft } from '../../support/vacancies';

export const ADMIN_TOKEN = 'the admin token';
export const PUBLIC_URL = 'https://interviews.example.org';
/** A call's time; what nobody heard the end of is waited for so long. */
export const TIMEOUT_MS = 1000;
/** Longer than the debounce window of the page. */
const WINDOW_MS = 250;
const STEP_MS = 5;
const LOOKS = 4000;

/** What a board has for reviews beside the usual. */
export const REVIEW_COLUMNS = {
  Candidate: 'rich_text',
  Vacancy: 'rich_text',
  Coverage: 'rich_text',
  Transcript: 'url',
  Status: {
    status: {
      'To-do': ['Not started', 'Awaiting review'],
      'In progress': ['In progress'],
      Complete: ['Done'],
    },
  },
} as const;

interface StageOptions {
  readonly env?: Record<string, string>;
  readonly board?: NewBoard;
  /** The vacancy's owner is nobody whom the workspace knows. */
  readonly hasStrangeOwner?: boolean;
}

/** The application with a board in Notion, and candidates; time moves by `pass`. */
export class ReviewStage {
  private constructor(
    readonly notion: NotionServer,
    readonly board: Board,
    readonly owner: NotionUser,
    readonly app: TestApp,
    readonly clock: FakeClock,
    readonly logged: LoggedLines,
  ) {}

  static async open({
    env,
    board: wanted,
    hasStrangeOwner,
  }: StageOptions = {}): Promise<ReviewStage> {
    const clock = new FakeClock();
    const notion = await NotionServer.start({ clock });
    notion.limits.lift();
    const board = notion.workspace.board(wanted ?? { columns: REVIEW_COLUMNS });
    const owner = notion.workspace.user('Olga');
    const logged = new LoggedLines();
    const { owner: stranger } = vacancyDraft();
    const app = await startTestApp({
      clock,
      logger: logged,
      vacancy: vacancyDraft({
        owner: hasStrangeOwner === true ? stranger : { name: 'Olga', notionUserId: owner.id },
      }),
      env: {
        NOTION_TOKEN: notion.token,
        NOTION_API_URL: notion.url,
        NOTION_DATA_SOURCE_ID: board.id,
        NOTION_TIMEOUT_MS: String(TIMEOUT_MS),
        NOTION_MAX_RPS: '100',
        NOTION_TOKEN_CAPACITY: '100',
        NOTION_BUDGET_PER_MINUTE: '1000',
        PUBLIC_URL,
        ADMIN_TOKEN,
        ...env,
      },
    });
    return new ReviewStage(notion, board, owner, app, clock, logged);
  }

  get pages(): readonly NotionPage[] {
    return this.board.tasks;
  }

  /** The only page there is. */
  get page(): NotionPage {
    const [page, ...more] = this.pages;
    if (page === undefined || more.length > 0) throw new Error(`${this.pages.length} pages`);
    return page;
  }

  rows<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.app.commit((tx) => tx.query<Row>(sql, [...values]));
  }

  /**
   * Until nothing is due, but for boards to be ranked, which nobody does here, and for what a test
   * holds up (`isHeldUp`). Time hardly moves.
   */
  async settle(isHeldUp: () => boolean = () => false): Promise<void> {
    let last = '';
    for (let look = 0; look < LOOKS; look += 1) {
      this.clock.advance(STEP_MS);
      await new Promise((resolve) => setTimeout(resolve, 2));
      if (isHeldUp()) return;
      const due = await this.rows<{ key: string; state: string }>(
        `select lane, key, state, last_error from task
         where lane <> 'notion-sync'
           and (state = 'running' or state in ('open', 'retry') and due_at <= $1)`,
        [this.clock.now()],
      );
      if (due.length === 0) return;
      last = JSON.stringify(due);
    }
    throw new Error(`it never settled: ${last}`);
  }

  /** Time passes, and everything that was due by then is done. */
  async pass(ms: number, isHeldUp?: () => boolean): Promise<void> {
    this.clock.advance(ms);
    await this.settle(isHeldUp);
  }

  async answer(candidate: TestCandidate, id: string, text = 'An answer.'): Promise<void> {
    await candidate.send(id, text);
    await this.pass(WINDOW_MS, () => this.notion.faults.waiting > 0);
  }

  /** An interview from its first question to its end, and what follows from that. */
  async finished(): Promise<TestCandidate> {
    const candidate = await TestCandidate.begin(this.app);
    for (const { id } of this.app.vacancy.plan.questions) await this.answer(candidate, id);
    return candidate;
  }

  async candidateOf({ conversationId }: TestCandidate): Promise<string> {
    const [row] = await this.rows<{ id: string }>(
      'select candidate_id as id from conversation where id = $1',
      [conversationId],
    );
    if (row === undefined) throw new Error('there is no such conversation');
    return row.id;
  }

  /** As every caller does it: the commit, then what cannot be in it. */
  async erase(candidate: TestCandidate): Promise<void> {
    const candidateId = await this.candidateOf(candidate);
    const personal = this.app.nest.get(PersonalData, { strict: false });
    const erased = await this.app.commit((tx) => personal.erase(tx, candidateId));
    this.app.nest.get(ErasedFlows, { strict: false }).stop(erased);
  }

  /** Rows that a review has left. */
  async left(): Promise<number> {
    const [row] = await this.rows<{ count: number }>(
      `select (select count(*) from notion_review)
         + (select count(*) from task where lane = 'notion-event' and state <> 'done') as count`,
    );
    return Number(row?.count);
  }

  async close(): Promise<void> {
    this.notion.faults.release();
    await this.app.close();
    await this.notion.close();
  }
}
