/** Names of the two kinds of bearer tokens in the description of the API. */

/** Of a candidate's browser or program: `sessionToken` of POST /api/v1/sessions. */
export const SESSION_SECURITY = 'session';
/** Of the hiring team: ADMIN_TOKEN. */
export const ADMIN_SECURITY = 'admin';
