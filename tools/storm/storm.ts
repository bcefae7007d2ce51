import { setTimeout as pause } from 'node:timers/promises';
import {
  TelegramCandidate,
  type StormCandidate,
  type StormWorld,
  WebCandidate,
  write,
} from './candidates';
import { Chance } from './chance';
import { type Violation, check } from './check';
import { type CarriedOut, Conductor } from './conductor';
import { FACTS, type OutsideFacts, type SeenPage, type StoredFacts } from './facts';
import { scheduleOf } from './schedule';
import { ADMIN_TOKEN, SHUTDOWN_MS, Stage } from './stage';
import { type StormChannel, TokenJournal } from './tokens';
import { Watch } from './watch';

export interface StormOptions {
  readonly seed: number;
  readonly lengthMs: number;
  readonly telegram: number;
  readonly web: number;
  /** Mean pause of a candidate before a burst. */
  readonly thinkMs: number;
  /** A name of bugs.cjs; null in a storm that is to pass. */
  readonly bug: string | null;
  readonly log: (line: string) => void;
}

export interface StormResult {
  readonly seed: number;
  readonly faults: readonly CarriedOut[];
  readonly tokens: number;
  readonly replies: number;
  readonly violations: readonly Violation[];
  readonly recoveriesMs: readonly number[];
  /** From the last fault until nothing was left to do. */
  readonly quietMs: number;
  readonly stormMs: number;
  /** Where the logs are, if there is a violation. */
  readonly folder: string;
}

/** Nothing may be left to do this long after the last fault, or after what it made wait. */
const QUIET_WITHIN_MS = 30_000;
/** Telegram repeats an update that failed after up to a minute. */
const LONGEST_QUIET_MS = 120_000;
const ENTER_AT_ONCE = 12;
/** One in so many candidates on the page is erased near the end. */
const ERASED_ONE_IN = 20;
const LOOK_EVERY_MS = 500;
const ERASE_TIMEOUT_MS = 5000;
const TELL_EVERY_MS = 10_000;
const NOTION_EDIT_EVERY_MS = 400;
/** For pages to read what was stored last. */
const LAST_FRAMES_MS = 3000;
/** A shutdown may end late on a machine that is busy. */
const SHUTDOWN_SLACK_MS = 7000;

/** Candidates who are writing, one on each seat; who is nearly through is followed by somebody new. */
class Crowd {
  readonly all: StormCandidate[] = [];
  private readonly seats: Promise<void>[] = [];

  constructor(
    private readonly world: StormWorld,
    private readonly chance: Chance,
  ) {}

  async enter(channels: readonly StormChannel[]): Promise<StormCandidate[]> {
    const entered: StormCandidate[] = [];
    const left = [...channels];
    const enterOne = async (): Promise<void> => {
      for (let channel = left.pop(); channel !== undefined; channel = left.pop()) {
        const candidate = this.create(channel);
        await candidate.enter();
        entered.push(candidate);
      }
    };
    await Promise.all(Array.from({ length: ENTER_AT_ONCE }, enterOne));
    return entered;
  }

  begin(first: readonly StormCandidate[], thinkMs: number): void {
    for (const candidate of first) this.seats.push(this.keepSeat(candidate, thinkMs));
  }

  async over(): Promise<void> {
    await Promise.all(this.seats);
  }

  private async keepSeat(first: StormCandidate, thinkMs: number): Promise<void> {
    const channel = channelOf(first);
    let candidate = first;
    for (;;) {
      const chance = this.chance.fork(`candidate ${String(candidate.number)}`);
      await write(candidate, this.world, { chance, thinkMs, channel });
      if (this.world.writing.aborted) return;
      candidate = this.create(channel);
      try {
        await candidate.enter();
      } catch (error) {
        if (this.world.writing.aborted) return;
        this.world.complaints.push(String(error));
        return;
      }
    }
  }

  private create(channel: StormChannel): StormCandidate {
    const number = this.all.length;
    const candidate =
      channel === 'web'
        ? new WebCandidate(number, this.world, this.chance.fork(`web ${String(number)}`))
        : new TelegramCandidate(number, this.world);
    this.all.push(candidate);
    return candidate;
  }
}

function channelOf(candidate: StormCandidate): StormChannel {
  return candidate instanceof WebCandidate ? 'web' : 'telegram';
}

/** Runs one storm on a stage of its own, from the first process to the last check. */
export async function runStorm(options: StormOptions): Promise<StormResult> {
  const stage = await Stage.open(options.bug);
  let isCalm = false;
  try {
    const result = await stormOn(stage, options);
    isCalm = result.violations.length === 0;
    return result;
  } finally {
    await stage.close({ keepsFolder: !isCalm });
  }
}

