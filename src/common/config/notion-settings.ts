import { z } from 'zod';
import {
  CHOSEN_SECRET,
  COUNTRY_CODE,
  HYPHENATED_UUID,
  PROPERTY_NAME,
  REGION_CODE,
  SECRET,
  SWITCH,
  TEXT,
  TIME_ZONE,
  WEB_ADDRESS,
  count,
  decimal,
  millis,
  oneOf,
  seconds,
  setting,
} from './setting-kinds';
import { settingsIn } from './read-settings';
import { COMMAND } from '../command-name';

/** How people's boards in Notion are read, ranked and projected. */
export const NOTION_BOARD = z.object({
  names: z.object({
    name: setting('NOTION_PROPERTY_NAME=Name', TEXT, 'Property with the name of a task (title).'),
    assignee: setting(
      'NOTION_PROPERTY_ASSIGNEE=Assignee',
      TEXT,
      'Property with whom a task belongs to (people).',
    ),
    importance: setting(
      'NOTION_PROPERTY_IMPORTANCE=Importance',
      TEXT,
      'Property with the importance (number, higher first).',
    ),
    status: setting(
      'NOTION_PROPERTY_STATUS=Status',
      TEXT,
      'Property with the status (status); those in the group Complete are closed.',
    ),
    due: setting('NOTION_PROPERTY_DUE=Due', PROPERTY_NAME, 'Property with the due date (date).'),
    estimate: setting(
      'NOTION_PROPERTY_ESTIMATE=Estimate',
      PROPERTY_NAME,
      'Property with the estimate (number).',
    ),
    startedDate: setting(
      'NOTION_PROPERTY_STARTED_DATE=Task Started Date',
      PROPERTY_NAME,
      'Property with the day on which work began (date).',
    ),
    parentTask: setting(
      'NOTION_PROPERTY_PARENT_TASK=Parent Task',
      PROPERTY_NAME,
      'Property with the task that this one is a part of (relation).',
    ),
    blockedBy: setting(
      'NOTION_PROPERTY_BLOCKED_BY=Blocked By',
      PROPERTY_NAME,
      'Property with the tasks that have to be done before (relation).',
    ),
    queueRank: setting(
      'NOTION_PROPERTY_QUEUE_RANK=Queue Rank',
      TEXT,
      'Property that the rank is written into (number).',
    ),
    projectedCompletion: setting(
      'NOTION_PROPERTY_PROJECTED_COMPLETION=Projected Completion',
      PROPERTY_NAME,
      'Property that the projected completion is written into (date).',
    ),
    atRisk: setting(
      'NOTION_PROPERTY_AT_RISK=At risk',
      PROPERTY_NAME,
      'Property that is checked when a task will be ready too late (checkbox).',
    ),
  }),
  ranking: z.object({
    strategy: setting(
      'NOTION_RANKING=importance',
      oneOf('importance', 'weighted'),
      'importance: by importance alone; weighted: importance, due date and age in points, and what is blocked goes after what blocks it.',
    ),
    importanceWeight: setting(
      'NOTION_WEIGHT_IMPORTANCE=10',
      decimal(0, 1000, 'points'),
      'Weighted ranking: what each unit of importance counts. Lower it where importance goes up to 100, and not to 10.',
    ),
  }),
  brake: z.object({
    share: setting(
      'NOTION_BRAKE_SHARE=0.5',
      decimal(0, 1, 'a share'),
      "Share of a board's ranked tasks that may change places in one run; more waits for a person's approval. 1: never. Raise it where boards are often reordered by hand.",
    ),
  }),
  place: z.object({
    country: setting(
      'NOTION_COUNTRY=',
      COUNTRY_CODE,
      'Country whose public holidays and weekends count (ISO 3166, such as DE). Empty: Saturday and Sunday only. The team sets it where it works.',
    ),
    region: setting(
      'NOTION_REGION=',
      REGION_CODE,
      'Part of the country with holidays of its own, as date-holidays calls it, such as BY or LA.NO. The team sets it where it works.',
    ),
  }),
  timeZone: setting(
    'NOTION_TIME_ZONE=UTC',
    TIME_ZONE,
    'Time zone (IANA) in which a day begins for the boards. The team sets it where it works.',
  ),
  hoursADay: setting(
    'NOTION_HOURS_A_DAY=8',
    decimal(0.5, 24, 'hours'),
    'Hours that a person works on tasks on a workday. The team sets what its people work.',
  ),
  estimateUnit: setting(
    'NOTION_ESTIMATE_UNIT=hours',
    oneOf('hours', 'days'),
    'Unit of the estimates on the boards. The team sets what its boards use.',
  ),
  defaultEstimate: setting(
    'NOTION_DEFAULT_ESTIMATE=0',
    decimal(0, 1000, 'hours or days'),
    'Estimate of a task that has none; 0: it takes no time, and its projected completion stays empty. A team that rarely estimates sets it.',
  ),
});

