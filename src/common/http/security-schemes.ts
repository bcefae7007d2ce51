/** Name of the tokens of candidates in the description of the API (POST /api/v1/sessions). */
export const SESSION_SECURITY = 'session';
/** The same of keys, and of the hiring team's tokens (ADMIN_TOKEN). */
export const ADMIN_SECURITY = 'admin';
/** The cookie of a colleague who has signed in (POST /api/v1/team/session). */
export const TEAM_SECURITY = 'team';
