/** What documents say of stored results: README, docs/measurements.md, docs/scaling.md, and a chart. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { capacityOf } from './capacity-table';
import { growthChart } from './growth-chart';
import { type StoredResult, storedResults } from './stored-results';

const ROOT = path.join(__dirname, '..', '..');

interface Row {
  readonly bench: string;
  /** In a plain sentence, what it measures. */
  readonly says: string;
  /** The figures that are shown. */
  readonly shown: readonly string[];
  /** The alternative measured in the same bench; its figures are shown too. */
  readonly beside?: { readonly name: string; readonly figures: readonly string[] };
}

/** In the order of the table. A bench that is not named here is shown with its first figure. */
const OUR_QUEUE = queueOf('ours');

function queueOf(name: string): string[] {
  return [`${name}: claimed and completed`, `${name}: stored to started, p50`];
}

const ROWS: readonly Row[] = [
  {
    bench: 'chat-sdk',
    says: 'How many Telegram updates a second get their 200, and who gets a reply after `kill -9` without writing again. A 200 of ours means that the message is stored.',
    shown: ['ours: accepted', 'ours: chats that got a reply without another word'],
    beside: {
      name: 'Chat SDK',
      figures: ['Chat SDK: accepted', 'Chat SDK: chats that got a reply without another word'],
    },
  },
  {
    bench: 'scale-ai-sdk',
    says: 'How many replies can be written at a time, on one processor, before one delta in a hundred is more than 50 ms late.',
    shown: ['ours: replies at p99 within 50 ms', 'ours: processor of the server for each delta'],
    beside: {
      name: '`streamText`, resumable on Redis',
      figures: [
        'AI SDK: replies at p99 within 50 ms',
        'AI SDK: processor of the server for each delta',
      ],
    },
  },
  {
    bench: 'queues',
    says: 'How many small jobs a second are claimed and completed, and how soon one starts after it is stored. pg-boss completes many at once and is faster; ours start much sooner.',
    shown: OUR_QUEUE,
    beside: { name: 'pg-boss', figures: queueOf('pg-boss') },
  },
  {
    bench: 'queues',
    says: 'The same beside Graphile Worker, which also completes many at once: it is faster in both.',
    shown: OUR_QUEUE,
    beside: { name: 'Graphile Worker', figures: queueOf('Graphile Worker') },
  },
  {
    bench: 'queues',
    says: 'The same beside BullMQ on Redis, with a sync for each write: it is faster in both, and cannot store a job in the transaction of the change that it follows from.',
    shown: OUR_QUEUE,
    beside: { name: 'BullMQ, fsync always', figures: queueOf('BullMQ, fsync always') },
  },
  {
    bench: 'growth',
    says: 'How much longer calls take when the database has a hundred times as many messages. What belongs to one conversation should not grow.',
    shown: [
      'append, over 10 k, 1 M',
      'claim of 16, over 10 k, 1 M',
      'erasure of a person, over 10 k, 1 M',
    ],
  },
  {
    bench: 'queue',
    says: 'How many cores PostgreSQL needs for 1,000 answers a second, by a simulation with measured service times: at one rate, and with the busy evening of a day.',
    shown: ['one rate: cores that are enough', 'a day: cores that are enough'],
  },
  {
    bench: 'scale',
    says: 'How many replies one replica writes in time beside 5,000 idle streams, and the memory of such a stream.',
    shown: ['replies at p99 within 50 ms', 'idle stream'],
  },
  {
    bench: 'append',
    says: 'How many messages of candidates a second are stored, and how that compares with one bare insert of the same text.',
    shown: ['a message as it is received', 'received over bare insert'],
  },
  {
    bench: 'deferred-begin',
    says: 'What it earns that BEGIN goes to the database together with the first statement of a transaction.',
    shown: ['4 statements, database here', '4 statements, database 1 ms away'],
  },
  {
    bench: 'first-character',
    says: 'What Colloquy adds between the first character of the model and the reader who sees it.',
    shown: ['added between model and reader, p50', 'added between model and reader, p99'],
  },
  {
    bench: 'tripwires',
    says: 'How long commits take, and wait for a connection, while 200 replies are written on a pool of five.',
    shown: ['commit, p99', 'wait for a connection, p99'],
  },
  {
    bench: 'claim',
    says: 'How long it takes to claim 16 jobs among half a million that are done.',
    shown: ['a claim of 16, median'],
  },
  {
    bench: 'flush-lateness',
    says: 'How much later than a bare timer an answer is claimed when its quiet time is over.',
    shown: ['claim − due over bare timers, p99'],
  },
  {
    bench: 'notion',
    says: 'How much of Notion’s three requests a second is used, and how often Notion refuses one.',
    shown: ['40 changed, 50 ms: used, worst run', '40 changed, 50 ms: 429'],
  },
  {
    bench: 'turn-cost',
    says: 'How much processor time one answer and its reply of 8 s take.',
    shown: ['processor of Node for a turn', 'processor of PostgreSQL for a turn'],
  },
  {
    bench: 'webhook',
    says: 'How many Telegram updates a second are durable before their 200, and how that compares with a handler that only inserts them.',
    shown: ['ours', 'ours over bare'],
  },
  {
    bench: 'telegram-bursts',
    says: 'Whether bursts of messages in 500 chats are all stored, and how late their answers are claimed.',
    shown: ['not stored', 'claim − due, p99'],
  },
  {
    bench: 'wrong-replica',
    says: 'How much later a reader sees a reply on another replica than the one that writes it.',
    shown: ['lag of the other replica, p99'],
  },
  {
    bench: 'idle-streams',
    says: 'How much memory a stream takes on which nothing happens.',
    shown: ['idle /events stream'],
  },
  {
    bench: 'delta-rows',
    says: 'How little a streamed reply writes to the database: rows and WAL for each delta.',
    shown: ['rows written for each delta', 'WAL for each delta'],
  },
  {
    bench: 'uow',
    says: 'How much longer commits take when each of 200 streams keeps a QueryRunner, compared with one that is leased for each commit, on a pool of five.',
    shown: ['pinned over leased'],
  },
  {
    bench: 'large-tables',
    says: 'Whether any statement reads a large table from end to end, with a million jobs.',
    shown: ['statements that read a hot table from end to end'],
  },
  {
    bench: 'autovacuum',
    says: 'How much the table of jobs grows before PostgreSQL cleans it.',
    shown: ['at 2 % dead: growth of the table and its indexes'],
  },
  {
    bench: 'hot-tables',
    says: 'How many updates of a job write no index, with the free space that its pages have.',
    shown: ['job: HOT updates, filled to 70 %'],
  },
  {
    bench: 'metadata',
    says: 'Whether 50 writers of one conversation’s metadata lose an update.',
    shown: ['one conversation: lost by ours'],
  },
  {
    bench: 'quiet-time',
    says: 'How long candidates wait with the quiet time that is learned from them, compared with a fixed one of 4 s, without more answers being split.',
    shown: ['web, learned over fixed 4 s: median wait'],
  },
  {
    bench: 'refused-prompt',
    says: 'How much longer others wait while the model refuses everything that one candidate writes.',
    shown: ['p95 beside a refused prompt, times that without'],
  },
  {
    bench: 'prompt-price',
    says: 'What the prompts of an interview cost, a token that stands in a shared beginning at a quarter, over the prompts of the version before.',
    shown: [
      "en, answers: price, times the base's",
      "en, asks, few documents: price, times the base's",
      'en, asks, few documents: requests for a question of the candidate',
    ],
  },
  {
    bench: 'scoring-cost',
    says: 'What one scoring of an example interview costs, over the version before.',
    shown: [
      'en, a server that knows n: requests',
      "en, a server that knows n: input, times the base's",
      "en, a server that ignores n: input, times the base's",
    ],
  },
  {
    bench: 'strangers',
    says: 'How much requests without a session slow down the reads of candidates.',
    shown: ['chat: what strangers add to p99'],
  },
  {
    bench: 'transcript-attack',
    says: 'How much memory one candidate can make the process use with an endless transcript.',
    shown: ['peak once it was read'],
  },
  {
    bench: 'page',
    says: 'How soon the page shows its heading and can be used, on a slow connection with an empty cache.',
    shown: ['en: first heading', 'en: interactive'],
  },
  {
    bench: 'console-size',
    says: 'How much the team’s console loads, by route, compressed by gzip.',
    shown: ['sign-in: scripts', 'shell with the list: scripts', 'shell with the list: styles'],
  },
  {
    bench: 'invitations',
    says: 'What a row of an import of 10,000 takes against one of 1,000, and how candidates feel it.',
    shown: ['a row of 10,000 against one of 1,000', 'beside the import against alone'],
  },
  {
    bench: 'console-list',
    says: 'What scrolling costs in the console’s list with 10,000 interviews, and what an hour of changes leaves in memory.',
    shown: ['10000 rows against 500, p99', 'memory of the page after 3600 changes against before'],
  },
  {
    bench: 'notion-intake',
    says: 'How long an event of Notion takes to be stored in a burst of 2,000 over 50 boards.',
    shown: ['an event, p99, 50 boards'],
  },
  {
    bench: 'notion-import',
    says: 'How much longer somebody’s edit takes while another person imports 5,000 pages.',
    shown: ['longest, over alone'],
  },
  {
    bench: 'notion-latency',
    says: 'How much of Notion’s limit is used when the database is 100 ms away.',
    shown: ['100 ms, jitter 25 ms: used'],
  },
  {
    bench: 'failing-board',
    says: 'How much longer edits take while the query of one person’s board always fails.',
    shown: ['p95, one board fails, over without'],
  },
  {
    bench: 'against-stream',
    says: 'What a delta of a reply costs, and how late its first character is seen, over an earlier build.',
    shown: [
      'processor of server and PostgreSQL for a delta, after over before',
      'first character, p99, after over before',
    ],
  },
  {
    bench: 'against-turn',
    says: 'How much processor time an answer and its reply take, over an earlier build.',
    shown: [
      'processor of Node for a turn, after over before',
      'processor of PostgreSQL for a turn, after over before',
    ],
  },
  {
    bench: 'against-start',
    says: 'How soon the server and the command line start, over an earlier build.',
    shown: [
      'npm start to ready, after over before',
      'colloquy vacancy list, after over before',
      'colloquy --version, after over before',
    ],
  },
  {
    bench: 'against-readers',
    says: 'How much memory readers and replies take, over an earlier build.',
    shown: ['idle stream, after over before', 'reply being written, after over before'],
  },
];

