import { Telegraf } from 'telegraf';
import type { Clock } from '../../../common/clock';
import type { Settings } from '../../../common/config';
import { type CheckOutcome, ok, problem, warning } from '../../../common/check-outcome';
import { PeerHealth } from '../../../common/lifecycle';
import { Metrics } from '../../../common/metrics';
import type { OtherBot } from '../account.repository';
import { BotApi } from './bot-api';
import { BotApiError } from './bot-api-errors';
import { BotHealth } from './bot-health';

/**
 * Checks the bot of the settings without changing it: its token, its name and its webhook. `others`:
 * the bots that the stored people wrote to.
 */
export async function examineBot(
  settings: Settings,
  clock: Clock,
  others: readonly OtherBot[],
): Promise<CheckOutcome[]> {
  const { token, apiRoot, botName } = settings.telegram;
  if (token === '') return [ok('TELEGRAM_BOT_TOKEN is not set, so the channel is off.')];
  const bot = new Telegraf(token, { telegram: { apiRoot } });
  const health = new BotHealth(new PeerHealth(), clock);
  const api = new BotApi(bot, health, clock, settings, new Metrics());
  try {
    const { id, username } = await api.call('getMe', {});
    const webhook = await api.call('getWebhookInfo', {});
    return [
      ok(`TELEGRAM_BOT_TOKEN is the bot @${username} (${id}).`),
      ...nameOutcomes(botName, username),
      ...otherBotOutcomes(others, `@${username}`),
      webhookOutcome(settings, webhook),
    ];
  } catch (error) {
    if (!(error instanceof BotApiError)) throw error;
    return [problem(failureSentence(error)), ...otherBotOutcomes(others, 'this bot')];
  }
}

/** Telegram lets a bot write only to people who wrote to it. */
export function otherBotOutcomes(others: readonly OtherBot[], bot: string): CheckOutcome[] {
  return others.map(({ botId, accounts }) => {
    const people = accounts === 1 ? '1 person here' : `${accounts} people here`;
    return warning(
      `${people} wrote to another bot (${botId}), and ${bot} cannot write to them: set the token of that bot, or let them open a new link.`,
    );
  });
}

function nameOutcomes(named: string, username: string): CheckOutcome[] {
  if (named === '' || named.toLowerCase() === username.toLowerCase()) return [];
  return [
    warning(
      `TELEGRAM_BOT_NAME is ${named} and the bot of the token is @${username}, so links lead to another bot: remove TELEGRAM_BOT_NAME.`,
    ),
  ];
}

interface WebhookState {
  readonly url?: string;
  readonly pending_update_count: number;
  readonly last_error_message?: string;
}

function webhookOutcome({ telegram, http }: Settings, webhook: WebhookState): CheckOutcome {
  const { url = '', pending_update_count: waiting, last_error_message: failure } = webhook;
  if (telegram.mode === 'polling') {
    if (url === '') return ok(`No webhook is set, as polling needs it; ${waiting} updates wait.`);
    return warning(
      `A webhook to ${hostOf(url)} is set and TELEGRAM_MODE is polling: give that installation a bot of its own; the start removes the webhook.`,
    );
  }
  if (url !== `${http.publicUrl}/webhooks/telegram`) {
    const where = url === '' ? 'is not set' : `leads to ${hostOf(url)}`;
    return warning(
      `The webhook ${where} and not to PUBLIC_URL: start Colloquy, which sets it; if it changes again, another installation uses this bot.`,
    );
  }
  if (failure === undefined) return ok(`The webhook is set; ${waiting} updates wait.`);
  return warning(
    `Telegram could not call the webhook (${failure}); ${waiting} updates wait: check that PUBLIC_URL is reached from the internet.`,
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'another address';
}

function failureSentence({ failure }: BotApiError): string {
  switch (failure.kind) {
    case 'unauthorized':
      return 'Telegram does not know TELEGRAM_BOT_TOKEN: set the token that @BotFather shows.';
    case 'unreachable':
      return 'The Bot API cannot be reached: check the network and TELEGRAM_API_ROOT; messages wait meanwhile.';
    case 'paused':
      return `Telegram asked the bot to wait ${Math.ceil(failure.forMs / 1000)} s: check it again after that.`;
    case 'conflict':
    case 'blocked':
    case 'refused':
    case 'server_error':
    case 'unknown':
      return `The Bot API does not respond usably (${failure.kind}): check TELEGRAM_API_ROOT, and try again later.`;
  }
}
