/** What one replica, one core of PostgreSQL and one Notion workspace carry, from stored results. */
import { figureOf, type StoredResult } from './stored-results';

/** Assumed: the average interview. */
const ANSWERS_PER_INTERVIEW = 12;
const MESSAGES_PER_INTERVIEW = 31;
/** How long a reply is written, as in the bench `turn-cost`. */
export const REPLY_SECONDS = 8;
/** Above this share of a core, waits grow quickly. */
const USABLE = 0.7;
/** Assumed: how busy each hour of a day is, from midnight on, when the average is 1. */
export const DAY = [
  0.3, 0.2, 0.1, 0.1, 0.1, 0.2, 0.4, 0.7, 1, 1.2, 1.3, 1.3, 1.4, 1.2, 1.1, 1.1, 1.2, 1.4, 1.7, 2,
  2.2, 2, 1.2, 0.6,
];
const BUSIEST = Math.max(...DAY);
const SECONDS_A_DAY = 86_400;
/** Of the bench `notion`: ten runs of 120 s. */
const NOTION_SECONDS = 1200;
/** Assumed: changes of a board in a working hour. */
const EDITS_AN_HOUR = 10;
/** The defaults of NOTION_BUDGET_PER_MINUTE and NOTION_SWEEP_SHARE; the interval is an hour. */
const SWEEPS_AN_HOUR = 180 * 0.1 * 60;

export interface Capacity {
  readonly of: string;
  readonly what: string;
  readonly value: number;
  /** The formula, with the figures that it used. */
  readonly from: string;
}

type Results = ReadonlyMap<string, StoredResult>;

const round = (value: number): number => Number(value.toPrecision(2));

/** Interviews a day whose busiest hour has this many answers a second. */
function interviewsADay(answersPerSecond: number): number {
  return (answersPerSecond / BUSIEST / ANSWERS_PER_INTERVIEW) * SECONDS_A_DAY;
}

/** Throws when a bench has to run first. */
export function capacityOf(results: Results): { rows: Capacity[]; first: string } {
  const of = (bench: string, name: string): number => figureOf(results, bench, name);
  const streams = of('scale', 'replies at p99 within 50 ms');
  const idleKb = of('scale', 'idle stream');
  const nodeMs = of('turn-cost', 'processor of Node for a turn');
  const postgresMs = of('turn-cost', 'processor of PostgreSQL for a turn');
  const eventsPerSecond = of('notion', '40 changed, 50 ms: events ranked') / NOTION_SECONDS;
  const byProcessor = (USABLE * 1000) / nodeMs;
  const byStreams = streams / REPLY_SECONDS;
  const ofReplica = Math.min(byProcessor, byStreams);
  const ofCore = (USABLE * 1000) / postgresMs;
  const boards = Math.min(SWEEPS_AN_HOUR, (eventsPerSecond * 3600) / EDITS_AN_HOUR);
  const replica = 'a replica (one core of Node)';
  const core = 'a core of PostgreSQL';
  const rows: Capacity[] = [
    { of: replica, what: 'replies being written', value: streams, from: 'measured: `scale`' },
    {
      of: replica,
      what: 'readers that wait, for each GB of memory',
      value: round(1e6 / idleKb),
      from: `1 GB / ${idleKb} kB (\`scale\`)`,
    },
    {
      of: replica,
      what: 'answers a second',
      value: round(ofReplica),
      from: `the smaller of ${USABLE} s / ${nodeMs} ms (\`turn-cost\`) and ${streams} replies / ${REPLY_SECONDS} s`,
    },
    {
      of: replica,
      what: 'interviews a day',
      value: round(interviewsADay(ofReplica)),
      from: `answers a second / ${BUSIEST} (busiest hour) / ${ANSWERS_PER_INTERVIEW} answers × 86,400 s`,
    },
    {
      of: core,
      what: 'answers a second',
      value: round(ofCore),
      from: `${USABLE} s / ${postgresMs} ms (\`turn-cost\`)`,
    },
    {
      of: core,
      what: 'interviews a day',
      value: round(interviewsADay(ofCore)),
      from: 'as above',
    },
    {
      of: core,
      what: 'replicas that keep it busy',
      value: round(ofCore / ofReplica),
      from: 'answers a second of a core / of a replica',
    },
    {
      of: 'a Notion workspace',
      what: 'boards',
      value: round(boards),
      from: `the smaller of ${SWEEPS_AN_HOUR} sweeps an hour and ${eventsPerSecond.toFixed(2)} ranked events a second (\`notion\`) at ${EDITS_AN_HOUR} changes a board and hour`,
    },
    ...diskRows(results, ofCore),
  ];
  return { rows, first: firstLimit({ ofReplica, byStreams, byProcessor, ofCore }) };
}

/** Only once `growth` has run. */
function diskRows(results: Results, answersPerSecond: number): Capacity[] {
  const sizes = results
    .get('growth')
    ?.figures.filter(({ name }) => name.startsWith('database for each message'));
  const bytes = sizes?.at(-1)?.value;
  if (typeof bytes !== 'number') return [];
  const perInterview = bytes * MESSAGES_PER_INTERVIEW;
  return [
    {
      of: 'a GB of disk',
      what: 'interviews',
      value: round(1e9 / perInterview),
      from: `${bytes} B a message (\`growth\`) × ${MESSAGES_PER_INTERVIEW}, without recordings, files and the texts that models were sent`,
    },
    {
      of: 'a core of PostgreSQL',
      what: 'GB a day when it is full',
      value: round((interviewsADay(answersPerSecond) * perInterview) / 1e9),
      from: 'interviews a day × their size',
    },
  ];
}

function firstLimit(of: {
  ofReplica: number;
  byStreams: number;
  byProcessor: number;
  ofCore: number;
}): string {
  if (of.ofCore < of.ofReplica) {
    return 'the core of PostgreSQL: one replica alone can keep more than one busy';
  }
  return of.byProcessor < of.byStreams
    ? 'the processor of the replica, before its streams and before PostgreSQL'
    : 'the streams of the replica, whose deltas become late, before PostgreSQL';
}
