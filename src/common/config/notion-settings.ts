import {
  choice,
  chosenSecret,
  count,
  countryCode,
  decimal,
  millis,
  propertyName,
  regionCode,
  seconds,
  secret,
  switchOn,
  text,
  timeZone,
  url,
  uuid,
} from './setting-kinds';
import { type Values, settingsIn } from './read-settings';
import { COMMAND } from '../command-name';

/** How people's boards in Notion are read, ranked and projected. */
export const NOTION_BOARD = {
  names: {
    name: text('NOTION_PROPERTY_NAME', 'Name', 'Property with the name of a task (title).'),
    assignee: text(
      'NOTION_PROPERTY_ASSIGNEE',
      'Assignee',
      'Property with whom a task belongs to (people).',
    ),
    importance: text(
      'NOTION_PROPERTY_IMPORTANCE',
      'Importance',
      'Property with the importance (number, higher first).',
    ),
    status: text(
      'NOTION_PROPERTY_STATUS',
      'Status',
      'Property with the status (status); those in the group Complete are closed.',
    ),
    due: propertyName('NOTION_PROPERTY_DUE', 'Due', 'Property with the due date (date).'),
    estimate: propertyName(
      'NOTION_PROPERTY_ESTIMATE',
      'Estimate',
      'Property with the estimate (number).',
    ),
    startedDate: propertyName(
      'NOTION_PROPERTY_STARTED_DATE',
      'Task Started Date',
      'Property with the day on which work began (date).',
    ),
    parentTask: propertyName(
      'NOTION_PROPERTY_PARENT_TASK',
      'Parent Task',
      'Property with the task that this one is a part of (relation).',
    ),
    blockedBy: propertyName(
      'NOTION_PROPERTY_BLOCKED_BY',
      'Blocked By',
      'Property with the tasks that have to be done before (relation).',
    ),
    queueRank: text(
      'NOTION_PROPERTY_QUEUE_RANK',
      'Queue Rank',
      'Property that the rank is written into (number).',
    ),
    projectedCompletion: propertyName(
      'NOTION_PROPERTY_PROJECTED_COMPLETION',
      'Projected Completion',
      'Property that the projected completion is written into (date).',
    ),
    atRisk: propertyName(
      'NOTION_PROPERTY_AT_RISK',
      'At risk',
      'Property that is checked when a task will be ready too late (checkbox).',
    ),
  },
  ranking: {
    strategy: choice(
      'NOTION_RANKING',
      ['importance', 'weighted'],
      'importance',
      'importance: by importance alone; weighted: importance, due date and age in points, and what is blocked goes after what blocks it.',
    ),
    weights: {
      importance: decimal(
        'NOTION_WEIGHT_IMPORTANCE',
        { default: 10, min: 0, max: 1000, unit: 'points' },
        'Weighted ranking: what each unit of importance counts.',
      ),
      due: decimal(
        'NOTION_WEIGHT_DUE',
        { default: 40, min: 0, max: 1000, unit: 'points' },
        'Weighted ranking: what a task counts that is due today or overdue; it grows from 14 days before.',
      ),
      age: decimal(
        'NOTION_WEIGHT_AGE',
        { default: 20, min: 0, max: 1000, unit: 'points' },
        'Weighted ranking: what a task counts that is 90 days old or older; it grows until then.',
      ),
    },
  },
  brake: {
    share: decimal(
      'NOTION_BRAKE_SHARE',
      { default: 0.5, min: 0, max: 1, unit: 'a share' },
      "Share of a board's ranked tasks that may change places in one run; more waits for a person's approval. 1: never.",
    ),
    minTasks: count(
      'NOTION_BRAKE_MIN_TASKS',
      { default: 10, min: 1, max: 10000, unit: 'tasks' },
      'Boards with fewer ranked tasks are never made to wait.',
    ),
  },
  dates: {
    driftDays: count(
      'NOTION_DATE_DRIFT_DAYS',
      { default: 5, min: 1, max: 365, unit: 'days' },
      'Days by which a projected completion has to move before it alone is written again; 1: always.',
    ),
    exactRanks: count(
      'NOTION_DATE_EXACT_RANKS',
      { default: 10, min: 0, max: 10000, unit: 'ranks' },
      'First ranks of a board whose projected completion is written whenever it moves.',
    ),
  },
  chunkSize: count(
    'NOTION_CHUNK_SIZE',
    { default: 50, min: 1, max: 1000, unit: 'updates' },
    "Updates of one board in a run; the rest follows in another one. While another person's board waits, a run ends after 10.",
  ),
  place: {
    country: countryCode(
      'NOTION_COUNTRY',
      'Country whose public holidays and weekends count (ISO 3166, such as DE). Empty: Saturday and Sunday only.',
    ),
    region: regionCode(
      'NOTION_REGION',
      'Part of the country with holidays of its own, as date-holidays calls it, such as BY or LA.NO.',
    ),
  },
  timeZone: timeZone(
    'NOTION_TIME_ZONE',
    'UTC',
    'Time zone (IANA) in which a day begins for the boards.',
  ),
  hoursADay: decimal(
    'NOTION_HOURS_A_DAY',
    { default: 8, min: 0.5, max: 24, unit: 'hours' },
    'Hours that a person works on tasks on a workday.',
  ),
  estimateUnit: choice(
    'NOTION_ESTIMATE_UNIT',
    ['hours', 'days'],
    'hours',
    'Unit of the estimates on the boards.',
  ),
  defaultEstimate: decimal(
    'NOTION_DEFAULT_ESTIMATE',
    { default: 0, min: 0, max: 1000, unit: 'hours or days' },
    'Estimate of a task that has none; 0: it takes no time, and its projected completion stays empty.',
  ),
};

