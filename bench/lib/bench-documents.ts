/** What documents say of stored results: the table in the README, docs/scaling.md, and a chart. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { capacityOf } from './capacity-table';
import { growthChart } from './growth-chart';
import { type StoredResult, storedResults } from './stored-results';

const ROOT = path.join(__dirname, '..', '..');

interface Row {
  readonly bench: string;
  readonly what: string;
  /** The figures that are shown. */
  readonly shown: readonly string[];
  /** The alternative measured in the same bench; its figures are shown too. */
  readonly beside?: { readonly name: string; readonly figures: readonly string[] };
}

/** In the order of the table. A bench that is not named here is shown with its first figure. */
const ROWS: readonly Row[] = [
  {
    bench: 'chat-sdk',
    what: 'Telegram updates with a 200; who gets a reply after `kill -9`',
    shown: ['ours: accepted', 'ours: chats that got a reply without another word'],
    beside: {
      name: 'Chat SDK',
      figures: ['Chat SDK: accepted', 'Chat SDK: chats that got a reply without another word'],
    },
  },
  {
    bench: 'scale-ai-sdk',
    what: 'replies written at a time whose deltas are in time (p99 within 50 ms)',
    shown: ['ours: replies at p99 within 50 ms', 'ours: processor of the server for each delta'],
    beside: {
      name: '`streamText`, resumable on Redis',
      figures: [
        'AI SDK: replies at p99 within 50 ms',
        'AI SDK: processor of the server for each delta',
      ],
    },
  },
  ...(['pg-boss', 'Graphile Worker', 'BullMQ, fsync always'] as const).map((name) => ({
    bench: 'queues',
    what: 'jobs claimed and completed; from stored to started',
    shown: ['ours: claimed and completed', 'ours: stored to started, p50'],
    beside: {
      name,
      figures: [`${name}: claimed and completed`, `${name}: stored to started, p50`],
    },
  })),
  {
    bench: 'growth',
    what: 'what calls cost when the database has grown',
    shown: [
      'append, over 10 k, 1 M',
      'claim of 16, over 10 k, 1 M',
      'erasure of a person, over 10 k, 1 M',
    ],
  },
  {
    bench: 'queue',
    what: 'cores of PostgreSQL for 1,000 answers a second (simulated)',
    shown: ['one rate: cores that are enough', 'a day: cores that are enough'],
  },
  {
    bench: 'scale',
    what: 'one replica under 5,000 idle streams and replies',
    shown: ['replies at p99 within 50 ms', 'idle stream'],
  },
  {
    bench: 'append',
    what: 'a message as it is received, against a bare insert',
    shown: ['a message as it is received', 'received over bare insert'],
  },
  {
    bench: 'first-character',
    what: 'what is added between model and reader',
    shown: ['added between model and reader, p50', 'added between model and reader, p99'],
  },
  {
    bench: 'tripwires',
    what: 'commits under 200 replies at a time',
    shown: ['commit, p99', 'wait for a connection, p99'],
  },
  { bench: 'claim', what: 'a claim among 500,000 done jobs', shown: ['a claim of 16, median'] },
  {
    bench: 'flush-lateness',
    what: 'how late answers are claimed',
    shown: ['claim − due over bare timers, p99'],
  },
  {
    bench: 'notion',
    what: 'the use of Notion’s three requests a second',
    shown: ['40 changed, 50 ms: used, worst run', '40 changed, 50 ms: 429'],
  },
  {
    bench: 'turn-cost',
    what: 'processor time of an answer and its reply of 8 s',
    shown: ['processor of Node for a turn', 'processor of PostgreSQL for a turn'],
  },
  {
    bench: 'webhook',
    what: 'a Telegram update to its 200, against a bare insert',
    shown: ['ours', 'ours over bare'],
  },
  {
    bench: 'telegram-bursts',
    what: 'bursts of messages in 500 chats',
    shown: ['not stored', 'claim − due, p99'],
  },
  {
    bench: 'wrong-replica',
    what: 'readers on another replica than the reply',
    shown: ['lag of the other replica, p99'],
  },
  { bench: 'idle-streams', what: 'memory of an idle stream', shown: ['idle /events stream'] },
  {
    bench: 'delta-rows',
    what: 'rows written for each delta',
    shown: ['rows written for each delta', 'WAL for each delta'],
  },
  {
    bench: 'uow',
    what: '200 streams on a pool of 5: a held runner against a lease for each commit',
    shown: ['pinned over leased'],
  },
  {
    bench: 'large-tables',
    what: 'whether any statement reads a large table from end to end',
    shown: ['statements that read a hot table from end to end'],
  },
  {
    bench: 'autovacuum',
    what: 'growth of `job` until it is vacuumed',
    shown: ['at 2 % dead: growth of the table and its indexes'],
  },
  {
    bench: 'hot-tables',
    what: 'updates that touch no index',
    shown: ['job: HOT updates, filled to 70 %'],
  },
  {
    bench: 'metadata',
    what: 'lost updates of one conversation, 50 writers',
    shown: ['one conversation: lost by ours'],
  },
  {
    bench: 'quiet-time',
    what: 'the learned quiet time against a fixed one',
    shown: ['web, learned over fixed 4 s: median wait'],
  },
  {
    bench: 'refused-prompt',
    what: 'others’ replies beside a prompt that fails',
    shown: ['p95 beside a refused prompt, times that without'],
  },
  {
    bench: 'strangers',
    what: 'what strangers add to a candidate’s reads',
    shown: ['chat: what strangers add to p99'],
  },
  {
    bench: 'transcript-attack',
    what: 'memory under an endless transcript',
    shown: ['peak once it was read'],
  },
  {
    bench: 'page',
    what: 'the candidate page with an empty cache',
    shown: ['en: first heading', 'en: interactive'],
  },
  { bench: 'notion-intake', what: 'Notion events, 50 boards', shown: ['an event, p99, 50 boards'] },
  {
    bench: 'notion-import',
    what: 'an edit during an import of pages',
    shown: ['longest, over alone'],
  },
  {
    bench: 'notion-latency',
    what: 'use of Notion’s rate by latency of the database',
    shown: ['100 ms, jitter 25 ms: used'],
  },
  {
    bench: 'failing-board',
    what: 'edits beside a board that fails',
    shown: ['p95, one board fails, over without'],
  },
];

