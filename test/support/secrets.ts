/** Secrets of at least 32 characters, which the settings require. */
export const ADMIN_TOKEN = 'the-admin-token-of-the-tests-0123456789';
export const WEBHOOK_SECRET = 'the-webhook-secret-of-the-tests-0123456789';
