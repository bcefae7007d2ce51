/**
 * Places whose law asks for a notice of its own before an interview, as vacancy files name them. The order
 * is the one in which the notices are shown. Each code has its row, with version and texts, in
 * interview/texts/notices.ts.
 */
export const NOTICE_CODES = ['us-co', 'us-ca'] as const;

export type NoticeCode = (typeof NOTICE_CODES)[number];