export interface BenchDocument {
  /** From the root of the project. */
  readonly file: string;
  readonly text: string;
}

/** Every document that shows results, as it should be. Documents without their markers are left out. */
export function benchDocuments(): BenchDocument[] {
  const results = storedResults();
  const growth = results.get('growth');
  const documents = [
    between('README.md', 'benches', benchTable(results)),
    between('docs/scaling.md', 'capacity', capacityTable(results)),
    ...(growth === undefined
      ? []
      : [{ file: 'docs/pictures/growth.svg', text: growthChart(growth) }]),
  ];
  return documents.filter((one) => one !== null);
}

/** Writes them; returns which. */
export function writeBenchDocuments(): string[] {
  return benchDocuments().map(({ file, text }) => {
    writeFileSync(path.join(ROOT, file), text);
    return file;
  });
}

/** The file with that text between `<!-- name:start -->` and `<!-- name:end -->`. */
function between(file: string, name: string, inner: string): BenchDocument | null {
  const full = path.join(ROOT, file);
  const text = existsSync(full) ? readFileSync(full, 'utf8') : '';
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) return null;
  const framed = `\n<!-- prettier-ignore-start -->\n${inner}\n<!-- prettier-ignore-end -->\n`;
  return { file, text: text.slice(0, from + start.length) + framed + text.slice(to) };
}

/** All stored benches in one table. */
export function benchTable(results: ReadonlyMap<string, StoredResult>): string {
  const named = new Set(ROWS.map(({ bench }) => bench));
  const others = [...results.values()].filter(({ bench }) => !named.has(bench));
  const rows: Row[] = [
    ...ROWS,
    ...others.map(({ bench, figures }) => ({ bench, what: '', shown: [mainFigure(figures)] })),
  ];
  const lines = rows.flatMap(({ bench, what, shown, beside }) => {
    const result = results.get(bench);
    if (result === undefined) return [];
    const other =
      beside === undefined ? '' : `${beside.name}: ${shownFigures(result, beside.figures)}`;
    const link = `[\`${bench}\`](bench/results/${bench}.json)`;
    return [
      `| ${link} | ${what} | ${shownFigures(result, shown)} | ${boundsOf(result)} | ${other} |`,
    ];
  });
  return [
    '| `npm run bench …` | What it measures | Result | Bounds that it sets itself | What you would otherwise pick |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
    '',
    'The heads of `bench/chat-sdk.ts`, `bench/scale-ai-sdk.ts` and `bench/queues.ts` say with which settings the others run, what',
    'they do that Colloquy does not, and what cannot be compared: in `queues`, for one, each of our jobs is stored and completed by a',
    'commit of its own, while pg-boss and Graphile Worker complete many at once.',
  ].join('\n');
}

function mainFigure(figures: StoredResult['figures']): string {
  return (figures.find(({ bound }) => bound !== undefined) ?? figures[0])?.name ?? '';
}

/** Throws when the result lacks one of them: a figure that is renamed must be renamed above, too. */
function shownFigures({ bench, figures }: StoredResult, names: readonly string[]): string {
  return names
    .map((name) => {
      const figure = figures.find((one) => one.name === name);
      if (figure === undefined) throw new Error(`bench/results/${bench}.json lacks "${name}"`);
      const { value, unit } = figure;
      const label = name.replace(
        /^(ours|AI SDK|Chat SDK|pg-boss|Graphile Worker|BullMQ[^:]*): /,
        '',
      );
      return `${label} ${value === null ? 'not finished' : value.toLocaleString('en-US')} ${unit}`.trim();
    })
    .join('; ');
}

/** "3 met", or which were missed. */
function boundsOf({ figures }: StoredResult): string {
  const bounded = figures.filter(({ bound }) => bound !== undefined);
  const missed = bounded.filter(({ isMet }) => isMet !== true);
  if (bounded.length === 0) return '';
  if (missed.length === 0) return `${bounded.length} met`;
  const names = missed.map(({ name, value, unit }) =>
    `${name} ${value ?? 'not finished'} ${unit}`.trim(),
  );
  return `${bounded.length - missed.length} of ${bounded.length} met; missed: ${names.join(', ')}`;
}

function capacityTable(results: ReadonlyMap<string, StoredResult>): string {
  const { rows, first } = capacityOf(results);
  return [
    '| Of | It carries | | Computed from |',
    '| --- | --- | --- | --- |',
    ...rows.map(
      ({ of, what, value, from }) =>
        `| ${of} | ${what} | ${value.toLocaleString('en-US')} | ${from} |`,
    ),
    '',
    `What breaks first with one replica and one core of PostgreSQL: ${first}.`,
  ].join('\n');
}
