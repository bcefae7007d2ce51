import { createHash } from 'node:crypto';
import { ApiError } from '../api-error';

/** The same UUID for the same text; ids of one kind have no order. */
export function idOf(words: string): string {
  const hex = createHash('sha256').update(words).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
  ];
  return [...parts, hex.slice(20, 32)].join('-');
}

/** A UUID in a call, with or without dashes; throws 400 for anything else. */
export function readId(name: string, given: string): string {
  const hex = given.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(hex)) {
    throw ApiError.validation(
      `${name} failed validation: ${name} should be a valid uuid, instead was \`"${given}"\`.`,
    );
  }
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
