/**
 * Telegram, Notion and a model server for a Colloquy that runs elsewhere, such as in Docker Compose's
 * profile `tools`: each on a fixed port, with a page on which a person writes to the bot. Nothing is
 * stored; a restart begins anew. `deploy/compose/tools.env` has the settings of a Colloquy that uses them.
 */
import { once } from 'node:events';
import { NotionServer } from '../fake-notion';
import { fill } from '../fake-notion/demo/fill';
import { TelegramServer } from '../fake-telegram';
import { DemoPage } from '../fake-telegram/demo/demo-page';
import { vacancyOwners } from './candidates';
import { PlayedModel } from './played-model';

const TELEGRAM_PORT = 8081;
const MODEL_PORT = 8082;
const NOTION_PORT = 8083;
const PAGE_PORT = 8090;
const BOT_NAME = 'colloquy_demo_bot';

async function main(): Promise<void> {
  const telegram = await TelegramServer.start({ port: TELEGRAM_PORT, botName: BOT_NAME });
  const model = await PlayedModel.start(MODEL_PORT);
  const notion = await NotionServer.start({ port: NOTION_PORT });
  const page = new DemoPage(telegram, { port: PAGE_PORT, areRepliesPlayed: true });
  const { board } = fill(notion, {
    people: 3,
    tasksEach: 5,
    today: new Date(),
    owners: vacancyOwners(),
  });
  await page.open();
  console.log(`The fakes are ready.
  TELEGRAM_BOT_TOKEN=${telegram.token}
  TELEGRAM_BOT_NAME=${BOT_NAME}
  NOTION_TOKEN=${notion.token}
  NOTION_DATA_SOURCE_ID=${board.id}
  A page on which you write to the bot: port ${String(PAGE_PORT)}`);
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  await page.close();
  await notion.close();
  await model.close();
  await telegram.close();
}

void main();
