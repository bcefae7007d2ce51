import type { Settings } from '../common/config';

/**
 * What is deleted by its age (docs/retention.md):
 *
 *   transcript   a candidate with all interviews, and so with all of the classes below, counted from the
 *                last message of any of them
 *   media        the bytes of voices and files, counted from their message; the line stays
 *   scores       scorings with their samples, people's ratings and comments, counted from the end of the
 *                scoring, from the last rating, or from the last change of the comment
 *   decisions    who decided what and why, counted from the decision; the chain of decision files stays,
 *                because it holds only hashes
 *   not_started  a candidate who never agreed to an interview, counted from their last message
 *   preview      an interview of a colleague who looked at it as a candidate, counted from its beginning
 *   account      an account of a channel whose person only pressed Start, counted from that
 */
export const RETENTION_CLASSES = [
  'transcript',
  'media',
  'scores',
  'decisions',
  'not_started',
  'preview',
  'account',
] as const;

export type RetentionClass = (typeof RETENTION_CLASSES)[number];

export interface RetentionRule {
  readonly class: RetentionClass;
  /** Null: kept until a person erases it. */
  readonly keptDays: number | null;
  /** Where the number comes from: a setting, or the text that a preset follows. */
  readonly source: string;
}

const PREVIEW_DAYS = 1;

interface Preset {
  readonly days: number | null;
  readonly source: string;
}

type PresetName = Settings['retention']['preset'];

/**
 * Common periods and the texts that they follow, as of November 2026. A preset is a starting point
 * and no legal advice.
 */
const PRESETS: Readonly<Record<PresetName, Preset>> = {
  none: { days: null, source: 'no preset: kept until erased' },
  'us-29cfr1602': {
    days: 365,
    source: '29 CFR 1602.14: one year from the record or the personnel action',
  },
  'us-41cfr60': {
    days: 730,
    source: '41 CFR 60-1.12: two years, for federal contractors',
  },
  'us-ca-2ccr11013': {
    days: 1461,
    source: '2 CCR 11013(c) (2025): four years, with the data of automated-decision systems',
  },
  'us-co-sb26-189': {
    days: 1096,
    source: 'Colorado SB 26-189 (2026), from secondary sources: three years',
  },
  'fr-cnil': {
    days: 730,
    source: 'CNIL, recruitment guide (2023): two years after the last contact',
  },
  'de-agg': {
    days: 180,
    source: 'AGG section 15(4) and ArbGG section 61b: claims within months; six months in practice',
  },
  'ru-152fz': {
    days: 30,
    source: '152-FZ article 21(4): destroyed within 30 days after the purpose is reached',
  },
};

/** For how many days these rules keep what a candidate said; media goes with the transcript at the latest. */
export function keptDaysOf(rules: readonly RetentionRule[]): {
  readonly answers: number | null;
  readonly media: number | null;
} {
  const daysOf = (wanted: RetentionClass): number | null =>
    rules.find((rule) => rule.class === wanted)?.keptDays ?? null;
  const answers = daysOf('transcript');
  const media = daysOf('media');
  if (answers === null || media === null) return { answers, media: media ?? answers };
  return { answers, media: Math.min(answers, media) };
}

/** The rules of these settings: a number of days of its own wins over the preset. */
export function rulesOf({
  preset,
  transcriptDays,
  mediaDays,
  scoresDays,
  decisionsDays,
  notStartedDays,
}: Settings['retention']): readonly RetentionRule[] {
  const { days, source } = PRESETS[preset];
  const own = (variable: string, chosen: number): Omit<RetentionRule, 'class'> =>
    chosen > 0 ? { keptDays: chosen, source: variable } : { keptDays: days, source };
  const transcript = own('RETENTION_TRANSCRIPT_DAYS', transcriptDays);
  const media = own('RETENTION_MEDIA_DAYS', mediaDays);
  const notStarted = { keptDays: notStartedDays, source: 'RETENTION_NOT_STARTED_DAYS' };
  return [
    { class: 'transcript', ...transcript },
    { class: 'media', ...media },
    { class: 'scores', ...own('RETENTION_SCORES_DAYS', scoresDays) },
    { class: 'decisions', ...own('RETENTION_DECISIONS_DAYS', decisionsDays) },
    { class: 'not_started', ...notStarted },
    { class: 'preview', keptDays: PREVIEW_DAYS, source: 'previews are kept for a day' },
    { class: 'account', ...notStarted },
  ];
}
