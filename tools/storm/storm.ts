import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import {
  TelegramCandidate,
  REFUSED_WORD,
  isOver,
  type StormCandidate,
  type StormWorld,
  WebCandidate,
  write,
} from './candidates';
import { Chance } from './chance';
import { check, checkSoFar } from './check';
import { type CarriedOut, Conductor } from './conductor';
import { FACTS, type OutsideFacts, type SeenPage, type StoredFacts, type Violation } from './facts';
import { eraseSome, leftOfErased } from './erasure';
import { Onlookers } from './onlookers';
import { answersDueTooLate, untilQuiet } from './quiet';
import { type Aim, scheduleOf } from './schedule';
import { SHUTDOWN_MS, StormSetup } from './storm-setup';
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
  /**
   * What happens more often than the seed says. With `sigterm` replies take seconds too, so that many a SIGTERM
   * comes in the middle of a reply.
   */
  readonly aim: Aim | null;
  /**
   * The storm ends as soon as it sees one of these rules violated: with a bug, those that it breaks; null:
   * any rule.
   */
  readonly endsAtRules: readonly string[] | null;
  /** The longest time of the whole; a storm that takes longer is stopped and fails. */
  readonly limitMs: number;
  readonly log: (line: string) => void;
}

export interface StormResult {
  readonly seed: number;
  readonly faults: readonly CarriedOut[];
  readonly tokens: number;
  readonly replies: number;
  readonly violations: readonly Violation[];
  readonly recoveries: Watch['recoveries'];
  /** From the last fault until nothing was left to do. */
  readonly quietMs: number;
  /** The most calls to Notion in any second. */
  readonly mostOfNotion: number;
  readonly stormMs: number;
  /** Where the logs are, if there is a violation. */
  readonly folder: string;
}

/** Runs one storm with a setup of its own, from the first process to the last check. */
export async function runStorm(options: StormOptions): Promise<StormResult> {
  const beganMs = performance.now();
  const setup = await StormSetup.open(options.bug, options.log);
  const present = new AbortController();
  let isCalm = false;
  try {
    const latestMs = beganMs + options.limitMs;
    let doing = 'its candidates enter';
    const begin = (what: string): void => {
      doing = what;
    };
    const storm = stormOn(setup, options, { latestMs, present: present.signal, begin });
    // After the limit nobody waits for it any more.
    storm.catch(() => undefined);
    const leftMs = Math.max(0, latestMs - performance.now());
    const result = await Promise.race([storm, pause(leftMs, null, { ref: false })]);
    if (result === null) {
      throw new Error(`the storm did not end in ${String(options.limitMs / 1000)} s: ${doing}`);
    }
    isCalm = result.violations.length === 0;
    return result;
  } finally {
    present.abort();
    await setup.close({ keepsFolder: !isCalm && options.bug === null });
  }
}

/** A reply has about ten pieces. */
const SLOW_CHUNK_PAUSE_MS = 200;

/** For pages to read what was stored last. */
const LAST_FRAMES_MS = 3000;

/** A candidate without a response this long after the last fault hangs. */
const OVER_WITHIN_MS = 120_000;
/** And it gets this time, however little is left for the checks. */
const OVER_AT_LEAST_MS = 10_000;
/** The part of the longest time that is left for the checks at the end. */
const CHECKS_MS = 40_000;

