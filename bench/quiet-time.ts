/**
 * How long a candidate waits, and how many answers are split, with fixed quiet times of 2 to 20 s and
 * with the learned one. Generated writers (lib/writers.ts) are played through the functions that
 * learn_quiet_time itself calls (answer_pace.sql), on simulated time; what is learned holds from the
 * claim on, as there. With `--tune` it runs on the seeds
 * that the constants of these functions were tuned on; the stored result is on other seeds.
 *
 *   split   the answer was flushed before its last message
 *   wait    from the last message of a buffer to its flush
 *
 * Two channels: on Telegram nothing is known between two messages, and on the page the first key ends
 * the wait, because typing keeps an answer open.
 */
import { Pool } from 'pg';
import { type AnswerEnd, LEARNED, oddsOf } from '../src/buffer/answer-pace';
import { openBenchDatabase } from './lib/database';
import { type Figure, report } from './lib/report';
import { median, percentile } from './lib/stats';
import { type WrittenMessage, type Writer, makeWriters } from './lib/writers';

const TUNING_SEEDS = [11, 12, 13];
const RESULT_SEEDS = [9001, 9002, 9003, 9004, 9005];
const OF_EACH_KIND = 40;
const FIXED_S = [2, 3, 4, 5, 6, 8, 10, 12, 15, 20];
/** The setting without learning, and the split rate that the learned quiet time is compared with. */
const REFERENCE_S = { telegram: 10, web: 4 } as const;
/** From the flush to the stored reply. A message in between belongs to the answer that was flushed. */
const REPLY_MS = 3000;

/** As in learn_quiet_time: nobody types faster. */
const MS_PER_CHAR = 100;

type Place = keyof typeof REFERENCE_S;

/** What is learned of one writer: the columns of `conversation`. */
interface Pace {
  readonly messages: number;
  readonly gaps: number;
  readonly mean: number;
  readonly variance: number;
}

interface Moment {
  readonly message: WrittenMessage;
  readonly isLastOfAnswer: boolean;
}

interface Play {
  readonly writer: Writer;
  readonly moments: readonly Moment[];
  /** From all messages so far. */
  pace: Pace;
  /** The same when the last answer was claimed; the quiet time follows from it. */
  claimed: Pace;
  /** The quiet time after the last message; null before the first. */
  windowMs: number | null;
  isAnswerSplit: boolean;
}

interface Outcome {
  readonly waits: number[];
  answers: number;
  split: number;
  readonly splitByKind: Map<string, number>;
}

const UNKNOWN: Pace = { messages: 0, gaps: 0, mean: 0, variance: 0 };

const AFTER_GAP = `
  select w.messages + 1 as messages, w.gaps + (w.gap is not null)::int as gaps,
    case when w.gap is null then w.mean else mean_with_gap(w.gaps, w.mean, w.gap) end as mean,
    case when w.gap is null then w.variance
      else variance_with_gap(w.gaps, w.mean, w.variance, w.gap) end as variance
  from unnest($1::int[], $2::int[], $3::float8[], $4::float8[], $5::float8[])
    with ordinality as w (messages, gaps, mean, variance, gap, n)
  order by w.n`;

/** As an append applies the setting and the bounds. */
const QUIET_MS = `
  select case when $6::int is null or w.messages < $6 then $7::float8
    else least($9::float8, greatest($8::float8,
      quiet_time_ms($7, w.messages, w.gaps, w.mean, w.variance, w.odds))) end as ms
  from unnest($1::int[], $2::int[], $3::float8[], $4::float8[], $5::float8[])
    with ordinality as w (messages, gaps, mean, variance, odds, n)
  order by w.n`;

/** In production `enough` null means that nothing is learned: a fixed quiet time. */
interface Policy {
  readonly settingMs: number;
  readonly learning: { enough: number; floorMs: number; ceilingMs: number } | null;
}

/** How long nothing came after the message before this one: on the page until the first key. */
function silenceMs({ gapMs, pauseMs }: WrittenMessage, place: Place): number {
  return place === 'web' ? pauseMs : gapMs;
}

/** Ends the wait that the message before this one began. Returns the pause that production learns. */
function close(play: Play, message: WrittenMessage, place: Place, outcome: Outcome): number | null {
  if (message.gapMs === 0 || play.windowMs === null) return null;
  const silence = silenceMs(message, place);
  if (silence < play.windowMs) return silence;
  outcome.waits.push(play.windowMs);
  play.isAnswerSplit = true;
  play.claimed = play.pace;
  // Later than the reply it looks like the next answer, unless nobody types so fast.
  // On the page no activity is noted after the flush.
  const latestMs = play.windowMs + REPLY_MS + message.chars * MS_PER_CHAR;
  return message.gapMs < latestMs ? message.gapMs : null;
}

function finishAnswer(play: Play, windowMs: number, outcome: Outcome): void {
  outcome.waits.push(windowMs);
  play.claimed = play.pace;
  outcome.answers += 1;
  if (play.isAnswerSplit) {
    outcome.split += 1;
    const { kind } = play.writer;
    outcome.splitByKind.set(kind, (outcome.splitByKind.get(kind) ?? 0) + 1);
  }
  play.isAnswerSplit = false;
}