/** What each bound that is missed means, by bench and figure. */
const MISSED: Readonly<Record<string, string>> = {
  'growth: sweep: expired answers, none, over 10 k, 10 M':
    'The look for expired answers, each minute, reads every dead job of an answer. The bench lets those grow with the messages; in an installation they are gone once people have dealt with the attention list.',
  'growth: sweep: retention, nothing due, over 10 k, 10 M':
    'The look for data that is too old, each hour, joins all candidates beyond the shortest period with their interviews. It takes 0.3 s with 10 million messages, of the 3 s that a statement may take.',
  'growth: erasure of a person, over 10 k, 10 M':
    'The rows of a person are on more pages of a larger database: 39 ms with 10 million messages.',
  'append: received over the three rows in one call':
    'The way through the service and the unit of work costs 70 µs of Node. The function of the database that stored a message before came to 0.95 to 0.96 in runs on the same day, as its one call was slower itself.',
  'scale: ours over bare':
    'Node’s bare HTTP server, which checks and stores nothing, keeps three times as many replies in time. A third of our time is the writing to sockets, the rest is spread over many steps.',
  "prompt-price: en, asks, few documents: price, times the base's":
    'Where the vacancy has few documents, each request carries them, so that a question of the candidate takes one request at a fifth of its price; an interview whose candidate asks little pays for them.',
  "prompt-price: en, asks, few documents: input, times the base's":
    'Where the vacancy has few documents, each request carries them, so that a question of the candidate takes one request at a fifth of its price; an interview whose candidate asks little pays for them.',
  "prompt-price: ru, asks, few documents: price, times the base's":
    'Where the vacancy has few documents, each request carries them, so that a question of the candidate takes one request at a fifth of its price; an interview whose candidate asks little pays for them.',
  "prompt-price: ru, asks, few documents: input, times the base's":
    'Where the vacancy has few documents, each request carries them, so that a question of the candidate takes one request at a fifth of its price; an interview whose candidate asks little pays for them.',
  "prompt-price: ru, asks, many documents: price, times the base's":
    'Russian words are more tokens, so less of the instructions is shared; the passages that were found stand at the end of the request.',
  "scoring-cost: ru, a server that ignores n: time, times the base's":
    'One request after another was slower before; on two busy cores the nine criteria side by side come to 0.351 of it.',
  'wrong-replica: WAL against a row for each delta':
    'A streamed reply writes a fifth of the WAL of one row for each delta, and not a tenth: a segment is stored each second, and the lease of its job is renewed.',
};