/** How Notion is called: where, with what, how often. */
export const NOTION_CALLS = {
  /** Empty: the sync is off. */
  token: secret('NOTION_TOKEN', '', 'Token of the Notion integration. Empty: the sync is off.'),
  apiUrl: url(
    'NOTION_API_URL',
    'https://api.notion.com',
    'Address of the Notion API, without its version path.',
  ),
  timeoutMs: millis(
    'NOTION_TIMEOUT_MS',
    { default: 5000, min: 10, max: 60000 },
    'Time for one call of the Notion API.',
  ),
  maxPerSecond: count(
    'NOTION_MAX_RPS',
    { default: 3, min: 1, max: 100, unit: 'calls a second' },
    'Calls to Notion that may start in any rolling second, of all replicas together.',
  ),
  maxAtOnce: count(
    'NOTION_TOKEN_CAPACITY',
    { default: 3, min: 1, max: 100, unit: 'calls' },
    'Calls to Notion that may start at once; beyond NOTION_MAX_RPS it changes nothing.',
  ),
  maxPerMinute: count(
    'NOTION_BUDGET_PER_MINUTE',
    { default: 180, min: 1, max: 1000, unit: 'calls a minute' },
    'Calls to Notion that may start in any rolling minute, of all replicas together.',
  ),
  backoffInitialMs: millis(
    'NOTION_BACKOFF_INITIAL_MS',
    { default: 250, min: 0, max: 60000 },
    'Pause before a failed call of Notion is tried again; each further one is four times as long.',
  ),
  backoffMaxMs: millis(
    'NOTION_BACKOFF_MAX_MS',
    { default: 2000, min: 0, max: 60000 },
    'Longest of these pauses.',
  ),
  /** Beyond the first. */
  maxRetries: count(
    'NOTION_MAX_TRIES',
    { default: 3, min: 0, max: 20, unit: 'tries' },
    'How often a call of Notion is retried after a temporary failure.',
  ),
};

/** When boards are ranked: how Colloquy learns of changes, and how long it waits for more. */
export const NOTION_SYNC = {
  dataSourceId: uuid(
    'NOTION_DATA_SOURCE_ID',
    'Data source of the tasks; needed where NOTION_TOKEN is set.',
  ),
  /** Empty: the enrolled one. */
  webhookToken: secret(
    'NOTION_WEBHOOK_TOKEN',
    '',
    `Verification token of the integration's webhook. Empty: the one that was enrolled with ${COMMAND} notion enrol.`,
  ),
  /** Empty: automations are refused. */
  automationSecret: chosenSecret(
    'NOTION_AUTOMATION_SECRET',
    'Secret that automations send in the header x-colloquy-secret. Empty: automations are refused.',
  ),
  eventsPerSecond: count(
    'NOTION_EVENTS_PER_SECOND',
    { default: 2000, min: 1, max: 10000, unit: 'requests a second' },
    'Webhook requests of Notion that one replica takes in a second; more get 429.',
  ),
  debounceMs: millis(
    'NOTION_DEBOUNCE_MS',
    { default: 10000, min: 10, max: 15000 },
    'Quiet time after the last change of a board before it is ranked (5000 to 15000; less only in tests).',
  ),
  debounceMaxMs: millis(
    'NOTION_DEBOUNCE_MAX_MS',
    { default: 15000, min: 10, max: 60000 },
    'Longest quiet time, which it grows to while Notion refuses calls or boards queue up.',
  ),
  maxWaitMs: seconds(
    'NOTION_MAX_WAIT',
    { default: 60, min: 0.1, max: 3600 },
    'Longest wait of a board whose person does not stop editing.',
  ),
  isLogging: switchOn(
    'NOTION_LOGGING',
    true,
    'Write a log line when a board is enqueued, dequeued, started, finished, requeued or skipped.',
  ),
  sweepIntervalMs: seconds(
    'NOTION_SWEEP_INTERVAL',
    { default: 3600, min: 1, max: 86400 },
    'Time in which the sweep checks every board once, even without an event.',
  ),
  sweepShare: decimal(
    'NOTION_SWEEP_SHARE',
    { default: 0.1, min: 0, max: 1, unit: 'a share' },
    'Share of NOTION_BUDGET_PER_MINUTE that these checks may use. 0: there is no sweep.',
  ),
};

