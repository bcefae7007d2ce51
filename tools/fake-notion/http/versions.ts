import { ApiError } from '../api-error';

/** The versions with data sources; older ones use databases, which this server does not support. */
const VERSIONS = ['2025-09-03', '2026-03-11'] as const;

export type ApiVersion = (typeof VERSIONS)[number];

/** Null: none, or an unknown one. */
export function versionIn(header: string | undefined): ApiVersion | null {
  return VERSIONS.find((version) => version === header) ?? null;
}

export function refusedVersion(header: string | undefined): ApiError {
  const rule = 'Notion-Version header failed validation: Notion-Version header should be';
  if (header === undefined) {
    const reason = `${rule} defined, instead was \`undefined\`.`;
    return new ApiError(400, 'missing_version', reason);
  }
  const known = VERSIONS.map((version) => `"${version}"`).join(' or ');
  return ApiError.validation(`${rule} ${known}, instead was "${header}".`);
}

/** `archived` became `in_trash`: the newer version neither accepts nor returns `archived`. */
export function hasArchived(version: ApiVersion): boolean {
  return version === '2025-09-03';
}
