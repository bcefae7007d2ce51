/** Secrets as the settings want them: of 32 characters or more. */
export const ADMIN_TOKEN = 'the-admin-token-of-the-tests-0123456789';
export const WEBHOOK_SECRET = 'the-webhook-secret-of-the-tests-0123456789';