/** The figures of a result, by name, with what the README calls them. */
type Labels = Readonly<Record<string, string>>;

interface FaceRow {
  readonly bench: string;
  readonly says: string;
  readonly shown: Labels;
  readonly beside?: { readonly name: string; readonly shown: Labels };
}

/** The rows of the README: what it is compared with, and one that is lost. */
const FACE: readonly FaceRow[] = [
  {
    bench: 'chat-sdk',
    says: 'Telegram updates with a 200; chats that get a reply after `kill -9`',
    shown: { 'ours: accepted': '', 'ours: chats that got a reply without another word': '' },
    beside: {
      name: 'Chat SDK',
      shown: {
        'Chat SDK: accepted': '',
        'Chat SDK: chats that got a reply without another word': '',
      },
    },
  },
  {
    bench: 'scale-ai-sdk',
    says: 'Replies at a time on one processor, in time; processor time of a delta',
    shown: {
      'ours: replies at p99 within 50 ms': '',
      'ours: processor of the server for each delta': '',
    },
    beside: {
      name: '`streamText`, resumable on Redis',
      shown: {
        'AI SDK: replies at p99 within 50 ms': '',
        'AI SDK: processor of the server for each delta': '',
      },
    },
  },
  {
    bench: 'queues',
    says: 'Jobs completed; from stored to started. **We lose**: each of ours has a commit of its own',
    shown: { 'ours: claimed and completed': '', 'ours: stored to started, p50': '' },
    beside: {
      name: 'Graphile Worker',
      shown: {
        'Graphile Worker: claimed and completed': '',
        'Graphile Worker: stored to started, p50': '',
      },
    },
  },
  {
    bench: 'first-character',
    says: 'Added between the model and the reader',
    shown: {
      'added between model and reader, p50': 'p50',
      'added between model and reader, p99': 'p99',
    },
  },
  {
    bench: 'notion',
    says: 'Notion’s three requests a second: how much is used, how often it refuses',
    shown: { '40 changed, 50 ms: used, worst run': '', '40 changed, 50 ms: 429': 'refused' },
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
    filled('README.md', { benches: faceTable(results) }),
    filled('docs/measurements.md', { benches: benchTable(results), missed: missedBounds(results) }),
    filled('docs/scaling.md', { capacity: capacityTable(results) }),
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

/** The file with each text between `<!-- name:start -->` and `<!-- name:end -->`; null without it. */
function filled(file: string, parts: Readonly<Record<string, string>>): BenchDocument | null {
  const full = path.join(ROOT, file);
  if (!existsSync(full)) return null;
  let text = readFileSync(full, 'utf8');
  for (const [name, inner] of Object.entries(parts)) {
    const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
    const [from, to] = [text.indexOf(start), text.indexOf(end)];
    if (from < 0 || to < from) return null;
    const framed = `\n<!-- prettier-ignore-start -->\n${inner}\n<!-- prettier-ignore-end -->\n`;
    text = text.slice(0, from + start.length) + framed + text.slice(to);
  }
  return { file, text };
}

/** Five rows for who reads the project for the first time. */
function faceTable(results: ReadonlyMap<string, StoredResult>): string {
  const lines = FACE.map(({ bench, says, shown, beside }) => {
    const result = results.get(bench);
    if (result === undefined) throw new Error(`the README shows ${bench}, which has no result`);
    const other = beside === undefined ? '' : `${beside.name}: ${labelled(result, beside.shown)}`;
    return `| ${says} | ${labelled(result, shown)} | ${other} |`;
  });
  return ['| What | Colloquy | Otherwise |', '| --- | --- | --- |', ...lines].join('\n');
}

function labelled(result: StoredResult, labels: Labels): string {
  return Object.entries(labels)
    .map(([name, label]) => figureText(result, name, label))
    .join('; ');
}

/** All stored benches in one table. */
export function benchTable(results: ReadonlyMap<string, StoredResult>): string {
  const named = new Set(ROWS.map(({ bench }) => bench));
  const others = [...results.values()].filter(({ bench }) => !named.has(bench));
  const rows: Row[] = [
    ...ROWS,
    ...others.map(({ bench, figures }) => ({ bench, says: '', shown: [mainFigure(figures)] })),
  ];
  const lines = rows.flatMap(({ bench, says, shown, beside }) => {
    const result = results.get(bench);
    if (result === undefined) return [];
    const other =
      beside === undefined ? '' : `${beside.name}: ${shownFigures(result, beside.figures)}`;
    const link = `[\`${bench}\`](../bench/results/${bench}.json)`;
    return [
      `| ${link} | ${says} | ${shownFigures(result, shown)} | ${boundsOf(result)} | ${other} |`,
    ];
  });
  return [
    '| `npm run bench …` | What it measures | Result | Bounds that it sets itself | What you would otherwise pick |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n');
}

/** Each bound that is missed with what it means. Throws for one without a sentence above. */
export function missedBounds(results: ReadonlyMap<string, StoredResult>): string {
  const lines = [...results.values()].flatMap(({ bench, figures }) =>
    figures
      .filter(({ bound, isMet }) => bound !== undefined && isMet !== true)
      .map(({ name, value, unit }) => {
        const says = MISSED[`${bench}: ${name}`];
        if (says === undefined) throw new Error(`"${name}" of ${bench} misses its bound: say why`);
        return `- \`${bench}\`, **${name}** ${`${value ?? 'not finished'} ${unit}`.trim()}: ${says}`;
      }),
  );
  return lines.length === 0 ? 'None.' : lines.join('\n');
}

function mainFigure(figures: StoredResult['figures']): string {
  return (figures.find(({ bound }) => bound !== undefined) ?? figures[0])?.name ?? '';
}

function shownFigures(result: StoredResult, names: readonly string[]): string {
  const owner = /^(ours|AI SDK|Chat SDK|pg-boss|Graphile Worker|BullMQ[^:]*): /;
  return names.map((name) => figureText(result, name, name.replace(owner, ''))).join('; ');
}

/** Throws when the result lacks it: a figure that is renamed must be renamed above, too. */
function figureText({ bench, figures }: StoredResult, name: string, label: string): string {
  const figure = figures.find((one) => one.name === name);
  if (figure === undefined) throw new Error(`bench/results/${bench}.json lacks "${name}"`);
  const { value, unit } = figure;
  const shown = value === null ? 'not finished' : value.toLocaleString('en-US');
  return `${label} ${shown} ${unit}`.trim();
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