async function stormOn(
  setup: StormSetup,
  options: StormOptions,
  {
    latestMs,
    present,
    begin,
  }: {
    readonly latestMs: number;
    readonly present: AbortSignal;
    /** Is told what the storm does next. */
    readonly begin: (what: string) => void;
  },
): Promise<StormResult> {
  const { seed, lengthMs, log } = options;
  const openToken = await setup.begin();
  const complaints: string[] = [];
  const writing = new AbortController();
  // Every candidate waits for them.
  setMaxListeners(0, writing.signal, present);
  const world: StormWorld = {
    baseUrl: setup.baseUrl,
    openToken,
    program: await setup.program(present, complaints),
    tokens: new TokenJournal(),
    telegram: setup.telegram,
    writing: writing.signal,
    present,
    complaints,
  };
  const crowd = new Crowd(world, new Chance(seed).fork('candidates'));
  const channels = [
    ...Array.from({ length: options.telegram }, () => 'telegram' as const),
    ...Array.from({ length: options.web }, () => 'web' as const),
  ];
  const onlookers = crowd.onlookers();
  const complain = (error: unknown): void => void world.complaints.push(String(error));
  const [entered] = await Promise.all([crowd.enter(channels), onlookers.enter().catch(complain)]);
  log(`${String(entered.length)} candidates are in; the storm begins`);
  begin('its faults go on');
  // The interview of one candidate has to go on without the model.
  setup.model.refusedWord = REFUSED_WORD;
  if (options.aim === 'sigterm') setup.model.chunkPauseMs = SLOW_CHUNK_PAUSE_MS;
  const conductor = new Conductor(setup);
  const watch = new Watch(setup);
  watch.start();
  const beganMs = performance.now();
  crowd.begin(entered, options.thinkMs);
  const looking = onlookers.run().catch(complain);
  const inviting = world.program.run(world.writing).catch(complain);
  const edits = editBoards(setup, new Chance(seed).fork('boards'), writing.signal);
  const resultOf = (violations: readonly Violation[], stored: StoredFacts, quietMs: number) => ({
    seed,
    faults: conductor.done,
    tokens: world.tokens.all.length,
    replies: stored.turns.filter(({ state }) => state === 'delivered').length,
    violations,
    recoveries: watch.recoveries,
    quietMs,
    mostOfNotion: setup.notion.journal.mostWithin(1000),
    stormMs: performance.now() - beganMs,
    folder: setup.folder,
  });
  const soFar = async (): Promise<StormResult | null> => {
    const pages = await pagesOf(crowd.all, null);
    // A copy, because what is acknowledged while the statement runs may not be in its result.
    const outside = structuredClone(
      outsideFacts(setup, { world, pages, erased: new Map(), onlookers }),
    );
    const stored = await storedFacts(setup);
    const found = [...checkSoFar(stored, outside), ...(await answersDueTooLate(setup))].filter(
      ({ rule }) => options.endsAtRules?.includes(rule) ?? true,
    );
    return found.length > 0 ? resultOf(found, stored, 0) : null;
  };
  const isStormOver = conductor.run(scheduleOf(seed, lengthMs, options.aim)).then(() => null);
  const early = await Promise.race([isStormOver, repeat(soFar, present)]);
  if (early !== null) return early;
  setup.heal();
  writing.abort();
  log('the last fault is over; waiting until nothing is left to do');
  begin('its candidates wait for responses');
  const overWithinMs = Math.max(
    OVER_AT_LEAST_MS,
    Math.min(OVER_WITHIN_MS, latestMs - CHECKS_MS - performance.now()),
  );
  const areOver = await Promise.race([
    Promise.all([crowd.over(), edits, looking, inviting]).then(() => true),
    pause(overWithinMs, false, { ref: false }),
  ]);
  if (!areOver) {
    const seconds = (overWithinMs / 1000).toFixed(0);
    world.complaints.push(`candidates still waited ${seconds} s after the last fault`);
  }
  const erased = await eraseSome(setup, crowd.all);
  log(`candidates are done, ${String(erased.size)} are erased`);
  const quiet = await untilQuiet(setup, conductor.lastEndMs, { log, look: begin });
  begin('it compares what is stored with what was seen');
  await pause(LAST_FRAMES_MS);
  await watch.stop();
  const pages = await pagesOf(crowd.all, erased);
  for (const candidate of crowd.all)
    if (candidate instanceof WebCandidate) await candidate.events?.close();
  const stored = await storedFacts(setup);
  const outside = outsideFacts(setup, { world, pages, erased, onlookers });
  const violations = [
    ...check(stored, outside),
    ...watch.violations,
    ...quiet.violations,
    ...(await leftOfErased(setup, crowd.all, erased, world.tokens)),
    ...world.complaints.map((what) => ({ rule: 'client', what })),
    ...shutdownsTooLong(setup),
  ];
  return resultOf(violations, stored, quiet.tookMs);
}

const ENTER_AT_ONCE = 12;
const FIRST_ONLOOKER = 1_000_000;

