import {
  choice,
  count,
  decimal,
  propertyName,
  regionCode,
  text,
  timeZone,
  countryCode,
} from './kinds';

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