/** What a finished interview becomes on the board of its vacancy's owner. */
export const NOTION_REVIEW = {
  /** Each null where the board has no such property. */
  names: {
    candidate: propertyName(
      'NOTION_PROPERTY_CANDIDATE',
      'Candidate',
      'Property that the name of the candidate is written into (text).',
    ),
    vacancy: propertyName(
      'NOTION_PROPERTY_VACANCY',
      'Vacancy',
      'Property that the title of the vacancy is written into (text).',
    ),
    coverage: propertyName(
      'NOTION_PROPERTY_COVERAGE',
      'Coverage',
      'Property for how much of the plan was asked and answered (text).',
    ),
    transcript: propertyName(
      'NOTION_PROPERTY_TRANSCRIPT',
      'Transcript',
      'Property with the link to the transcript (URL), which is read with ADMIN_TOKEN.',
    ),
  },
  /** Null: the board's default. */
  status: propertyName(
    'NOTION_REVIEW_STATUS',
    'Awaiting review',
    "Status of a finished interview's task when it is made. -: the board's default.",
  ),
  importance: decimal(
    'NOTION_REVIEW_IMPORTANCE',
    { default: 5, min: -1000000, max: 1000000, unit: 'an importance' },
    "Importance of a finished interview's task when it is made.",
  ),
  /** 0: none. */
  estimate: decimal(
    'NOTION_REVIEW_ESTIMATE',
    { default: 1, min: 0, max: 1000, unit: 'hours or days' },
    "Estimate of a finished interview's task when it is made, in NOTION_ESTIMATE_UNIT. 0: none.",
  ),
};

interface NotionValues {
  readonly notion: Values<typeof NOTION_CALLS>;
  readonly notionSync: Values<typeof NOTION_SYNC>;
  readonly notionBoard: Values<typeof NOTION_BOARD>;
  readonly notionReview: Values<typeof NOTION_REVIEW>;
}

/** What is wrong with settings that are each valid alone. */
export function notionContradictions(values: NotionValues): string[] {
  const { notion, notionSync, notionBoard } = values;
  const { country, region } = notionBoard.place;
  const problems = repeatedNames(values);
  if (region !== null && country === null) {
    problems.push(`NOTION_REGION=${region}: expected NOTION_COUNTRY`);
  }
  if (notion.token !== '' && notionSync.dataSourceId === '') {
    problems.push('NOTION_TOKEN is set: expected NOTION_DATA_SOURCE_ID, where the tasks are');
  }
  if (notionSync.debounceMaxMs < notionSync.debounceMs) {
    problems.push('NOTION_DEBOUNCE_MAX_MS: expected no less than NOTION_DEBOUNCE_MS');
  }
  return problems;
}

/** One property with two meanings would have its rank written over its importance. */
function repeatedNames({ notionBoard, notionReview }: NotionValues): string[] {
  const problems: string[] = [];
  const variables = new Map<string, string>();
  const settings = [...settingsIn(NOTION_BOARD.names), ...settingsIn(NOTION_REVIEW.names)];
  const names = [...Object.values(notionBoard.names), ...Object.values(notionReview.names)];
  for (const [index, name] of names.entries()) {
    const { variable = '' } = settings[index] ?? {};
    const other = name === null ? undefined : variables.get(name);
    if (name === null) continue;
    if (other === undefined) variables.set(name, variable);
    else problems.push(`${variable}=${name}: expected another property than ${other}`);
  }
  return problems;
}