async function stormOn(stage: Stage, options: StormOptions): Promise<StormResult> {
  const { seed, lengthMs, log } = options;
  const openToken = await stage.begin();
  const writing = new AbortController();
  const world: StormWorld = {
    baseUrl: stage.baseUrl,
    openToken,
    tokens: new TokenJournal(),
    telegram: stage.telegram,
    writing: writing.signal,
    complaints: [],
  };
  const crowd = new Crowd(world, new Chance(seed).fork('candidates'));
  const channels = [
    ...Array.from({ length: options.telegram }, () => 'telegram' as const),
    ...Array.from({ length: options.web }, () => 'web' as const),
  ];
  const entered = await crowd.enter(channels);
  log(`${String(entered.length)} candidates are in; the storm begins`);
  // One candidate's prompts are refused for good: the interview goes on without the model.
  const conductor = new Conductor(stage);
  const watch = new Watch(stage);
  watch.start();
  const beganMs = performance.now();
  crowd.begin(entered, options.thinkMs);
  const edits = editBoards(stage, new Chance(seed).fork('boards'), writing.signal);
  await conductor.run(scheduleOf(seed, lengthMs));
  stage.heal();
  writing.abort();
  log('the last fault is over; waiting until nothing is left to do');
  await Promise.all([crowd.over(), edits]);
  const erased = await eraseSome(stage, crowd.all);
  log(`candidates are done, ${String(erased.size)} are erased`);
  const quiet = await untilQuiet(stage, conductor.lastEndMs, log);
  await pause(LAST_FRAMES_MS);
  await watch.stop();
  const pages = await pagesOf(crowd.all, erased);
  const stored = await storedFacts(stage);
  const outside = outsideFacts(stage, { world, pages, erased, conductor });
  const violations = [
    ...check(stored, outside),
    ...watch.violations,
    ...quiet.violations,
    ...(await leftOfErased(stage, crowd.all, erased, world.tokens)),
    ...world.complaints.map((what) => ({ rule: 'client', what })),
    ...shutdownsTooLong(stage),
  ];
  return {
    seed,
    faults: conductor.done,
    tokens: world.tokens.all.length,
    replies: stored.turns.filter(({ state }) => state === 'delivered').length,
    violations,
    recoveriesMs: watch.recoveriesMs,
    quietMs: quiet.tookMs,
    stormMs: performance.now() - beganMs,
    folder: stage.folder,
  };
}

