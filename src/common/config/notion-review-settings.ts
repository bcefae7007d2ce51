import { decimal, propertyName } from './kinds';

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