/** Candidates who are writing; a candidate whose interview is nearly over is replaced. */
class Crowd {
  readonly all: StormCandidate[] = [];
  private readonly writing: Promise<void>[] = [];

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
        try {
          await candidate.enter();
          entered.push(candidate);
        } catch (error) {
          this.world.complaints.push(String(error));
        }
      }
    };
    await Promise.all(Array.from({ length: ENTER_AT_ONCE }, enterOne));
    return entered;
  }

  begin(first: readonly StormCandidate[], thinkMs: number): void {
    for (const candidate of first) {
      const writing = this.keepWriting(candidate, thinkMs).catch((error: unknown) => {
        this.world.complaints.push(String(error));
      });
      this.writing.push(writing);
    }
  }

  async over(): Promise<void> {
    await Promise.all(this.writing);
  }

  private async keepWriting(first: StormCandidate, thinkMs: number): Promise<void> {
    const channel = channelOf(first);
    let candidate = first;
    for (;;) {
      const chance = this.chance.fork(`candidate ${String(candidate.number)}`);
      await write(candidate, this.world, { chance, thinkMs, channel });
      if (isOver(this.world.writing)) return;
      candidate = this.create(channel);
      try {
        await candidate.enter();
      } catch (error) {
        this.world.complaints.push(String(error));
        return;
      }
    }
  }

  /** They have numbers of their own, and are not replaced. */
  onlookers(): Onlookers {
    const chance = this.chance.fork('onlookers');
    const asking = new WebCandidate(FIRST_ONLOOKER, this.world, chance);
    return new Onlookers(this.world, FIRST_ONLOOKER + 1, asking);
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

const LOOK_EVERY_MS = 3000;

/** Calls it again and again until it has a result; it fails while the database is away. */
async function repeat<T>(look: () => Promise<T | null>, signal: AbortSignal): Promise<T | null> {
  while (!isOver(signal)) {
    await pause(LOOK_EVERY_MS);
    const result = await look().catch(() => null);
    if (result !== null) return result;
  }
  return null;
}

const NOTION_EDIT_EVERY_MS = 60;

/** Colleagues edit their boards, so that the sync always has something to rank. */
async function editBoards(setup: StormSetup, chance: Chance, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    chance.pick(setup.board.board.tasks).edit({ Importance: 1 + chance.below(10) });
    await pause(NOTION_EDIT_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** `erased`: their pages are left out; null: nobody is, and the transcripts are not read. */
async function pagesOf(
  all: readonly StormCandidate[],
  erased: ReadonlyMap<number, unknown> | null,
): Promise<SeenPage[]> {
  const pages: SeenPage[] = [];
  for (const candidate of all) {
    if (!(candidate instanceof WebCandidate) || candidate.events === null) continue;
    const { events, number, conversationId } = candidate;
    if (erased?.has(number) === true) continue;
    pages.push({
      candidate: number,
      conversationId,
      streamed: events.replies,
      ended: events.ended,
      readUpToSeq: events.readUpToSeq,
      lines: new Set(events.lines.keys()),
      arrivals: events.arrivals,
      transcript: erased === null ? new Map() : await candidate.transcript(),
      endedInside: events.endedInside,
    });
  }
  return pages;
}

async function storedFacts(setup: StormSetup): Promise<StoredFacts> {
  const [row] = await setup.rows<{ facts: StoredFacts }>(FACTS);
  if (row === undefined) throw new Error('the statement of all facts returned nothing');
  return row.facts;
}

function outsideFacts(
  setup: StormSetup,
  {
    world,
    pages,
    erased,
    onlookers,
  }: {
    readonly world: StormWorld;
    readonly pages: readonly SeenPage[];
    readonly erased: ReadonlyMap<number, unknown>;
    readonly onlookers: Onlookers;
  },
): OutsideFacts {
  return {
    tokens: world.tokens.all,
    calls: setup.model.calls,
    seenByModel: setup.model.seenTokens,
    onlookers: onlookers.facts,
    invited: world.program.invited,
    chats: chatsOf(setup),
    pages,
    erased: new Set(erased.keys()),
    notionStartsMs: setup.notion.journal.all.map(({ atMs }) => atMs),
    stalls: setup.stalls.all,
    frozen: setup.replicas.flatMap((replica) => replica.frozen),
    timeOriginMs: performance.timeOrigin,
  };
}

/** What the chats show, from the journal of sends that took effect. */
function chatsOf({ telegram }: StormSetup): Map<string, string[]> {
  const chats = new Map<string, string[]>();
  for (const { params, hadEffect } of telegram.journal.calls('sendMessage')) {
    if (!hadEffect) continue;
    const chat = String(params.chat_id);
    chats.set(chat, [...(chats.get(chat) ?? []), String(params.text)]);
  }
  return chats;
}

/** A shutdown may end late on a machine that is busy. */
const SHUTDOWN_SLACK_MS = 7000;

/** I9: a replica that is told to stop ends by itself within its deadline. */
function shutdownsTooLong({ replicas }: StormSetup): Violation[] {
  return replicas.flatMap(({ ends }, n) =>
    ends.flatMap(({ afterTermMs, by }) => {
      if (afterTermMs === null || by === 'signal') return [];
      if (afterTermMs <= SHUTDOWN_MS + SHUTDOWN_SLACK_MS) return [];
      const what = `replica ${String(n)} took ${afterTermMs.toFixed(0)} ms to stop`;
      return [{ rule: 'I9', what }];
    }),
  );
}
