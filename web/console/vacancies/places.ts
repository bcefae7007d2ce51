/** Addresses of the vacancies' pages. */
export const VACANCIES = '/console/vacancies';
/** A slug has no underscore. */
export const NEW_VACANCY = `${VACANCIES}/_new`;

export function vacancyAt(slug: string): string {
  return `${VACANCIES}/${encodeURIComponent(slug)}`;
}
