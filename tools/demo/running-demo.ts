import { NotionServer } from '../fake-notion';
import { type BoardState } from '../fake-notion/demo/board-view';
import { DemoPage as NotionPage } from '../fake-notion/demo/demo-page';
import { chances, fill, type Filled } from '../fake-notion/demo/fill';
import { TelegramServer } from '../fake-telegram';
import { DemoPage as TelegramPage, type PlayedChat } from '../fake-telegram/demo/demo-page';
import { vacancyOwners } from './candidates';
import { PlayedModel } from './played-model';
import { type DemoVacancy, freePort, RunningColloquy } from './running-colloquy';

const COLLOQUY_PORT = 3000;
const TELEGRAM_PAGE_PORT = 8090;
const NOTION_PAGE_PORT = 8092;
const LOOK_AT_QUEUE_EVERY_MS = 500;
const COLLEAGUE_EDITS_EVERY_MS = 7000;
/** Then the boards are quiet, until somebody lets colleagues edit again. */
const COLLEAGUES_EDIT_FOR_MS = 6 * 60_000;
const BOT_NAME = 'colloquy_demo_bot';

/** Everything that a demo has started; `close` stops it, the newest first. */
export class RunningDemo {
  readonly aborted = new AbortController();
  private readonly closings: (() => Promise<void>)[] = [];
  private closing: Promise<void> | null = null;

  /** Runs `close` at the end, also when the start of the rest fails; at once when that is over. */
  onClose(close: () => Promise<void>): void {
    if (this.aborted.signal.aborted) void close().catch(console.error);
    else this.closings.push(close);
  }

  /** Repeats `work` until the demo ends. */
  every(ms: number, work: () => void): void {
    if (this.aborted.signal.aborted) return;
    const timer = setInterval(work, ms);
    this.aborted.signal.addEventListener('abort', () => {
      clearInterval(timer);
    });
  }

  /** Stops everything, once. */
  close(): Promise<void> {
    this.closing ??= this.closeAll();
    return this.closing;
  }

  private async closeAll(): Promise<void> {
    this.aborted.abort();
    for (const close of this.closings.toReversed()) await close().catch(console.error);
  }
}

export async function openTelegram(demo: RunningDemo): Promise<TelegramServer> {
  const telegram = await TelegramServer.start({ botName: BOT_NAME });
  demo.onClose(() => telegram.close());
  return telegram;
}

export async function openNotion(
  demo: RunningDemo,
): Promise<{ readonly notion: NotionServer; readonly filled: Filled }> {
  const notion = await NotionServer.start();
  demo.onClose(() => notion.close());
  const owners = vacancyOwners();
  const filled = fill(notion, { people: 14, tasksEach: 12, today: new Date(), owners });
  return { notion, filled };
}

/**
 * Starts Colloquy with whatever of Telegram and Notion there is. Its replies are played, unless the
 * demo allows a model of one's own and OPENAI_API_KEY is set.
 */
export async function openColloquy(
  demo: RunningDemo,
  folder: string,
  given: {
    readonly telegram?: TelegramServer;
    readonly notion?: NotionServer;
    readonly filled?: Filled;
    readonly allowsModel?: boolean;
  },
): Promise<RunningColloquy> {
  const modelEnv = given.allowsModel === true ? ownModel() : null;
  const replies = modelEnv ?? (await playReplies(demo));
  const port = await freePort(COLLOQUY_PORT);
  const { telegram, notion, filled } = given;
  const telegramEnv = {
    TELEGRAM_BOT_TOKEN: telegram?.token ?? '',
    TELEGRAM_API_ROOT: telegram?.apiRoot ?? '',
    TELEGRAM_BOT_NAME: BOT_NAME,
  };
  const notionEnv = {
    NOTION_TOKEN: notion?.token ?? '',
    NOTION_API_URL: notion?.url ?? '',
    NOTION_DATA_SOURCE_ID: filled?.board.id ?? '',
    NOTION_WEBHOOK_TOKEN: notion?.webhooks.token ?? '',
    // All boards are ranked within minutes of the start.
    NOTION_SWEEP_SHARE: '1',
  };
  const colloquy = await RunningColloquy.start(
    {
      folder,
      port,
      env: {
        INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT: '4',
        INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '3',
        ...replies,
        ...(telegram === undefined ? {} : telegramEnv),
        ...(notion === undefined ? {} : notionEnv),
      },
    },
    (started) => {
      started.areRepliesPlayed = modelEnv === null;
      demo.onClose(() => started.stop());
    },
  );
  notion?.webhooks.sendTo(`http://127.0.0.1:${String(port)}/webhooks/notion`);
  return colloquy;
}

