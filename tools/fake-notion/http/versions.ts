import { ApiError } from '../api-error';

/** Those with data sources; what is older speaks of databases, and this server does not. */
const VERSIONS = ['2025-09-03', '2026-03-11'] as const;

export type ApiVersion = (typeof VERSIONS)[number];

/** Null: none, or one that there is not. */
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

/** `archived` became `in_trash`: the newer version neither takes nor tells it. */
export function hasArchived(version: ApiVersion): boolean {
  return version === '2025-09-03';
}
