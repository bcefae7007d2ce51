import { count, millis, secret, url } from './kinds';

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
