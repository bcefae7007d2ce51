import {
  choice,
  count,
  decimal,
  propertyName,
  regionCode,
  text,
  timeZone,
  countryCode,
  millis,
  secret,
  url,
  chosenSecret,
  seconds,
  switchOn,
  uuid,
} from './setting-kinds';

/** How people's boards in Notion are read, ranked and projected. */
export const NOTION_BOARD_SETTINGS = {
  NOTION_RANKING: choice(
    ['importance', 'weighted'],
    'importance',
    'importance: by importance alone; weighted: importance, due date and age in points, and what is blocked goes after what blocks it.',
  ),
  NOTION_WEIGHT_IMPORTANCE: decimal(
    { default: 10, min: 0, max: 1000, unit: 'points' },
    'Weighted ranking: what each unit of importance counts.',
  ),
  NOTION_WEIGHT_DUE: decimal(
    { default: 40, min: 0, max: 1000, unit: 'points' },
    'Weighted ranking: what a task counts that is due today or overdue; it grows from 14 days before.',
  ),
  NOTION_WEIGHT_AGE: decimal(
    { default: 20, min: 0, max: 1000, unit: 'points' },
    'Weighted ranking: what a task counts that is 90 days old or older; it grows until then.',
  ),
  NOTION_BRAKE_SHARE: decimal(
    { default: 0.5, min: 0, max: 1, unit: 'a share' },
    "Share of a board's ranked tasks that may change places in one run; more waits for a person's approval. 1: never.",
  ),
  NOTION_BRAKE_MIN_TASKS: count(
    { default: 10, min: 1, max: 10000 },
    'Boards with fewer ranked tasks are never made to wait.',
  ),
  NOTION_DATE_DRIFT_DAYS: count(
    { default: 5, min: 1, max: 365 },
    'Days by which a projected completion has to move before it alone is written again; 1: always.',
  ),
  NOTION_DATE_EXACT_RANKS: count(
    { default: 10, min: 0, max: 10000 },
    'First ranks of a board whose projected completion is written whenever it moves.',
  ),
  NOTION_CHUNK_SIZE: count(
    { default: 50, min: 1, max: 1000 },
    "Updates of one board after which other people's boards have their turn.",
  ),

  NOTION_COUNTRY: countryCode(
    'Country whose public holidays and weekends count (ISO 3166, such as DE). Empty: Saturday and Sunday only.',
  ),
  NOTION_REGION: regionCode(
    'Part of the country with holidays of its own, as date-holidays calls it, such as BY or LA.NO.',
  ),
  NOTION_TIME_ZONE: timeZone('UTC', 'Time zone (IANA) in which a day begins for the boards.'),
  NOTION_HOURS_A_DAY: decimal(
    { default: 8, min: 0.5, max: 24, unit: 'hours' },
    'Hours that a person works on tasks on a workday.',
  ),
  NOTION_ESTIMATE_UNIT: choice(['hours', 'days'], 'hours', 'Unit of the estimates on the boards.'),
  NOTION_DEFAULT_ESTIMATE: decimal(
    { default: 0, min: 0, max: 1000, unit: 'hours or days' },
    'Estimate of a task that has none; 0: it takes no time, and its projected completion stays empty.',
  ),

  NOTION_PROPERTY_NAME: text('Name', 'Property with the name of a task (title).'),
  NOTION_PROPERTY_ASSIGNEE: text('Assignee', 'Property with whom a task belongs to (people).'),
  NOTION_PROPERTY_IMPORTANCE: text(
    'Importance',
    'Property with the importance (number, higher first).',
  ),
  NOTION_PROPERTY_STATUS: text(
    'Status',
    'Property with the status (status); those in the group Complete are closed.',
  ),
  NOTION_PROPERTY_DUE: propertyName('Due', 'Property with the due date (date).'),
  NOTION_PROPERTY_ESTIMATE: propertyName('Estimate', 'Property with the estimate (number).'),
  NOTION_PROPERTY_STARTED_DATE: propertyName(
    'Task Started Date',
    'Property with the day on which work began (date).',
  ),
  NOTION_PROPERTY_PARENT_TASK: propertyName(
    'Parent Task',
    'Property with the task that this one is a part of (relation).',
  ),
  NOTION_PROPERTY_BLOCKED_BY: propertyName(
    'Blocked By',
    'Property with the tasks that have to be done before (relation).',
  ),
  NOTION_PROPERTY_QUEUE_RANK: text(
    'Queue Rank',
    'Property that the rank is written into (number).',
  ),
  NOTION_PROPERTY_PROJECTED_COMPLETION: propertyName(
    'Projected Completion',
    'Property that the projected completion is written into (date).',
  ),
  NOTION_PROPERTY_AT_RISK: propertyName(
    'At risk',
    'Property that is checked when a task will be ready too late (checkbox).',
  ),
} as const;

