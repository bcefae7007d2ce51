import { Telegraf } from 'telegraf';
import { BotApi } from '../../../src/channels/telegram/api/bot-api';
import {
  BotApiError,
  assertTaken,
  fileFailureOf,
} from '../../../src/channels/telegram/api/bot-api-errors';
import { BotHealth } from '../../../src/channels/telegram/api/bot-health';
import { PeerHealth } from '../../../src/common/lifecycle';
import { Metrics } from '../../../src/common/metrics';
import { gate } from '../../../tools/http-fake/gate';
import { Listener } from '../../../tools/http-fake/listener';
import { FakeClock } from '../../../tools/support/fake-clock';
import { settingsForTests } from '../../support/settings';

const TOKEN = '123456:a-secret-of-the-bot';

test('a call without a response in time is reported as that', async () => {
  const called = gate();
  const silent = new Listener((request) => {
    request.resume();
    called.open();
    return Promise.resolve();
  });
  await silent.open();
  const clock = new FakeClock();
  const peers = new PeerHealth();
  const settings = settingsForTests({
    TELEGRAM_BOT_TOKEN: TOKEN,
    TELEGRAM_API_ROOT: silent.url,
    TELEGRAM_TIMEOUT: '5',
  });
  const bot = new Telegraf(TOKEN, { telegram: { apiRoot: silent.url } });
  const health = new BotHealth(peers, clock);
  const api = new BotApi(bot, health, clock, settings, new Metrics());

  const call = api.call('getMe', {}).catch((error: unknown) => error);
  await called.opened;
  clock.advance(5000);
  const error = await call;

  expect(error).toBeInstanceOf(BotApiError);
  expect(error).toMatchObject({ failure: { kind: 'unknown', cause: 'timeout' } });
  expect(peers.all()[0]?.trouble).toMatch(
    /^the Bot API did not respond in time; check the network/,
  );
  await silent.close();
});

describe('the body of a refusal that is not read', () => {
  /** A response whose body goes on until it is cancelled. */
  function endless(status: number): { response: Response; isCancelled: () => boolean } {
    let isCancelled = false;
    const body = new ReadableStream({
      cancel: () => {
        isCancelled = true;
      },
    });
    return { response: new Response(body, { status }), isCancelled: () => isCancelled };
  }

  test('is cancelled after an upload, so that the connection is free again', async () => {
    const { response, isCancelled } = endless(502);

    await expect(assertTaken(response)).rejects.toMatchObject({ response: { error_code: 502 } });

    expect(isCancelled()).toBe(true);
  });

  test.each([
    [502, { kind: 'server_error', code: 502 }],
    [404, { kind: 'refused', code: 404, description: 'no such file' }],
  ])('is cancelled after a download with status %i', async (status, failure) => {
    const { response, isCancelled } = endless(status);

    expect(await fileFailureOf(response)).toEqual(failure);

    expect(isCancelled()).toBe(true);
  });
});