/** How Notion is called: where, with what, how often. */
export const NOTION_CALLS = z.object({
  /** Empty: the sync is off. */
  token: setting(
    'NOTION_TOKEN=',
    SECRET,
    'Token of the Notion integration. Empty: the sync is off.',
  ),
  apiUrl: setting(
    'NOTION_API_URL=https://api.notion.com',
    WEB_ADDRESS,
    'Address of the Notion API, without its version path.',
  ),
  timeoutMs: setting(
    'NOTION_TIMEOUT_MS=5000',
    millis(10, 60000),
    'Time for one call of the Notion API.',
  ),
  maxPerSecond: setting(
    'NOTION_MAX_RPS=3',
    count(1, 100, 'calls a second'),
    'Calls to Notion that may start in any rolling second, of all replicas together.',
  ),
  maxAtOnce: setting(
    'NOTION_TOKEN_CAPACITY=3',
    count(1, 100, 'calls'),
    'Calls to Notion that may start at once; beyond NOTION_MAX_RPS it changes nothing.',
  ),
  maxPerMinute: setting(
    'NOTION_BUDGET_PER_MINUTE=180',
    count(1, 1000, 'calls a minute'),
    'Calls to Notion that may start in any rolling minute, of all replicas together.',
  ),
  backoffInitialMs: setting(
    'NOTION_BACKOFF_INITIAL_MS=250',
    millis(0, 60000),
    'Pause before a failed call of Notion is tried again; each further one is four times as long.',
  ),
  backoffMaxMs: setting('NOTION_BACKOFF_MAX_MS=2000', millis(0, 60000), 'Longest of these pauses.'),
  /** Beyond the first. */
  maxRetries: setting(
    'NOTION_MAX_TRIES=3',
    count(0, 20, 'tries'),
    'How often a call of Notion is retried after a temporary failure.',
  ),
});

/** When boards are ranked: how Colloquy learns of changes, and how long it waits for more. */
export const NOTION_SYNC = z.object({
  dataSourceId: setting(
    'NOTION_DATA_SOURCE_ID=',
    HYPHENATED_UUID,
    'Data source of the tasks; needed where NOTION_TOKEN is set.',
  ),
  /** Empty: the enrolled one. */
  webhookToken: setting(
    'NOTION_WEBHOOK_TOKEN=',
    SECRET,
    `Verification token of the integration's webhook. Empty: the one that was enrolled with ${COMMAND} notion enrol.`,
  ),
  /** Empty: automations are refused. */
  automationSecret: setting(
    'NOTION_AUTOMATION_SECRET=',
    CHOSEN_SECRET,
    'Secret that automations send in the header x-colloquy-secret. Empty: automations are refused.',
  ),
  debounceMs: setting(
    'NOTION_DEBOUNCE_MS=10000',
    millis(10, 15000),
    'Quiet time after the last change of a board before it is ranked (5000 to 15000; less only in tests).',
  ),
  debounceMaxMs: setting(
    'NOTION_DEBOUNCE_MAX_MS=15000',
    millis(10, 60000),
    'Longest quiet time, which it grows to while Notion refuses calls or boards queue up.',
  ),
  maxWaitMs: setting(
    'NOTION_MAX_WAIT=60',
    seconds(0.1, 3600),
    'Longest wait of a board whose person does not stop editing. Lower it where people edit for long and want ranks sooner.',
  ),
  isLogging: setting(
    'NOTION_LOGGING=true',
    SWITCH,
    'Write a log line when a board is enqueued, dequeued, started, finished, requeued or skipped.',
  ),
  sweepShare: setting(
    'NOTION_SWEEP_SHARE=0.1',
    decimal(0, 1, 'a share'),
    'Share of NOTION_BUDGET_PER_MINUTE that these checks may use. 0: there is no sweep. Raise it where many boards wait for their check; lower it where edits wait.',
  ),
});

/** What a finished interview becomes on the board of its vacancy's owner. */
export const NOTION_REVIEW = z.object({
  /** Each null where the board has no such property. */
  names: z.object({
    candidate: setting(
      'NOTION_PROPERTY_CANDIDATE=Candidate',
      PROPERTY_NAME,
      'Property that the name of the candidate is written into (text).',
    ),
    vacancy: setting(
      'NOTION_PROPERTY_VACANCY=Vacancy',
      PROPERTY_NAME,
      'Property that the title of the vacancy is written into (text).',
    ),
    coverage: setting(
      'NOTION_PROPERTY_COVERAGE=Coverage',
      PROPERTY_NAME,
      'Property for how much of the plan was asked and answered (text).',
    ),
    transcript: setting(
      'NOTION_PROPERTY_TRANSCRIPT=Transcript',
      PROPERTY_NAME,
      'Property with the link to the transcript (URL), which is read with ADMIN_TOKEN.',
    ),
  }),
  /** Null: the board's default. */
  status: setting(
    'NOTION_REVIEW_STATUS=Awaiting review',
    PROPERTY_NAME,
    "Status of a finished interview's task when it is made. -: the board's default. Set it to a status that the team's board has.",
  ),
  importance: setting(
    'NOTION_REVIEW_IMPORTANCE=5',
    decimal(-1000000, 1000000, 'an importance'),
    "Importance of a finished interview's task when it is made. Set it in the board's own scale.",
  ),
  /** 0: none. */
  estimate: setting(
    'NOTION_REVIEW_ESTIMATE=1',
    decimal(0, 1000, 'hours or days'),
    "Estimate of a finished interview's task when it is made, in NOTION_ESTIMATE_UNIT. 0: none. Set it to what a review takes the team.",
  ),
});

interface NotionValues {
  readonly notion: z.output<typeof NOTION_CALLS>;
  readonly notionSync: z.output<typeof NOTION_SYNC>;
  readonly notionBoard: z.output<typeof NOTION_BOARD>;
  readonly notionReview: z.output<typeof NOTION_REVIEW>;
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
  const settings = [
    ...settingsIn(NOTION_BOARD.shape.names),
    ...settingsIn(NOTION_REVIEW.shape.names),
  ];
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