/** How Notion is called: where, with what, how often. */
export const NOTION_CALL_SETTINGS = {
  NOTION_TOKEN: secret('', 'Token of the Notion integration. Empty: the sync is off.'),
  NOTION_API_URL: url(
    'https://api.notion.com',
    'Address of the Notion API, without its version path.',
  ),
  NOTION_TIMEOUT_MS: millis(
    { default: 5000, min: 10, max: 60000 },
    'Time for one call of the Notion API, in milliseconds.',
  ),
  NOTION_MAX_RPS: count(
    { default: 3, min: 1, max: 100 },
    'Calls of Notion that may start in any rolling second, of all replicas together.',
  ),
  NOTION_TOKEN_CAPACITY: count(
    { default: 3, min: 1, max: 100 },
    'Calls of Notion that may start at once; beyond NOTION_MAX_RPS it changes nothing.',
  ),
  NOTION_BUDGET_PER_MINUTE: count(
    { default: 180, min: 1, max: 1000 },
    'Calls of Notion that may start in any rolling minute, of all replicas together.',
  ),
  NOTION_BACKOFF_INITIAL_MS: millis(
    { default: 250, min: 0, max: 60000 },
    'Pause before a failed call of Notion is tried again, in milliseconds; each further one is four times as long.',
  ),
  NOTION_BACKOFF_MAX_MS: millis(
    { default: 2000, min: 0, max: 60000 },
    'Longest of these pauses, in milliseconds.',
  ),
  NOTION_MAX_TRIES: count(
    { default: 3, min: 0, max: 20 },
    'How often a call of Notion that failed in passing is tried again.',
  ),
} as const;

/** What a finished interview becomes on its vacancy's owner's board. */
export const NOTION_REVIEW_SETTINGS = {
  NOTION_REVIEW_STATUS: propertyName(
    'Awaiting review',
    "Status of a finished interview's task when it is made. -: the board's default.",
  ),
  NOTION_REVIEW_IMPORTANCE: decimal(
    { default: 5, min: -1000000, max: 1000000, unit: 'an importance' },
    "Importance of a finished interview's task when it is made.",
  ),
  NOTION_REVIEW_ESTIMATE: decimal(
    { default: 1, min: 0, max: 1000, unit: 'hours or days' },
    "Estimate of a finished interview's task when it is made, in NOTION_ESTIMATE_UNIT. 0: none.",
  ),
  NOTION_PROPERTY_CANDIDATE: propertyName(
    'Candidate',
    'Property that the name of the candidate is written into (text).',
  ),
  NOTION_PROPERTY_VACANCY: propertyName(
    'Vacancy',
    'Property that the title of the vacancy is written into (text).',
  ),
  NOTION_PROPERTY_COVERAGE: propertyName(
    'Coverage',
    'Property that is told how much of the plan was asked and answered (text).',
  ),
  NOTION_PROPERTY_TRANSCRIPT: propertyName(
    'Transcript',
    'Property with the link to the transcript (URL), which is read with ADMIN_TOKEN.',
  ),
} as const;

/** When boards are ranked: what is heard of changes, and how long it is waited for more. */
export const NOTION_SYNC_SETTINGS = {
  NOTION_DATA_SOURCE_ID: uuid('Data source of the tasks; needed where NOTION_TOKEN is set.'),
  NOTION_WEBHOOK_TOKEN: secret(
    '',
    "Verification token of the integration's webhook. Empty: the one that was enrolled with npm run notion:enrol.",
  ),
  NOTION_AUTOMATION_SECRET: chosenSecret(
    'What automations show in the header x-colloquy-secret. Empty: automations are refused.',
  ),
  NOTION_EVENTS_PER_SECOND: count(
    { default: 2000, min: 1, max: 10000 },
    'Webhook requests of Notion that one replica takes in a second; more get 429.',
  ),
  NOTION_DEBOUNCE_MS: millis(
    { default: 10000, min: 10, max: 15000 },
    'Quiet time after the last change of a board before it is ranked, in milliseconds (5000 to 15000; less only in tests).',
  ),
  NOTION_DEBOUNCE_MAX_MS: millis(
    { default: 15000, min: 10, max: 60000 },
    'What the quiet time may grow to while Notion refuses calls or boards queue up, in milliseconds.',
  ),
  NOTION_MAX_WAIT: seconds(
    { default: 60, min: 0.1, max: 3600 },
    'Longest wait of a board whose person does not stop editing.',
  ),
  NOTION_LOGGING: switchOn(
    true,
    'Write a log line when a board is enqueued, dequeued, started, finished, requeued or skipped.',
  ),
  NOTION_SWEEP_INTERVAL: seconds(
    { default: 3600, min: 1, max: 86400 },
    'Time in which every board is looked at once, whether or not a change was heard of.',
  ),
  NOTION_SWEEP_SHARE: decimal(
    { default: 0.1, min: 0, max: 1, unit: 'a share' },
    'Share of NOTION_BUDGET_PER_MINUTE that these looks may use. 0: there are none.',
  ),
} as const;
