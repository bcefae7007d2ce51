import { type CheckOutcome, warning } from '../check-outcome';
import type { Settings } from './settings';

/**
 * Settings that are valid together and cannot do what they are set for, because of another setting.
 * The start logs them; contradictions that it refuses are in `settings.ts`.
 */
export function settingWarnings({
  admin,
  buffer,
  http,
  llm,
  session,
  telegram,
}: Settings): CheckOutcome[] {
  const isProxied = http.publicUrl.startsWith('https:') && http.trustProxy === false;
  const cases: readonly (readonly [isSo: boolean, sentence: string])[] = [
    [
      session.idleMs > session.lifetimeMs,
      'SESSION_IDLE_TIMEOUT is longer than SESSION_LIFETIME, so it has no effect: lower it, or raise SESSION_LIFETIME.',
    ],
    [
      session.userIdleMs > session.userLifetimeMs,
      'USER_SESSION_IDLE_TIMEOUT is longer than USER_SESSION_LIFETIME, so it has no effect: lower it, or raise USER_SESSION_LIFETIME.',
    ],
    [
      llm.firstByteTimeoutMs > llm.requestTimeoutMs,
      'OPENAI_FIRST_BYTE_TIMEOUT is longer than OPENAI_REQUEST_TIMEOUT, so it has no effect: lower it, or raise OPENAI_REQUEST_TIMEOUT.',
    ],
    [
      llm.fallback?.baseUrl === llm.baseUrl && llm.fallback.model === llm.model,
      'OPENAI_FALLBACK_BASE_URL and OPENAI_FALLBACK_MODEL are those of the first model, so both fail at once: set another server.',
    ],
    [
      Math.max(buffer.debounceMs, buffer.debounceWebMs) > buffer.maxWaitMs,
      'INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT or that of the web is longer than INTERVIEW_BUFFER_MAX_WAIT, so answers never wait for it: lower it, or raise INTERVIEW_BUFFER_MAX_WAIT.',
    ],
    [
      telegram.token === '' && telegram.mode === 'webhook',
      'TELEGRAM_MODE=webhook has no effect, because the bot is off: set TELEGRAM_BOT_TOKEN, or remove it.',
    ],
    [
      telegram.token !== '' && telegram.mode === 'webhook' && http.publicUrl.startsWith('http:'),
      'TELEGRAM_MODE=webhook with a PUBLIC_URL without https: Telegram calls https addresses only, so set one.',
    ],
    [
      admin.tokens.some(({ token }) => token === http.managementToken),
      'MANAGEMENT_TOKEN is an admin token too, so whoever reads metrics may read interviews: set another one.',
    ],
    [
      isProxied,
      'PUBLIC_URL has https and TRUST_PROXY is false, so all candidates behind your proxy share one limit of requests: set TRUST_PROXY to the number of proxies.',
    ],
  ];
  return cases.filter(([isSo]) => isSo).map(([, sentence]) => warning(sentence));
}
