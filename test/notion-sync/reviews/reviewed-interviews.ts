import type { VacancyOwner } from '../../../src/vacancies';
import { ColloquyError } from '../../../src/common/errors';
import { PersonalDataService } from '../../../src/privacy';
import { QueueBreakers, type QueueName } from '../../../src/jobs';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { FakeClock } from '../../../tools/support/fake-clock';
import type { NotionServer } from '../../../tools/fake-notion';
import type { Board } from '../../../tools/fake-notion/people/board';
import type { NotionPage } from '../../../tools/fake-notion/people/notion-page';
import type { NotionUser } from '../../../tools/fake-notion/people/notion-user';
import type { NewBoard } from '../../../tools/fake-notion/people/workspace';
import { vacancyDraft } from '../../support/vacancies';
import { ADMIN_TOKEN } from '../../support/secrets';

export { ADMIN_TOKEN };
export const PUBLIC_URL = 'https://interviews.example.org';
/** The timeout of a call to Notion. */
export const TIMEOUT_MS = 1000;
/** Longer than the debounce window of the page. */
const WINDOW_MS = 250;
const STEP_MS = 5;
const MAX_CHECKS = 2000;
const MAX_ASKED = 5;
const PUT_OFF_MS = 250;

const NOTION_QUEUES = ['notion-read', 'notion-scan', 'notion-review', 'notion-removal'] as const;

/** Unfinished jobs that are due by $1 or wait for a retry. $2: queues that wait for Notion. */
const LEFT = `
select queue, key, state, last_error,
  state = 'running' or due_at <= $1 as "isDue"
from job
where queue <> 'notion-sync' and (state = 'running' or state in ('open', 'retry')
  and (due_at <= $1 or state = 'retry' or queue = 'flush') and not queue = any($2::text[]))`;

/** The columns that a board has for reviews in addition to the usual ones. */
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

interface Options {
  readonly env?: Record<string, string>;
  readonly board?: NewBoard;
  /** How the vacancy's file names its owner; null: it names no Notion user. */
  readonly writtenAs?: (ownerId: string) => string | null;
}

/**
 * The application with a board in Notion, and candidates. Fake time moves by itself, no faster than
 * real time, so that no wait is endless; `pass` moves it further.
 */
export class ReviewedInterviews {
  private constructor(
    readonly app: TestApp,
    readonly owner: NotionUser,
    private readonly flow: NodeJS.Timeout,
  ) {}

  static async start({ env, board, writtenAs = (id) => id }: Options = {}) {
    const clock = new FakeClock();
    const flow = setInterval(() => {
      clock.advance(STEP_MS);
    }, STEP_MS);
    const owners: NotionUser[] = [];
    const app = await startTestApp({
      clock,
      notion: { clock, board: board ?? { columns: REVIEW_COLUMNS } },
      vacancy: ({ workspace }) => {
        owners.push(workspace.user('Olga'));
        return vacancyDraft({ owner: ownerOf(writtenAs(owners[0]?.id ?? '')) });
      },
      env: {
        NOTION_TIMEOUT_MS: String(TIMEOUT_MS),
        NOTION_BACKOFF_INITIAL_MS: '10',
        NOTION_BACKOFF_MAX_MS: '10',
        // No board is ranked, so that a test sees only the calls about reviews.
        NOTION_DEBOUNCE_MS: '15000',
        PUBLIC_URL,
        ADMIN_TOKEN,
        ...env,
      },
    });
    return new ReviewedInterviews(app, owners[0] as NotionUser, flow);
  }

  get notion(): NotionServer {
    return this.app.notion;
  }

  get board(): Board {
    return this.app.board;
  }

  get clock(): FakeClock {
    return this.app.clock;
  }

  /** The calls about pages and their board, without the call that is made at start. */
  get calls(): readonly string[] {
    return this.notion.journal.all
      .map(({ operation }) => operation)
      .filter((operation) => operation !== 'getSelf');
  }

