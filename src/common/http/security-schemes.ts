/** Name of the tokens of candidates in the description of the API (POST /api/v1/sessions). */
export const SESSION_SECURITY = 'session';
/** The same of keys, and of the hiring team's tokens (ADMIN_TOKEN). */
export const ADMIN_SECURITY = 'admin';
