/**
 * `npm run demo:telegram`: a local Telegram on 127.0.0.1, and a page on which to write to the bot.
 * TELEGRAM_DEMO_PORT (8090) is the page's port, the next one the Bot API's.
 */
import { TelegramServer } from '../telegram-server';
import { DemoPage } from './demo-page';

async function main(): Promise<void> {
  const port = Number(process.env.TELEGRAM_DEMO_PORT ?? '8090');
  const telegram = await TelegramServer.start({
    port: port === 0 ? 0 : port + 1,
    botName: process.env.TELEGRAM_BOT_NAME ?? 'colloquy_demo_bot',
  });
  const page = new DemoPage(telegram, port);
  await page.open();
  console.log(`Start Colloquy with these two settings:

TELEGRAM_BOT_TOKEN=${telegram.token} TELEGRAM_API_ROOT=${telegram.apiRoot} npm start

and write to its bot on ${page.url}/
(another person: ${page.url}/?user=2; with an invitation: ${page.url}/?start=PAYLOAD)`);
  const stop = (): void => {
    void Promise.all([page.close(), telegram.close()]);
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