  get pages(): readonly NotionPage[] {
    return this.board.tasks;
  }

  /** The page of the board; fails unless there is exactly one. */
  get page(): NotionPage {
    const [page, ...more] = this.pages;
    if (page === undefined || more.length > 0)
      throw new Error(`expected one page, found ${this.pages.length}`);
    return page;
  }

  /** The value of a column on the first page. */
  page0(column: string): unknown {
    return this.pages[0]?.value(column);
  }

  /** Reads rows; retries if the machine was too busy to respond. */
  async rows<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    for (let asked = 1; ; asked += 1) {
      try {
        return await this.app.sql<Row>(sql, values);
      } catch (error) {
        const mayPass = error instanceof ColloquyError && error.retryable;
        if (!mayPass || asked === MAX_ASKED) throw error;
      }
    }
  }

  /**
   * Resolves when no job is left to do, except boards to be ranked, pages to be removed later, and
   * jobs that a test holds up (`isHeldUp`). Moves the time for jobs that wait for a retry.
   */
  async settle(isHeldUp: () => boolean = () => false): Promise<void> {
    let last = '';
    for (let check = 0; check < MAX_CHECKS; check += 1) {
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
      if (isHeldUp()) return;
      if (!this.app.isIdle('notion-sync')) continue;
      const left = await this.rows<{ isDue: boolean; queue: QueueName; key: string }>(LEFT, [
        this.clock.now(),
        this.pausedQueues(),
      ]);
      if (left.length === 0) return;
      const due = left.find(({ isDue }) => isDue);
      if (due === undefined) this.clock.advance(PUT_OFF_MS);
      else this.app.worker.wake(due.queue);
      last = JSON.stringify(left);
    }
    throw new Error(`jobs are still unfinished: ${last}`);
  }

  /** The queues that wait until they may call Notion again. */
  private pausedQueues(): QueueName[] {
    const breakers = this.app.get(QueueBreakers);
    const isOpen = (queue: QueueName): boolean => breakers.state(queue) === 'open';
    return breakers.nextProbeInMs(NOTION_QUEUES) > 0 ? NOTION_QUEUES.filter(isOpen) : [];
  }

  /** Moves the time, and resolves when all jobs that are due by then are done. */
  async pass(ms: number, isHeldUp?: () => boolean): Promise<void> {
    this.clock.advance(ms);
    await this.settle(isHeldUp);
  }

  async answer(candidate: TestCandidate, id: string, text = 'An answer.'): Promise<void> {
    await candidate.send(id, text);
    await this.pass(WINDOW_MS, () => this.notion.faults.waiting > 0);
  }

  /** Runs an interview from its first question to its end, and the jobs that follow from it. */
  async finished(): Promise<TestCandidate> {
    const candidate = await TestCandidate.begin(this.app);
    for (const { id } of this.app.vacancy.plan.questions) await this.answer(candidate, id);
    return candidate;
  }

  async candidateOf({ conversationId }: TestCandidate): Promise<string> {
    const found = 'select candidate_id as id from conversation where id = $1';
    return (await this.app.one<{ id: string }>(found, [conversationId])).id;
  }

  async erase(candidate: TestCandidate): Promise<void> {
    const candidateId = await this.candidateOf(candidate);
    const personal = this.app.get(PersonalDataService);
    await this.app.commit((tx) => personal.erase(tx, candidateId));
  }

  /** How many rows about reviews are left. */
  async left(): Promise<number> {
    const [row] = await this.rows<{ count: number }>(
      `select (select count(*) from notion_review)
         + (select count(*) from job
            where queue in ('notion-review', 'notion-removal') and state <> 'done') as count`,
    );
    return Number(row?.count);
  }

  async close(): Promise<void> {
    await this.app.close();
    clearInterval(this.flow);
  }
}

function ownerOf(notionUserId: string | null): VacancyOwner {
  return { name: 'Olga', ...(notionUserId === null ? {} : { notionUserId }) };
}