function playOf(writer: Writer): Play {
  const moments = writer.answers.flatMap((answer) =>
    answer.map((message, n) => ({ message, isLastOfAnswer: n === answer.length - 1 })),
  );
  return { writer, moments, pace: UNKNOWN, claimed: UNKNOWN, windowMs: null, isAnswerSplit: false };
}

function columnsOf(paces: readonly Pace[]): number[][] {
  return (['messages', 'gaps', 'mean', 'variance'] as const).map((name) =>
    paces.map((pace) => pace[name]),
  );
}

/** All writers in step: the n-th message of each in two queries. */
async function playAll(
  pool: Pool,
  writers: readonly Writer[],
  place: Place,
  policy: Policy,
): Promise<Outcome> {
  const outcome: Outcome = { waits: [], answers: 0, split: 0, splitByKind: new Map() };
  const plays = writers.map(playOf);
  for (let n = 0; ; n += 1) {
    const now = plays.flatMap((play) => {
      const moment = play.moments[n];
      return moment === undefined ? [] : [{ play, moment }];
    });
    if (now.length === 0) return outcome;
    const gaps = now.map(({ play, moment }) => close(play, moment.message, place, outcome));
    const { rows: paces } = await pool.query<Pace>(AFTER_GAP, [
      ...columnsOf(now.map(({ play }) => play.pace)),
      gaps,
    ]);
    const { rows: quiet } = await pool.query<{ ms: number }>(QUIET_MS, [
      ...columnsOf(now.map(({ play }) => play.claimed)),
      now.map(({ moment }) => oddsOf(moment.message.end satisfies AnswerEnd)),
      policy.learning?.enough ?? null,
      policy.settingMs,
      policy.learning?.floorMs ?? 0,
      policy.learning?.ceilingMs ?? 0,
    ]);
    for (const [index, { play, moment }] of now.entries()) {
      const [pace, after] = [paces[index], quiet[index]];
      if (pace === undefined || after === undefined) {
        throw new Error('the database returned too few rows');
      }
      play.pace = pace;
      play.windowMs = after.ms;
      if (moment.isLastOfAnswer) finishAnswer(play, after.ms, outcome);
    }
  }
}

function splitPercent({ split, answers }: Outcome): number {
  return (100 * split) / answers;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function figuresOf(name: string, outcome: Outcome): Figure[] {
  const seconds = (share: number): number => percentile(outcome.waits, share) / 1000;
  return [
    { name: `${name}: answers split`, value: splitPercent(outcome), unit: '%' },
    { name: `${name}: median wait`, value: seconds(0.5), unit: 's' },
    { name: `${name}: mean wait`, value: meanOf(outcome.waits) / 1000, unit: 's' },
    { name: `${name}: 90th percentile of the wait`, value: seconds(0.9), unit: 's' },
  ];
}

async function measure(pool: Pool, seeds: readonly number[], place: Place): Promise<Figure[]> {
  const writers = seeds.flatMap((seed) => makeWriters(seed, OF_EACH_KIND));
  const referenceS = REFERENCE_S[place];
  const figures: Figure[] = [];
  let reference: Outcome | undefined;
  for (const fixedS of FIXED_S) {
    const fixed = { settingMs: fixedS * 1000, learning: null };
    const outcome = await playAll(pool, writers, place, fixed);
    if (fixedS === referenceS) reference = outcome;
    figures.push(...figuresOf(`${place}, fixed ${String(fixedS)} s`, outcome));
  }
  if (reference === undefined) throw new Error('the reference is not among the fixed quiet times');
  const learned = await playAll(pool, writers, place, {
    settingMs: referenceS * 1000,
    learning: LEARNED,
  });
  figures.push(...figuresOf(`${place}, learned`, learned));
  const name = `${place}, learned over fixed ${String(referenceS)} s`;
  const bounded = place === 'telegram';
  figures.push(
    {
      name: `${name}: split answers`,
      value: learned.split / reference.split,
      unit: '×',
      ...(bounded && { bound: { atMost: 1 } }),
    },
    {
      name: `${name}: median wait`,
      value: median(learned.waits) / median(reference.waits),
      unit: '×',
      ...(bounded && { bound: { atMost: 0.5 } }),
    },
    {
      name: `${name}: mean wait`,
      value: meanOf(learned.waits) / meanOf(reference.waits),
      unit: '×',
    },
  );
  for (const [kind, split] of learned.splitByKind) {
    const before = reference.splitByKind.get(kind) ?? 0;
    figures.push({ name: `${name}, ${kind}`, value: split / before, unit: '×' });
  }
  return figures;
}

async function main(): Promise<void> {
  const isTuning = process.argv.includes('--tune');
  const seeds = isTuning ? TUNING_SEEDS : RESULT_SEEDS;
  const database = await openBenchDatabase();
  const pool = new Pool({ connectionString: database.url, max: 1 });
  try {
    const figures = [
      ...(await measure(pool, seeds, 'telegram')),
      ...(await measure(pool, seeds, 'web')),
    ];
    report(isTuning ? 'quiet-time-tuning' : 'quiet-time', figures, [
      `${String(seeds.length * OF_EACH_KIND)} writers of each of 9 kinds, seeds ${seeds.join(', ')}; ` +
        `the constants were tuned on seeds ${TUNING_SEEDS.join(', ')} only`,
    ]);
  } finally {
    await pool.end();
    await database.close();
  }
}

void main();