/** Null: no model is set. */
function ownModel(): Record<string, string> | null {
  if ((process.env.OPENAI_API_KEY ?? '') === '') return null;
  const given = Object.entries(process.env).filter(([name]) => name.startsWith('OPENAI_'));
  return Object.fromEntries(given) as Record<string, string>;
}

async function playReplies(demo: RunningDemo): Promise<Record<string, string>> {
  const model = await PlayedModel.start();
  demo.onClose(() => model.close());
  return model.env;
}

export async function openTelegramPage(
  demo: RunningDemo,
  telegram: TelegramServer,
  vacancies: readonly DemoVacancy[],
  played: readonly PlayedChat[],
  areRepliesPlayed: boolean,
): Promise<TelegramPage> {
  const page = new TelegramPage(telegram, {
    port: await freePort(TELEGRAM_PAGE_PORT),
    played,
    areRepliesPlayed,
    startPayload: (language) => vacancyFor(vacancies, language).openToken,
  });
  await page.open();
  demo.onClose(() => page.close());
  return page;
}

export function vacancyFor(vacancies: readonly DemoVacancy[], language: string): DemoVacancy {
  const wanted = language.startsWith('ru') ? 'ru' : 'en';
  const found = vacancies.find((vacancy) => vacancy.language === wanted) ?? vacancies[0];
  if (found === undefined) throw new Error('Colloquy has no vacancy');
  return found;
}

/** The page of the boards, with Colloquy's own queue and colleagues who edit for some minutes. */
export async function openNotionPage(
  demo: RunningDemo,
  { notion, filled }: { readonly notion: NotionServer; readonly filled: Filled },
  colloquy: RunningColloquy,
): Promise<NotionPage> {
  let queue: readonly BoardState[] = [];
  const colleagues = { isOn: true };
  const page = new NotionPage(notion, filled, {
    port: await freePort(NOTION_PAGE_PORT),
    queue: () => queue,
    colleagues,
  });
  const runs = new Map<string, number>();
  const look = async (): Promise<void> => {
    const rows = await colloquy.rows<StatusRow>(STATUS);
    queue = rows.flatMap(({ user_id, state, due_at }) =>
      state === 'idle' || due_at === null
        ? []
        : [{ personId: user_id, state, dueAtMs: due_at.getTime() }],
    );
    for (const { user_id, runs: count, updated } of rows) {
      const ended = Number(count);
      if (ended > (runs.get(user_id) ?? 0)) page.noteRanked(user_id, updated ?? 0);
      runs.set(user_id, ended);
    }
  };
  demo.every(LOOK_AT_QUEUE_EVERY_MS, () => void look().catch(() => undefined));
  demo.every(COLLEAGUE_EDITS_EVERY_MS, colleagueOf(page, filled, colleagues));
  demo.every(COLLEAGUES_EDIT_FOR_MS, () => (colleagues.isOn = false));
  await page.open();
  demo.onClose(() => page.close());
  return page;
}

const STATUS = 'select user_id, state, due_at, runs, updated from notion_user_status';

interface StatusRow {
  readonly user_id: string;
  readonly state: BoardState['state'] | 'idle';
  readonly due_at: Date | null;
  readonly runs: string;
  readonly updated: number | null;
}

/** Each call is one edit of somebody's own board. */
function colleagueOf(
  page: NotionPage,
  { board, people }: Filled,
  colleagues: { readonly isOn: boolean },
): () => void {
  const chance = chances(people.length);
  return (): void => {
    if (!colleagues.isOn) return;
    const open = board.tasks.filter((task) => task.value('Status') !== 'Done');
    const task = open[chance(open.length)];
    if (task === undefined) return;
    if (chance(4) === 0) page.carryOut({ act: 'status', task: task.id, status: 'In progress' });
    else page.carryOut({ act: 'importance', task: task.id, importance: chance(10) + 1 });
  };
}
