import { chosenSecret, count, decimal, millis, secret, seconds, switchOn, uuid } from './kinds';

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
