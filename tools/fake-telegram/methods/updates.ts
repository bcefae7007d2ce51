import { ApiError } from '../api-error';
import type { CallContext, Methods } from './context';

const POLL_AND_WEBHOOK =
  "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

export const UPDATES: Methods = {
  getUpdates: async ({ state, polls, webhook, gone }, params) => {
    if (webhook.isSet) throw ApiError.conflict(POLL_AND_WEBHOOK);
    state.updates.allow(params.allowed_updates);
    return [...(await polls.take(params, gone))];
  },
  setWebhook: (context, params) => {
    const { url, secret_token = null, max_connections = 40, allowed_updates } = params;
    if (url === '') return removeWebhook(context, params.drop_pending_updates);
    if (!URL.canParse(url) || !/^https?:/.test(url)) {
      throw ApiError.badRequest('bad webhook: invalid webhook URL specified');
    }
    checkSecret(secret_token);
    const { state, polls, webhook } = context;
    polls.end('terminated by setWebhook request');
    if (params.drop_pending_updates === true) state.updates.clear();
    state.updates.allow(allowed_updates);
    const maxConnections = Math.min(Math.max(1, max_connections), 100);
    webhook.set({ url, secretToken: secret_token, maxConnections });
    return true;
  },
  deleteWebhook: (context, params) => removeWebhook(context, params.drop_pending_updates),
  getWebhookInfo: ({ webhook }) => webhook.info(),
};

function removeWebhook({ state, webhook }: CallContext, dropPending = false): true {
  webhook.clear();
  if (dropPending) state.updates.clear();
  return true;
}

function checkSecret(secret: string | null): void {
  if (secret === null) return;
  if (secret.length > 256) throw ApiError.badRequest('secret token is too long');
  if (!/^[\w-]*$/.test(secret)) {
    throw ApiError.badRequest('secret token contains unallowed characters');
  }
}