/** Colleagues edit their boards, so that the sync always has something to rank. */
async function editBoards(stage: Stage, chance: Chance, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    chance.pick(stage.board.board.tasks).edit({ Importance: 1 + chance.below(10) });
    await pause(NOTION_EDIT_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

interface ErasedCandidate {
  readonly conversationId: string;
  readonly candidateId: string;
  readonly flushIds: readonly string[];
}

/** Erases some candidates of the page, each while an answer may be under way. */
async function eraseSome(
  stage: Stage,
  all: readonly StormCandidate[],
): Promise<Map<number, ErasedCandidate>> {
  const erased = new Map<number, ErasedCandidate>();
  const onPage = all.filter((one): one is WebCandidate => one instanceof WebCandidate);
  for (const candidate of onPage.filter((_, n) => n % ERASED_ONE_IN === 0)) {
    const { conversationId, number } = candidate;
    const [row] = await stage.rows<{ candidate_id: string }>(
      'select candidate_id from conversation where id = $1',
      [conversationId],
    );
    if (row === undefined) continue;
    const flushes = await stage.rows<{ flush_id: string }>(
      'select flush_id from turn where conversation_id = $1',
      [conversationId],
    );
    const flushIds = flushes.map(({ flush_id }) => flush_id);
    candidate.markErased();
    erased.set(number, { conversationId, candidateId: row.candidate_id, flushIds });
    await erase(stage, row.candidate_id);
  }
  return erased;
}

async function erase(stage: Stage, candidateId: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${stage.baseUrl}/api/v1/admin/candidates/${candidateId}/erase`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    }).catch(() => null);
    await response?.arrayBuffer().catch(() => null);
    if (response?.ok === true) return;
    await pause(LOOK_EVERY_MS);
  }
}

/** No row of any table names an erased candidate or repeats their words. */
async function leftOfErased(
  stage: Stage,
  all: readonly StormCandidate[],
  erased: ReadonlyMap<number, ErasedCandidate>,
  { all: tokens }: TokenJournal,
): Promise<Violation[]> {
  if (erased.size === 0) return [];
  const words = [...erased].flatMap(([number, { conversationId, candidateId, flushIds }]) => [
    conversationId,
    candidateId,
    ...flushIds,
    ...tokens.filter(({ candidate }) => candidate === number).map(({ token }) => token),
  ]);
  const tables = await stage.rows<{ name: string }>(
    `select format('%I', table_name) as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const violations: Violation[] = [];
  for (const { name } of tables) {
    const [row] = await stage.rows<{ count: number }>(
      `select count(*)::int as count from ${name} r where r::text ~ $1`,
      [`\\m(${words.join('|')})\\M`],
    );
    if (row === undefined || row.count === 0) continue;
    violations.push({
      rule: 'erasure',
      what: `${String(row.count)} rows of ${name} still name or quote an erased candidate`,
    });
  }
  return violations;
}

/** Waits until no job and no update is left; says what is left when that takes too long. */
async function untilQuiet(
  stage: Stage,
  lastEndMs: number,
  log: (line: string) => void,
): Promise<{ tookMs: number; violations: Violation[] }> {
  let deadlineMs = lastEndMs + QUIET_WITHIN_MS;
  const latestMs = lastEndMs + LONGEST_QUIET_MS;
  let toldMs = lastEndMs;
  for (;;) {
    const jobs = await liveJobs(stage).catch(() => null);
    const updates = stage.telegram.pendingUpdates.length;
    const nowMs = performance.now();
    if (jobs?.length === 0 && updates === 0) {
      return { tookMs: nowMs - lastEndMs, violations: [] };
    }
    // What waits for a retry that a fault has caused may wait for it, and then has its time.
    for (const { dueInMs, state } of jobs ?? []) {
      if (state === 'retry' && dueInMs > 0) {
        deadlineMs = Math.max(deadlineMs, nowMs + dueInMs + QUIET_WITHIN_MS);
      }
    }
    if (updates > 0) deadlineMs = latestMs;
    const left = (jobs ?? []).map(({ queue, state, dueInMs, error }) =>
      [queue, state, `due in ${String(dueInMs)} ms`, error ?? ''].join(' ').trim(),
    );
    const seconds = ((nowMs - lastEndMs) / 1000).toFixed(0);
    const what = `not quiet after ${seconds} s: ${String(updates)} updates, ${jobs === null ? 'no database' : `${String(left.length)} jobs`}: ${left.slice(0, 5).join('; ')}`;
    if (nowMs >= toldMs + TELL_EVERY_MS) {
      toldMs = nowMs;
      log(what);
    }
    if (nowMs > Math.min(deadlineMs, latestMs)) {
      return { tookMs: nowMs - lastEndMs, violations: [{ rule: 'quiet', what }] };
    }
    await pause(LOOK_EVERY_MS);
  }
}

interface LiveJob {
  readonly queue: string;
  readonly state: string;
  readonly dueInMs: number;
  readonly error: string | null;
}

function liveJobs(stage: Stage): Promise<LiveJob[]> {
  return stage.rows<LiveJob>(
    `select queue, state, last_error as error,
       case when isfinite(due_at) then (extract(epoch from due_at - now()) * 1000)::int else 0 end
         as "dueInMs"
     from job
     where queue in ('flush', 'deliver', 'intake', 'transcribe')
       and state in ('open', 'running', 'retry')
     union all
     select 'turn', state, error, 0 from turn where state in ('opened', 'answered')`,
  );
}

async function pagesOf(
  all: readonly StormCandidate[],
  erased: ReadonlyMap<number, unknown>,
): Promise<SeenPage[]> {
  const pages: SeenPage[] = [];
  for (const candidate of all) {
    if (!(candidate instanceof WebCandidate) || candidate.events === null) continue;
    const { events, number, conversationId } = candidate;
    if (!erased.has(number)) {
      pages.push({
        candidate: number,
        conversationId,
        streamed: events.replies,
        lines: new Set(events.lines.keys()),
        arrivals: events.arrivals,
        transcript: await candidate.transcript(),
        endedInside: events.endedInside,
      });
    }
    await events.close();
  }
  return pages;
}

async function storedFacts(stage: Stage): Promise<StoredFacts> {
  const [row] = await stage.rows<{ facts: StoredFacts }>(FACTS);
  if (row === undefined) throw new Error('the statement of all facts returned nothing');
  return row.facts;
}

function outsideFacts(
  stage: Stage,
  {
    world,
    pages,
    erased,
    conductor,
  }: {
    readonly world: StormWorld;
    readonly pages: readonly SeenPage[];
    readonly erased: ReadonlyMap<number, unknown>;
    readonly conductor: Conductor;
  },
): OutsideFacts {
  return {
    tokens: world.tokens.all,
    calls: stage.model.calls,
    chats: chatsOf(stage),
    pages,
    erased: new Set(erased.keys()),
    notionStartsMs: stage.notion.journal.all.map(({ atMs }) => atMs),
    frozen: conductor.done.flatMap(({ atMs, fault }) =>
      fault.kind === 'freeze' ? [{ fromMs: atMs, toMs: atMs + fault.forMs }] : [],
    ),
    timeOriginMs: performance.timeOrigin,
  };
}

/** What the chats show, from the journal of sends that took effect. */
function chatsOf({ telegram }: Stage): Map<string, string[]> {
  const chats = new Map<string, string[]>();
  for (const { params, hadEffect } of telegram.journal.calls('sendMessage')) {
    if (!hadEffect) continue;
    const chat = String(params.chat_id);
    chats.set(chat, [...(chats.get(chat) ?? []), String(params.text)]);
  }
  return chats;
}

/** I9: a replica that is told to stop ends by itself within its deadline. */
function shutdownsTooLong({ replicas }: Stage): Violation[] {
  return replicas.flatMap(({ ends }, n) =>
    ends.flatMap(({ afterTermMs, by }) => {
      if (afterTermMs === null || by === 'signal') return [];
      if (afterTermMs <= SHUTDOWN_MS + SHUTDOWN_SLACK_MS) return [];
      const what = `replica ${String(n)} took ${afterTermMs.toFixed(0)} ms to stop`;
      return [{ rule: 'I9', what }];
    }),
  );
}
