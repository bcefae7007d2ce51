import { type About, FILE_SUFFIX } from './setting-kinds';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What is wrong with the names of an environment: one sentence for each that is not a setting and looks
 * like one, because of its first word or its likeness. Empty variables count for nothing, as everywhere.
 */
export function unknownSettings(settings: readonly About[], env: Environment): string[] {
  const known = settings.flatMap(({ variable, isSecret }) =>
    isSecret ? [variable, variable + FILE_SUFFIX] : [variable],
  );
  const words = new Set(known.filter((name) => name.includes('_')).map(firstWord));
  return Object.entries(env)
    .filter(([name, text]) => (text ?? '').trim() !== '' && !known.includes(name))
    .flatMap(([name]) => problemOf(name, known, words) ?? []);
}

function problemOf(name: string, known: readonly string[], words: ReadonlySet<string>) {
  const renamed = RENAMED[name];
  if (renamed !== undefined) return `${name}: this setting is called ${renamed} now`;
  if (GONE.has(name)) return `${name}: this setting is gone, its value is fixed now: remove it`;
  const word = firstWord(name);
  if (!name.includes('_') || OF_OTHERS.some((form) => form.test(name))) return null;
  const meant = known.find((other) => isNear(name, other));
  if (meant !== undefined) return `${name}: there is no such setting; did you mean ${meant}?`;
  if (!words.has(word) || SHARED.has(word)) return null;
  return `${name}: there is no such setting, and names with ${word}_ are Colloquy's: remove it (docs/configuration.md lists all)`;
}

function firstWord(name: string): string {
  return name.split('_', 1)[0] ?? '';
}

/** How many letters may be missing, too many or others. */
const MISTYPED = 2;

function isNear(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > MISTYPED) return false;
  // A start compares each name of the environment with each setting: most pairs end here.
  if (!sharesEnough(one, other)) return false;
  let row = Array.from({ length: other.length + 1 }, (_, n) => n);
  for (const [n, letter] of Array.from(one).entries()) {
    const next = [n + 1];
    for (const [m, wanted] of Array.from(other).entries()) {
      const [left = 0, above = 0, before = 0] = [next[m], row[m + 1], row[m]];
      next.push(Math.min(left + 1, above + 1, before + (letter === wanted ? 0 : 1)));
    }
    row = next;
  }
  return (row[other.length] ?? 0) <= MISTYPED;
}

/**
 * With so few mistakes one of the parts before, between and after them is the same in both, at nearly the same
 * place: one third of `one` stands in `other`.
 */
function sharesEnough(one: string, other: string): boolean {
  const part = Math.floor(one.length / (MISTYPED + 1));
  for (let n = 0; n <= MISTYPED; n += 1) {
    if (other.includes(one.slice(n * part, (n + 1) * part))) return true;
  }
  return false;
}

/** Settings that have another name now. */
const RENAMED: Readonly<Record<string, string>> = {
  TASK_LEASE: 'JOB_LEASE',
  TASK_POLL: 'JOB_POLL',
  TASK_FLUSH_CONCURRENCY: 'JOB_FLUSH_CONCURRENCY',
};

/** Names that were settings; the value is a constant of the code now. */
const GONE: ReadonlySet<string> = new Set([
  'LOG_PRETTY',
  'KNOWLEDGE_RERANK_TIMEOUT',
  'METRICS_MAX_AGE',
  'RESPONSE_TIMEOUT',
  'REQUEST_TIMEOUT',
  'UPLOAD_MIN_RATE',
  'SSE_HEARTBEAT',
  'SSE_SLOW_READER_TIMEOUT',
  'SSE_STREAMS_PER_SESSION',
  'ALERT_TIMEOUT',
  'TASK_ATTENTION_AFTER',
  'INTERVIEW_BUFFER_LEARNED_AFTER',
  'INTERVIEW_BUFFER_LEARNED_MIN',
  'INTERVIEW_BUFFER_LEARNED_MAX',
  'INTERVIEW_LONG_ANSWER_CHARS',
  'INTERVIEW_LONG_ANSWER_TIME',
  'KNOWLEDGE_EMBEDDING_BATCH',
  'TELEGRAM_WRONG_PINS_PER_HOUR',
  'TELEGRAM_FIRST_PINS_PER_HOUR',
  'NOTION_WEIGHT_DUE',
  'NOTION_WEIGHT_AGE',
  'NOTION_BRAKE_MIN_TASKS',
  'NOTION_DATE_DRIFT_DAYS',
  'NOTION_DATE_EXACT_RANKS',
  'NOTION_CHUNK_SIZE',
  'NOTION_EVENTS_PER_SECOND',
  'NOTION_SWEEP_INTERVAL',
  'DECISION_NOTICE_REMIND_DAYS',
]);

/** First words of settings that other programs use, too. There only what nearly is a setting is refused. */
const SHARED: ReadonlySet<string> = new Set([
  // Node itself, and OpenTelemetry's SDK.
  'NODE',
  'OTEL',
  // The client of the model server reads OPENAI_ORG_ID and others; other tools of a developer do, too.
  'OPENAI',
  // Platforms that host databases and applications, and whatever else reads the same environment.
  'DATABASE',
  'PUBLIC',
  'ADMIN',
  'LOG',
  'RATE',
  'TRUST',
  'ALERT',
  'AUDIT',
  'MANAGEMENT',
  // A desktop's SESSION_MANAGER, and what shells and platforms say of the user.
  'SESSION',
  'USER',
]);

/** Names that others give to variables with a first word of ours. */
const OF_OTHERS: readonly RegExp[] = [
  // Kubernetes, for every Service of the namespace (enableServiceLinks).
  /_SERVICE_HOST$/,
  /_SERVICE_PORT(_[A-Z0-9_]+)?$/,
  /_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/,
  // Jenkins.
  /^JOB_(NAME|BASE_NAME|URL|DISPLAY_URL)$/,
  // The tests of Colloquy itself.
  /^COLLOQUY_TEST/,
];
