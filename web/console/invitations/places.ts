/** Addresses of the pages of invitations. */
export const INVITATIONS = '/console/invitations';
export const NEW_INVITATION = '/console/invitations/new';

/** Where an import is followed. */
export function importAt(batch: string): string {
  return `${NEW_INVITATION}?import=${encodeURIComponent(batch)}`;
}

/** Where people are invited to this vacancy. */
export function invitingTo(slug: string): string {
  return `${NEW_INVITATION}?vacancy=${encodeURIComponent(slug)}`;
}
